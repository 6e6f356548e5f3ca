// Everything that waits for a person, of all conversations.

import { approvalCard, fill, getJson, h, state, t, tell, watch } from "../app.js";

export async function open(host) {
  const list = h("div.approvals");
  const draw = () => {
    const ids = new Set(state.waiting.map((each) => each.id));
    for (const card of [...list.children]) if (!ids.has(card.dataset.id) && !card.querySelector(".settled")) card.remove();
    const shown = new Set([...list.children].map((each) => each.dataset.id));
    // What is being filled in stays as it is; what is new comes below.
    for (const each of state.waiting) if (!shown.has(each.id)) list.append(entry(each));
    empty.hidden = list.children.length > 0;
  };
  const empty = h("p.empty", { hidden: true }, t("waiting.empty"));
  fill(host, h("h1", {}, t("waiting.title")), empty, list);
  state.waiting = (await getJson("/v1/approvals")).approvals;
  tell("waiting");
  draw();
  return watch("waiting", draw);
}

function entry(approval) {
  const go = approval.session_id && h("a", { href: `#/s/${encodeURIComponent(approval.session_id)}` }, t("waiting.go"));
  return h("div.waiting-entry", { data: { id: approval.id } }, approvalCard(approval), go);
}
