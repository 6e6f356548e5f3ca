// A past run, folded from its events: the same way as a live one.

import { request } from "./api.js";
import { fold, newRun } from "./fold.js";
import { readEvents } from "./stream.js";

/** The run as its record tells it. It is for runs that ended: one that works would be followed to its end. */
export async function readRecord(runId, signal) {
  const run = newRun(runId);
  await readEvents(await request(`/v1/runs/${runId}/events`, { signal }), (event, number) => fold(run, event, number));
  return run;
}
