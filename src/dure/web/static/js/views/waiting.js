// Everything that waits for a person, of all conversations; several can be decided at once.

import { getJson } from "../api.js";
import { Approval, askedOf } from "../approval.js";
import { t } from "../i18n.js";
import { Button } from "../icons.js";
import { Component, html, render } from "../preact.js";
import { state, tell, watch } from "../state.js";

export async function open(host) {
  state.waiting = (await getJson("/v1/approvals")).approvals;
  tell("waiting");
  render(html`<${Waiting} />`, host);
  return () => render(null, host);
}

/** Together with others: what wants words is answered one by one. */
const decidable = (actions) => !actions.includes("answer") && ["approve", "reject"].every((action) => actions.includes(action));

class Waiting extends Component {
  constructor() {
    super();
    Object.assign(this, { shown: [], cards: new Map(), state: { chosen: new Set(), busy: false } });
  }

  componentDidMount() {
    this.unwatch = watch("waiting", () => this.setState({}));
  }

  componentWillUnmount() {
    this.unwatch();
  }

  /** What is being filled in stays as it is, and what was decided here stays until one leaves; what is new comes below. */
  all() {
    const open = new Set(state.waiting.map((each) => each.id));
    const fresh = state.waiting.filter((each) => !this.shown.some(({ id }) => id === each.id));
    this.shown = [...this.shown.filter((each) => open.has(each.id) || each.decision), ...fresh];
    return this.shown;
  }

  choose(ids, chosen) {
    const next = new Set(this.state.chosen);
    for (const id of ids) (chosen ? next.add(id) : next.delete(id));
    this.setState({ chosen: next });
  }

  /** One after another, each as its own form has it; what cannot be decided says why and stays chosen. */
  async decide(action) {
    this.setState({ busy: true });
    for (const id of this.state.chosen) {
      const card = this.cards.get(id);
      await card?.decide(action);
      if (card?.props.approval.decision) this.choose([id], false);
    }
    this.setState({ busy: false });
  }

  render(_, { chosen, busy }) {
    const all = this.all();
    const open = all.filter((each) => !each.decision && decidable(each.actions)).map((each) => each.id);
    const every = open.length > 0 && open.every((id) => chosen.has(id));
    return html`<h1>${t("waiting.title")}</h1>
      <p class="empty" hidden=${all.length > 0}>${t("waiting.empty")}</p>
      ${open.length > 1 && html`<div class="actions bulk">
        <label><input type="checkbox" checked=${every} onChange=${(event) => this.choose(open, event.currentTarget.checked)} /> ${t("waiting.all", { n: open.length })}</label>
        <${Button} name="check" label=${t(chosen.size ? "waiting.approve" : "waiting.approve_none", { n: chosen.size })} kind="primary" disabled=${busy || !chosen.size} onClick=${() => this.decide("approve")} />
        <${Button} name="close" label=${t(chosen.size ? "waiting.reject" : "waiting.reject_none", { n: chosen.size })} kind="danger" disabled=${busy || !chosen.size} onClick=${() => this.decide("reject")} />
      </div>`}
      <div class="approvals">${all.map((each) => html`<div class="waiting-entry" key=${each.id} data-id=${each.id}>
        ${open.length > 1 && open.includes(each.id) && html`<label class="choose"><input type="checkbox" aria-label=${`${t("waiting.choose")}: ${askedOf(each)}`} checked=${chosen.has(each.id)} onChange=${(event) => this.choose([each.id], event.currentTarget.checked)} /> ${t("waiting.choose")}</label>`}
        ${open.length > 1 && !each.decision && each.actions.includes("answer") && html`<small>${t("waiting.alone")}</small>`}
        <${Approval} approval=${each} ref=${(card) => this.cards.set(each.id, card)} decided=${() => this.setState({})} />
        ${each.session_id && html`<a href=${`#/s/${encodeURIComponent(each.session_id)}`}>${t("waiting.go")}: ${each.asked.split("\n")[0]}</a>`}
      </div>`)}</div>`;
  }
}
