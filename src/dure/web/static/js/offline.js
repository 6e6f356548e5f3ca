// The worker that keeps the page and the last conversations for reading without a connection (`sw.js`).

import { apiKey } from "./api.js";
import { t } from "./i18n.js";
import { state, watch } from "./state.js";
import { toast } from "./toast.js";

const EVERY = 60_000;

export async function keepForReading() {
  let told = -EVERY;
  const say = () => performance.now() - told > EVERY && ((told = performance.now()), toast(t("offline.kept")));
  watch("kept", say);
  // Of what was read before this was there.
  if (state.kept) say();
  if (!navigator.serviceWorker) return;
  try {
    await navigator.serviceWorker.register("static/sw.js", { scope: "./" });
    if (apiKey()) return caches.delete("dure-data");
    const { active } = await navigator.serviceWorker.ready;
    const keep = (urls) => active.postMessage({ keep: urls });
    keep([new URL(".", location).href]);
    // Also what was asked for before it was there, and is still on its way.
    const seen = (list) => keep(list.getEntries().map(({ name }) => name).filter((name) => name.includes("/static/")));
    new PerformanceObserver(seen).observe({ type: "resource", buffered: true });
  } catch {
    // Without it there is no reading without a connection, and no more.
  }
}
