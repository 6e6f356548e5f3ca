// Everything that waits for a person, of all conversations.

import { getJson } from "../api.js";
import { Approval } from "../approval.js";
import { t } from "../i18n.js";
import { html, render } from "../preact.js";
import { state, tell, watch } from "../state.js";

export async function open(host) {
  // What is being filled in stays as it is, and what was decided here stays until one leaves; what is new comes below.
  let shown = [];
  const draw = () => {
    const open = new Set(state.waiting.map((each) => each.id));
    const fresh = state.waiting.filter((each) => !shown.some(({ id }) => id === each.id));
    shown = [...shown.filter((each) => open.has(each.id) || each.decision), ...fresh];
    render(html`<h1>${t("waiting.title")}</h1>
      <p class="empty" hidden=${shown.length > 0}>${t("waiting.empty")}</p>
      <div class="approvals">${shown.map((each) => html`<${Entry} key=${each.id} approval=${each} />`)}</div>`, host);
  };
  state.waiting = (await getJson("/v1/approvals")).approvals;
  tell("waiting");
  draw();
  const unwatch = watch("waiting", draw);
  return () => (unwatch(), render(null, host));
}

const Entry = ({ approval }) => html`<div class="waiting-entry" data-id=${approval.id}>
  <${Approval} approval=${approval} />
  ${approval.session_id && html`<a href=${`#/s/${encodeURIComponent(approval.session_id)}`}>${t("waiting.go")}</a>`}
</div>`;
