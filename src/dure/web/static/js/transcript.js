// A conversation's transcript, as the server keeps it.

import { getJson, query, send } from "./api.js";

const at = (session, values) => `/v1/sessions/${encodeURIComponent(session)}/messages${query(values)}`;

/** Messages, oldest first: all, or the last `limit`, of those `before` a message. */
export async function readMessages(session, values = {}, options) {
  return (await getJson(at(session, values), options)).messages;
}

/** The question that a run is for, and whether it is the `last` one; null where it was taken out. */
export async function questionOf(session, runId) {
  const questions = (await readMessages(session)).filter((each) => each.role === "user");
  const found = questions.find((each) => each.run_id === runId);
  return found ? { ...found, last: found === questions.at(-1) } : null;
}

/** Take a question, and all after it, out of the conversation. */
export const cutFrom = (session, messageId) => send("DELETE", at(session, { from: messageId }));
