// The worker that keeps the page and the last conversations for reading without a connection (`sw.js`).

import { apiKey } from "./api.js";
import { t } from "./i18n.js";
import { watch } from "./state.js";
import { toast } from "./toast.js";

const EVERY = 60_000;

export async function keepForReading() {
  let told = -EVERY;
  watch("kept", () => performance.now() - told > EVERY && ((told = performance.now()), toast(t("offline.kept"))));
  if (!navigator.serviceWorker) return;
  try {
    await navigator.serviceWorker.register("static/sw.js", { scope: "./" });
    if (apiKey()) return caches.delete("dure-data");
    const { active } = await navigator.serviceWorker.ready;
    const keep = (urls) => urls.length && active.postMessage({ keep: urls });
    keep([new URL("./", location.href).href]);
    // It was not there yet when these were asked for; some are still on their way.
    const seen = (list) => keep(list.getEntries().map((each) => each.name).filter((each) => each.includes("/static/")));
    new PerformanceObserver(seen).observe({ type: "resource", buffered: true });
  } catch {
    // Without it there is no reading without a connection, and no more.
  }
}
