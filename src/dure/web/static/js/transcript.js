// A conversation's transcript, as the server keeps it.

import { getJson, query, send } from "./api.js";

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

/** The question that a run is for, and whether it is the `last` one; null where it was taken out. */
export async function questionOf(session, runId) {
  const questions = (await readMessages(session)).filter((each) => each.role === "user");
  const found = questions.find((each) => each.run_id === runId);
  return found ? { ...found, last: found === questions.at(-1) } : null;
}

/** Take a question, and all after it, out of the conversation. */
export const cutFrom = (session, messageId) => send("DELETE", at(session, { from: messageId }));

/** The name of a new session, made here, so that a reload before the first event finds its way back. */
export function newSession() {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return `s-${Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("")}`;
}
