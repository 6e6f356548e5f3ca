// A conversation's transcript, as the server keeps it.

import { getJson, query, send } from "./api.js";
import { newRun } from "./fold.js";

const at = (session, values) => `/v1/sessions/${encodeURIComponent(session)}/messages${query(values)}`;

/** Messages, oldest first: all, or the last `limit`, of those `before` a message. */
export async function readMessages(session, values = {}, options) {
  return (await getJson(at(session, values), options)).messages;
}

/** Messages as questions with their answers: `{asked, answer}`, either of which may be missing. `open`: a run that has not ended. */
export function entriesOf(messages, open = null) {
  const found = [];
  for (const each of messages) {
    const last = found.at(-1);
    if (each.role === "user") found.push({ asked: each, answer: null });
    else if (last && !last.answer && last.asked.run_id === each.run_id) last.answer = each.run_id === open ? null : each;
    else found.push({ asked: null, answer: each });
  }
  return found;
}

/** A run as far as a conversation's transcript tells of it: its answer and citations. */
function pastRun({ run_id: id, content, citations }) {
  const known = { response: content, citations: citations ?? [] };
  return { ...newRun(id), status: "completed", result: known, citations: known.citations };
}

/** What the page holds of a question and its answer; the run's record is read when it comes into view. */
export function pastEntry({ asked, answer }, session, rating = null) {
  const id = (answer ?? asked).run_id;
  const run = answer ? pastRun(answer) : newRun(id, session);
  return { key: `${id} ${(asked ?? answer).id}`, asked, run, rating, recorded: id === "-" };
}

/** The same of what is asked now, in the place of `from` where there is one. */
export function newEntry({ message, images, team = "" }, session, from) {
  const branches = from && [...(from.branches ?? [from.id]), null];
  const key = crypto.getRandomValues(new Uint32Array(2)).join("");
  return { key, asked: { content: message, images, branches }, run: { ...newRun("", session), team }, recorded: true };
}

/** The entries that stand before the question `from`; all without one. */
export function upTo(entries, from) {
  const place = entries.findIndex((each) => from && (each.asked?.id === from.id || each.run.id === from.run_id));
  return place < 0 ? entries : entries.slice(0, place);
}

/** `entries` in the place of those `before`: of what is gone nothing is read beside any more. */
export function instead(before, entries) {
  const runs = new Set(entries.map(({ run }) => run.id));
  for (const { run, left } of before) if (!runs.has(run.id)) left?.();
  return entries;
}

/** The question that a run is for; undefined where it is not shown. */
export async function questionOf(session, runId) {
  return (await readMessages(session)).find((each) => each.role === "user" && each.run_id === runId);
}

/** Throws where there is none any more. */
export const sessionOf = (session) => getJson(`/v1/sessions/${encodeURIComponent(session)}`);

/** A record tells what was asked of people; some of it may be decided by now. One that comes too late is answered as such. */
export async function prune(run, signal) {
  const { approvals } = await getJson("/v1/approvals", { signal });
  const open = new Set(approvals.map((each) => each.id));
  for (const each of run.approvals) if (!open.has(each.id)) each.decision ??= { action: "other" };
}

/** Go on from another question that was asked in a place. */
export const walkTo = (session, messageId) => send("POST", `/v1/sessions/${encodeURIComponent(session)}/branch${query({ to: messageId })}`);

/** The name of a new session, made here, so that a reload before the first event finds its way back. */
export function newSession() {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return `s-${Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("")}`;
}
