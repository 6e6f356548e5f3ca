// What waits for a person, and what is typed below it meanwhile.

import { send } from "./api.js";
import { t } from "./i18n.js";
import { tellTabs } from "./state.js";
import { toast } from "./toast.js";

/** What a server asks for is a form that is answered. */
export const isForm = ({ actions, schema }) => actions.includes("answer") && !actions.includes("edit") && Boolean(schema?.properties);

/** Whether it wants words, and has nothing that could be approved. */
export const isQuestion = (approval) => approval.actions.includes("answer") && !approval.actions.includes("approve") && !isForm(approval);

export async function decideOn(approval, decision) {
  const run = await send("POST", `/v1/runs/${approval.run_id}/approvals`, { decisions: [decision] });
  approval.decision ??= decision;
  tellTabs("decided", { run: approval.run_id, session: run.session_id });
}

/** Of the composer below an entry that waits: what its box is for, and what becomes of what is typed there. The only
    question that is open gets it as its answer; all else is decided first, and one is led there. */
export function meanwhile(entry, box) {
  const open = () => entry.run.approvals.filter((each) => !each.decision);
  const question = () => (open().length === 1 && isQuestion(open()[0]) ? open()[0] : null);
  return {
    hint: t(question() ? "chat.answers" : "chat.waits"),
    async typed(words) {
      const asked = question();
      // Files are no part of an answer, and a question that is being edited stands elsewhere.
      if (!asked || box().attachments.files.length || box().cancel) return lead(entry);
      box().set("");
      try {
        await decideOn(asked, { approval_id: asked.id, action: "answer", message: words });
        entry.changed?.();
      } catch (error) {
        box().giveBack(words);
        throw error;
      }
    },
  };
}

/** Say what is to be decided first, and go there. */
export function lead({ element }) {
  const card = element?.querySelector(".approval:not(.settled)");
  toast(t("chat.decide_first", { what: card?.querySelector("h2").textContent ?? t("chat.waits") }), "bad");
  card?.focus();
}
