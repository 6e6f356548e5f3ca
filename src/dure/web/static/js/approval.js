// One thing that waits for a person: what, who, with which arguments; approve, change and approve, reject, answer.
// What was decided stays, with what was decided about.

import { FormError, schemaForm } from "./form.js";
import { fullTime, t, tOr } from "./i18n.js";
import { Button, Hosted } from "./icons.js";
import { agentName, toolName } from "./names.js";
import { Component, html } from "./preact.js";
import { mailParts, Values } from "./values.js";
import { decideOn, isForm, isQuestion } from "./waits.js";

/** `approval.decision`: null while it waits. `decided()`: after a decision, also somebody else's. */
export class Approval extends Component {
  constructor({ approval }) {
    super();
    this.held = (element) => (this.reason = element);
    this.can = new Set(approval.actions);
    this.question = isQuestion(approval);
    this.asks = isForm(approval);
    // What is asked back is answered in words, not by changing the question.
    const filled = (this.asks || (this.can.has("edit") && !this.can.has("answer"))) && !approval.decision;
    this.form = filled ? schemaForm(approval.schema, approval.args, approval.id) : null;
    this.form?.element.addEventListener("input", () => this.setState({ edited: true }));
    this.state = { asking: this.can.has("answer") && !this.asks, error: "", busy: false, edited: false, text: "" };
  }

  /** One that is taller than the conversation's window would show its end alone, to whoever reads there. */
  componentDidMount() {
    const window = this.base.closest(".scroller");
    if (!window || this.props.approval.decision || window.scrollTop < -1) return;
    if (this.base.offsetHeight > window.clientHeight) this.base.scrollIntoView({ block: "start" });
  }

  async decide(action) {
    const { approval } = this.props;
    const decision = { approval_id: approval.id, action };
    const { text } = this.state;
    this.setState({ error: "" });
    if (action === "reject" || (action === "answer" && !this.asks)) decision.message = text.trim();
    if (action === "answer" && !this.asks && !decision.message) {
      this.setState({ error: t("approval.answer_needed"), lacking: true });
      return this.reason.focus();
    }
    try {
      if (action === "answer" && this.asks) decision.args = this.form.value();
      if (action === "approve" && this.form && this.state.edited) {
        // Arguments that were changed in the form are what is approved.
        const args = this.form.value();
        if (!same(args, approval.args)) Object.assign(decision, { action: "edit", args });
      }
    } catch (problem) {
      if (!(problem instanceof FormError)) throw problem;
      return;
    }
    // The button that was pressed goes: who pressed it by key stays at the card.
    if (this.base.contains(document.activeElement)) this.base.focus({ preventScroll: true });
    this.setState({ busy: true });
    try {
      await decideOn(approval, decision);
      this.settle(decision);
    } catch (problem) {
      this.setState({ busy: false, error: problem.message });
      // Where it is still to be decided, a conflict names it: its tool is away.
      const over = problem.code === "already_decided" || (problem.code === "conflict" && !problem.details.approval_id);
      if (over) this.settle({ action: "other" });
    }
  }

  settle(decision) {
    this.props.approval.decision ??= decision;
    this.setState({});
    this.props.decided?.();
  }

  reject() {
    // The first press asks for a reason, which may stay empty; the second rejects.
    if (this.state.asking) return this.decide("reject");
    this.setState({ asking: true }, () => this.reason.focus());
  }

  render({ approval }) {
    return approval.decision ? settled(approval) : this.waiting(approval);
  }

  waiting(approval) {
    const { asking, error, busy, edited, lacking, text } = this.state;
    const { can } = this;
    const words = can.has("answer") && !this.asks;
    const [label, field] = [t(this.question ? "approval.answer_wanted" : words ? "approval.answer" : "approval.reason"), `said-${approval.id}`];
    const button = (action, name, key, kind) => html`<${Button} name=${name} label=${t(key)} kind=${kind} disabled=${busy} onClick=${() => (action === "reject" ? this.reject() : this.decide(action))} />`;
    const approve = can.has("approve") && button("approve", "check", edited ? "approval.approve_edited" : "approval.approve", can.has("answer") ? "" : "primary");
    const answer = can.has("answer") && button("answer", "send", "approval.send_answer", "primary");
    return html`<section role="group" class="approval" tabindex="-1" aria-labelledby=${`asked-${approval.id}`} data-id=${approval.id}>
      <${Head} approval=${approval} />
      ${this.form && html`<${Hosted} element=${this.form.element} />`}
      ${link(approval)}
      ${!this.form && !this.question && html`<${About} approval=${approval} />`}
      <div class="field" hidden=${!asking}>
        ${this.question && html`<label for=${field}>${label}</label>`}
        <textarea rows="2" id=${field} aria-label=${label} placeholder=${this.question ? "" : label} aria-required=${String(this.question)} aria-invalid=${String(Boolean(lacking))} aria-describedby=${`${field}-error`} ref=${this.held} onInput=${(event) => this.setState({ text: event.currentTarget.value, lacking: false })}></textarea>
      </div>
      <p class="error-text" role="alert" id=${`${field}-error`}>${error}</p>
      <div class="actions">
        ${answer}
        ${approve}
        ${can.has("reject") && button("reject", "close", asking && !words ? "approval.reject_now" : "approval.reject", "danger")}
      </div>
    </section>`;
  }
}

/** Where a server wants the person to go, to be opened by them: its whole address. */
function link({ kind, args }) {
  const url = kind === "question" && /^https?:\/\//.test(args?.url ?? "") ? args.url : "";
  return url && html`<p><a href=${url} target="_blank" rel="noopener noreferrer">${url}</a></p>`;
}

/** What was decided, in a line; opened, about what and with which words. */
function settled(approval) {
  const { action, message } = approval.decision;
  const good = ["approve", "edit", "answer"].includes(action);
  return html`<section role="group" class="approval settled" tabindex="-1" aria-labelledby=${`asked-${approval.id}`} data-id=${approval.id}>
    <details>
      <summary><h2 id=${`asked-${approval.id}`}>${askedOf(approval)}</h2><span class="mark" data-status=${good ? "done" : "failed"}>${tOr(`approval.did.${action}`, action)}</span></summary>
      ${reason(approval)}
      ${message && html`<blockquote class="quote">${message}</blockquote>`}
      <${About} approval=${approval} />
    </details>
  </section>`;
}

/** A sentence that asks, what to look out for, and until when. */
function Head({ approval }) {
  const { id, expires_at: until } = approval;
  return html`<div><h2 id=${`asked-${id}`}>${askedOf(approval)}</h2>
    ${reason(approval)}
    ${until && html`<small>${t("approval.until", { time: fullTime(until) })}</small>`}</div>`;
}

/** What it is about, as it was decided; a step's task is what its head asks. */
function About({ approval: { kind, args, schema, decision } }) {
  const { task, ...rest } = decision?.args ?? args ?? {};
  const shown = kind === "step" || task === undefined ? rest : { task, ...rest };
  return Object.keys(shown).length > 0 && html`<${Values} values=${shown} schema=${schema} />`;
}

const reason = (approval) => approval.why && askedOf(approval) !== approval.title && html`<p class="mend">${approval.why}</p>`;

/** What is asked, in a sentence; of a step that was changed, what it does now. */
export function askedOf({ kind, title, team, agent, tool, args, decision }) {
  if (kind === "step" && decision?.args?.task) return decision.args.task;
  const ask = mailParts(Object.keys(args ?? {})) ? "approval.ask_mail" : "approval.ask";
  return kind === "tool" && tool ? t(ask, { who: agentName(agent, team), what: toolName(tool) }) : title;
}

function same(one, other) {
  const sorted = (value) => {
    if (Array.isArray(value)) return value.map(sorted);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
  };
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}
