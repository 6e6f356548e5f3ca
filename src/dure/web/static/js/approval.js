// One thing that waits for a person: what, who, with which arguments; approve, change and approve, reject, answer.

import { ApiError, send } from "./api.js";
import { button, fill, h } from "./dom.js";
import { FormError, schemaForm } from "./form.js";
import { fullTime, t, tOr } from "./i18n.js";
import { tellTabs } from "./state.js";

let count = 0;

/** A card. `decided(run)` is called after a decision, also one that somebody else gave in the meantime. */
export function approvalCard(approval, decided) {
  const id = `approval-${(count += 1)}`;
  const can = new Set(approval.actions);
  const form = can.has("edit") ? schemaForm(approval.schema, approval.args) : null;
  const error = h("p.error-text", { role: "alert" });
  const reason = h("textarea", { rows: "2", "aria-label": t(can.has("answer") ? "approval.answer" : "approval.reason") });
  reason.placeholder = t(can.has("answer") ? "approval.answer" : "approval.reason");
  const actions = h("div.actions");
  const rejecting = h("div.rejecting", { hidden: !can.has("answer") }, reason);

  const decide = async (action) => {
    const decision = { approval_id: approval.id, action };
    error.textContent = "";
    if (action === "reject" || action === "answer") decision.message = reason.value.trim();
    if (action === "answer" && !decision.message) {
      error.textContent = t("approval.answer_needed");
      return reason.focus();
    }
    try {
      if (action === "approve" && form) {
        // Arguments that were changed in the form are what is approved.
        const args = form.value();
        if (!same(args, approval.args)) Object.assign(decision, { action: "edit", args });
      }
    } catch (problem) {
      if (!(problem instanceof FormError)) throw problem;
      return;
    }
    await post(decision);
  };

  const post = async (decision) => {
    for (const each of card.querySelectorAll("button")) each.disabled = true;
    try {
      const run = await send("POST", `/v1/runs/${approval.run_id}/approvals`, { decisions: [decision] });
      settle(decision.action);
      tellTabs("decided", { run: approval.run_id, session: run.session_id });
      decided?.(run);
    } catch (problem) {
      for (const each of card.querySelectorAll("button")) each.disabled = false;
      error.textContent = problem.message;
      if (problem instanceof ApiError && ["already_decided", "conflict"].includes(problem.code)) {
        settle("other");
        decided?.(null);
      }
    }
  };

  const settle = (action) => {
    card.classList.add("settled");
    fill(actions, h("span.mark", { data: { status: action === "reject" ? "failed" : "done" } }, t(`approval.did.${action}`)));
    rejecting.hidden = true;
  };

  const reject = () => {
    // The first press asks for a reason, which may stay empty; the second rejects.
    if (rejecting.hidden) {
      rejecting.hidden = false;
      reason.focus();
      rejectButton.lastChild.textContent = t("approval.reject_now");
    } else decide("reject");
  };
  const rejectButton = button(t("approval.reject"), reject, { class: "danger" }, "close");

  const approveButton = button(t("approval.approve"), () => decide("approve"), { class: "primary" }, "check");
  fill(
    actions,
    can.has("approve") && approveButton,
    can.has("answer") && button(t("approval.send_answer"), () => decide("answer"), { class: can.has("approve") ? "" : "primary" }, "send"),
    can.has("reject") && rejectButton,
  );
  form?.element.addEventListener("input", () => {
    approveButton.lastChild.textContent = t("approval.approve_edited");
  });
  const plain = !form && Object.keys(approval.args ?? {}).length > 0;
  const card = h(
    "section.approval",
    { "aria-labelledby": id, data: { id: approval.id } },
    h("h3", { id }, approval.title),
    h("dl.facts", {}, fact("approval.who", approval.agent), fact("approval.tool", approval.tool),
      fact("approval.kind", tOr(`approval.kind.${approval.kind}`, approval.kind)),
      fact("approval.until", approval.expires_at && fullTime(approval.expires_at))),
    form?.element,
    plain && h("pre", { tabIndex: 0 }, JSON.stringify(approval.args, null, 2)),
    rejecting, error, actions,
  );
  return card;
}

const fact = (key, value) => value && [h("dt", {}, t(key)), h("dd", {}, value)];

function same(one, other) {
  const sorted = (value) => {
    if (Array.isArray(value)) return value.map(sorted);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
  };
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}
