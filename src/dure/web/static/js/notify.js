// To whoever looks elsewhere: a notification and a mark in the title when an answer is there or waits for a decision.

import { t } from "./i18n.js";
import { tell } from "./state.js";

const KEPT = "dure.notify";
let unseen = false;

const possible = () => isSecureContext && "Notification" in globalThis;

/** "on", "off", or "" where there are none. */
export const notifying = () => (possible() ? (localStorage.getItem(KEPT) && Notification.permission === "granted" ? "on" : "off") : "");

/** On or off; the browser asks first. Returns what it is then. */
export async function switchNotifying() {
  if (notifying() === "on") localStorage.removeItem(KEPT);
  else if ((await Notification.requestPermission()) === "granted") localStorage.setItem(KEPT, "1");
  return notifying();
}

/** Whether something came that nobody saw. */
export const isUnseen = () => unseen;

/** Tell of `text`, unless the page is being looked at. `place`: where it leads. */
export function notify(text, place) {
  if (!document.hidden) return;
  unseen = true;
  tell("unseen");
  if (notifying() !== "on") return;
  const shown = new Notification(t("brand"), { body: text, tag: place });
  shown.onclick = () => (window.focus(), (location.hash = place), shown.close());
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden || !unseen) return;
  unseen = false;
  tell("unseen");
});
