// A past run, folded from its events: the same way as a live one.

import { request } from "./api.js";
import { fold, newRun } from "./fold.js";
import { readEvents } from "./stream.js";

/** The run as its record tells it; one that works is followed to its end, `heard(run)` after each event. */
export async function readRecord(runId, signal, heard = () => {}) {
  const run = newRun(runId);
  await readEvents(await request(`/v1/runs/${encodeURIComponent(runId)}/events`, { signal }), (event, number) => {
    fold(run, event, number);
    heard(run);
  });
  return run;
}
