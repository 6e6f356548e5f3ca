// A run's events: fetch and a reader, since EventSource can send neither a key nor a body.

import { ApiError, request } from "./api.js";

/** Read server-sent events; `heard(event, number)` for each. `number` is null for one that is not in the record. */
export async function readEvents(response, heard) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const frames = (rest + value).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const found = parse(frame);
      if (found) heard(found.event, found.number);
    }
  }
}

function parse(frame) {
  let number = null;
  let data = "";
  for (const line of frame.split("\n")) {
    if (line.startsWith("id: ")) number = Number(line.slice(4));
    else if (line.startsWith("data: ")) data += line.slice(6);
  }
  return data ? { event: JSON.parse(data), number } : null;
}

const ENDS = new Set(["RUN_FINISHED", "RUN_ERROR"]);
const PAUSES = [300, 700, 1500, 3000, 5000];

/**
 * Follow a run from event number `after` until it ends or waits, over lost connections.
 * `first`: a response that streams already (of the question itself); later ones are asked for with Last-Event-ID.
 * `lost`: told once of a connection that broke, with a promise that ends when there is one again, or none is needed.
 */
export async function follow({ runId, after = 0, first, heard, lost, signal }) {
  const id = runId ?? first.headers.get("X-Run-Id");
  let [response, last, ended, failures] = [first, after, false, 0];
  let found = null;
  const back = () => (found?.(), (found = null));
  for (;;) {
    const before = last;
    const asked = !response;
    try {
      response ??= await request(`/v1/runs/${id}/events`, { signal, extra: last ? { "Last-Event-ID": `${last}` } : {} });
      back();
      await readEvents(response, (event, number) => {
        // What was sent twice, over a connection that broke while it was sent, is heard once.
        if (number !== null && number <= last) return;
        last = number ?? last;
        failures = 0;
        ended = ENDS.has(event.type);
        heard(event, number);
      });
      // The record had nothing more: the run waits or ended where we are.
      if (ended || (asked && last === before)) return;
    } catch (error) {
      if (signal?.aborted || ended) return back();
      if (error instanceof ApiError && error.status && error.status < 500 && error.status !== 429) throw (back(), error);
      if (!found) lost?.(new Promise((done) => (found = done)));
      await pause(PAUSES[Math.min(failures, PAUSES.length - 1)], signal);
      failures += 1;
      if (signal?.aborted) return back();
    }
    response = undefined;
  }
}

function pause(milliseconds, signal) {
  return new Promise((done) => {
    setTimeout(done, milliseconds);
    // Back online: no reason to wait longer.
    addEventListener("online", done, { once: true });
    signal?.addEventListener("abort", done, { once: true });
  });
}
