// What several parts of the page share, and how they tell each other. Other tabs of this browser hear it too.

export const state = { teams: [], models: [], packs: null, lacks: null, sessions: [], waiting: [], session: "", kept: false };

const bus = new EventTarget();
const tabs = "BroadcastChannel" in globalThis ? new BroadcastChannel("dure") : null;

export function tell(topic, value) {
  bus.dispatchEvent(new CustomEvent(topic, { detail: value }));
}

/** Call `heard` whenever `topic` is told; the returned function ends that. */
export function watch(topic, heard) {
  const listener = (event) => heard(event.detail);
  bus.addEventListener(topic, listener);
  return () => bus.removeEventListener(topic, listener);
}

/** Tell this tab and the others. Only ids are sent: each tab reads with its own key. */
export function tellTabs(topic, value) {
  tell(topic, value);
  tabs?.postMessage({ topic, value });
}

tabs?.addEventListener("message", ({ data }) => tell(data.topic, data.value));
