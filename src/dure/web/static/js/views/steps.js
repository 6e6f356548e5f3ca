// A run as the tree that the chat draws of its work, with what each step was given, gave and took.

import { send } from "../api.js";
import { number, seconds, t, tOr } from "../i18n.js";
import { Button } from "../icons.js";
import { Markdown } from "../markdown.js";
import { placeName, toolName } from "../names.js";
import { Plan } from "../plan.js";
import { Component, html } from "../preact.js";
import { go } from "../router.js";
import { state, tellTabs } from "../state.js";
import { toast } from "../toast.js";
import { brief, shorten, Tree } from "../tree.js";
import { parsed, Values } from "../values.js";

/** Characters from which on a text is folded, and those that are shown of it then. */
const [LONG, SHOWN] = [700, 120];
const MARKDOWN_TABLE = /^\|[ :|-]+\|$/m;

export const money = (value, currency) =>
  value === null || value === undefined ? "–" : `${value < 1 ? value.toPrecision(2) : value.toFixed(2)} ${currency ?? ""}`;

/** To what was folded of a run, what its record has besides: the number of the event with which a step begins (`step`),
    when it went on (`from`, `to`), what was asked, given and found. Returns its waits. */
export function recorded(run, { events, options }, costs = []) {
  const [asked, waits] = [[...run.asked], []];
  const all = (map, id) => [...map.values()].filter((each) => each.id.split("~")[0] === id);
  for (const [index, { seq, kind, at, data }] of events.entries()) {
    const to = Date.parse(at);
    const began = (item, from, more) => item && Object.assign(item, { step: seq, from, to, taken: seq <= (options.from?.events ?? 0), ...more });
    if (kind === "model_called") began(asked.shift(), to - data.seconds * 1000, { ...data, cost: costs[run.asked.length - asked.length - 1] });
    else if (kind === "agent_started") began(all(run.agents, data.work_id)[0], to);
    else if (kind === "agent_finished") Object.assign(all(run.agents, data.work_id)[0] ?? {}, { to });
    else if (kind === "tool_started") began(all(run.calls, data.call_id).find((each) => !each.step), to, { given: data.args });
    else if (kind === "tool_finished") Object.assign(all(run.calls, data.call_id).findLast((each) => each.step) ?? {}, { to, text: data.text, passages: data.passages });
    else if (kind === "run_waiting") waits.push({ from: to, to });
    else if (data.why === "branched") waits.push({ from: Date.parse(events[index - 1]?.at), to });
    else if (kind === "run_resumed" && waits.length) waits.at(-1).to = to;
  }
  return waits;
}

/** How much of the line a wait takes, however long it was: days of waiting leave room for the work. */
const WAIT = 0.06;

/** A function from a time to its place on the line, 0 to 1. */
function scale(all, waits) {
  const [start, end] = [Math.min(...all.map((each) => each.from)), Math.max(...all.map((each) => each.to))];
  const [past, room] = [(each, time) => Math.max(0, Math.min(time, each.to) - each.from), Math.min(0.5, waits.length * WAIT)];
  const work = Math.max(1, end - start - waits.reduce((sum, each) => sum + past(each, end), 0));
  return (time) => {
    const waited = waits.map((each) => past(each, time));
    const share = waits.reduce((sum, each, n) => sum + (waited[n] / Math.max(1, each.to - each.from)) * (room / waits.length), 0);
    return Math.min(1, ((time - start - waited.reduce((sum, each) => sum + each, 0)) / work) * (1 - room) + share);
  };
}

/** The work of a run. `record`: as the server keeps it; `waits`: of `recorded`. */
export function Steps({ run, record, waits }) {
  const timed = [...run.asked, ...run.calls.values(), ...run.agents.values()].filter((each) => each.step);
  const place = scale(timed, waits);
  const line = (item, name, told, facts, status = "") => html`<summary>
    <span class="entry-name">${name}</span><span class="asked">${told}</span>
    ${item.step && html`<span class="lane" aria-hidden="true"><span class="bar" data-kind=${item.kind} data-status=${status} style=${{ "--from": place(item.from).toFixed(4), "--to": place(item.to).toFixed(4) }}></span></span>`}
    <span class="entry-facts">${[item.taken && t("run.taken"), ...facts].filter(Boolean).join(" · ")}</span></summary>`;
  const entry = (summary, body) => html`<${Entry} summary=${summary} body=${body} />`;
  const again = (item) => record.ended_at && item.step && html`<${FromHere} record=${record} step=${item.step} />`;
  const kinds = {
    said: () => null,
    thought: () => null,
    facts: (agent) => html` <small class="took">${[lasted(agent, waits), tokens(agent.items)].filter(Boolean).join(" · ")}</small>`,
    model: (item) => {
      const facts = [item.error && t("status.error"), seconds(item.seconds), tokens([item]), !item.taken && item.cost !== undefined && money(item.cost, record.currency), item.repaired && t("run.repaired")];
      return entry(line(item, t("run.model_call", { purpose: tOr(`purpose.${item.purpose}`, item.purpose) }), replied(item), facts, item.error ? "error" : ""), () => [again(item), html`<${Exchange} item=${item} />`]);
    },
    call: (item) => {
      const found = item.passages?.length ? t("run.found", { n: item.passages.length }) : inShort(item.text ?? "");
      const facts = [item.status !== "ok" && tOr(`status.${item.status}`, item.status), item.seconds !== null && seconds(item.seconds)];
      return entry(line(item, toolName(item.name), [brief(item.args), found].filter(Boolean).join(" → "), facts, item.status), () => [again(item), html`<${Call} item=${item} />`]);
    },
    approval: ({ id }) => {
      const approval = run.approvals.find((each) => each.id === id);
      const did = approval.decision ? tOr(`approval.did.${approval.decision.action}`, approval.decision.action) : t("status.waiting");
      const about = approval.decision?.args ?? approval.args ?? {};
      return entry(line({ kind: "wait" }, t("run.waited"), approval.tool ? `${toolName(approval.tool)} · ${brief(JSON.stringify(about))}` : approval.title, [did]), () => html`
        <p>${approval.title}</p>${approval.decision?.message && html`<blockquote class="quote">${approval.decision.message}</blockquote>`}
        <${Values} values=${about} schema=${approval.schema} />`);
    },
  };
  return html`<div class="run-tree">${run.plan && html`<${Plan} run=${run} />`}<${Tree} run=${run} kinds=${kinds} /></div>`;
}

/** A text in few words: of JSON its texts. */
const inShort = (text) => brief(text) || (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

function tokens(items) {
  const n = items.reduce((sum, each) => sum + (each.kind === "model" ? each.prompt_tokens + each.completion_tokens : 0), 0);
  return n ? t("chat.tokens", { n: number(n) }) : "";
}

/** How long it worked, without the times in which it waited. */
function lasted({ from: begun, to: over, items }, waits) {
  const steps = items.filter((each) => each.from);
  const [from, to] = [begun ?? Math.min(...steps.map((each) => each.from)), Math.max(over ?? 0, ...steps.map((each) => each.to))];
  const idle = waits.reduce((sum, each) => sum + Math.max(0, Math.min(to, each.to) - Math.max(from, each.from)), 0);
  return steps.length > 0 && seconds((to - from - idle) / 1000);
}

/** What a model replied, in few words: what it calls, else what it says. */
function replied({ reply }) {
  const calls = (reply?.tool_calls ?? []).map((each) => `${toolName(each.name)} ${brief(JSON.stringify(each.args))}`.trim());
  return inShort(calls.length ? `→ ${calls.join(", ")}` : (reply?.content ?? ""));
}

/** Folded until opened; what is within is made then: prompts are long. */
class Entry extends Component {
  render({ summary, body }, { open }) {
    const toggled = (event) => this.setState({ open: event.currentTarget.open });
    return html`<details class="entry" onToggle=${toggled}>${summary}<div class="entry-body">${open && body()}</div></details>`;
  }
}

/** `written`: by a model, to be read. */
function Text({ text, written = MARKDOWN_TABLE.test(text) }) {
  const shown = parsed(text) ?? (written ? html`<${Markdown} text=${text} />` : html`<pre tabindex="0">${shorten(text)}</pre>`);
  if (text.length <= LONG) return shown;
  return html`<details class="long"><summary>${inShort(text)} <small>${t("run.chars", { n: number(text.length) })}</small></summary>${shown}</details>`;
}

const part = (title, body) => body && html`<h3>${title}</h3>${body}`;
const Calls = ({ calls }) => calls.map(({ name, args, function: asked }) => part(t("run.tool_call", { name: toolName(name ?? asked.name) }), args ? html`<${Values} values=${args} />` : html`<${Text} text=${asked.arguments ?? ""} />`));

function Exchange({ item: { request, reply, error, model, dialect } }) {
  const { messages = [], tools = [] } = request ?? {};
  const { content, reasoning, tool_calls: calls = [] } = reply ?? {};
  return html`<p class="note">${t("run.model")}: ${model} · ${t("run.dialect")}: ${dialect}</p>
    ${error && html`<p class="error-text">${error}</p>`}
    ${part(t("activity.thought"), reasoning && html`<${Text} text=${reasoning} />`)}
    ${part(t("run.reply"), content && html`<${Text} text=${content} written />`)}<${Calls} calls=${calls} />
    ${part(t("run.tools_offered"), tools.length > 0 && html`<ul class="chips">${tools.map((each) => html`<li class="chip">${toolName(each.function?.name ?? each.name ?? each)}</li>`)}</ul>`)}
    ${part(t("run.prompt"), messages.map((each) => html`<${Message} message=${each} />`))}`;
}

function Message({ message: { role, content, tool_calls: calls = [] } }) {
  const texts = typeof content === "string" ? [content] : (content ?? []).map((each) => each.text ?? `(${t("attach.picture")})`);
  return html`<div class="prompt"><span class="role">${tOr(`run.role.${role}`, role)}</span><div>${texts.filter(Boolean).map((each) => html`<${Text} text=${each} />`)}<${Calls} calls=${calls} /></div></div>`;
}

const Call = ({ item }) => html`${part(t("activity.arguments"), Object.keys(item.given ?? {}).length > 0 && html`<${Values} values=${item.given} />`)}
  ${part(t("activity.result"), item.text && html`<${Text} text=${item.text} />`)}
  ${(item.passages ?? []).map((each) => part([each.title, placeName(each)].filter(Boolean).join(", "), html`<${Text} text=${each.text} />`))}`;

/** What was done before a step is taken over by a new run, which goes on from there, with another model if wanted. */
class FromHere extends Component {
  async begin() {
    const { record, step } = this.props;
    this.setState({ busy: true });
    try {
      const { id: run, session_id: session } = await send("POST", `/v1/runs/${record.id}/again`, { step, ...(this.state.model && { model: this.state.model }) });
      tellTabs("asked", { session, run });
      go(`#/s/${encodeURIComponent(session)}`);
    } catch (error) {
      toast(error.message, "bad");
      this.setState({ busy: false });
    }
  }

  render({ record }, { busy }) {
    const own = record.options?.model ?? "";
    return html`<div class="actions from-here">
      <${Button} name="retry" label=${t("run.from_here")} disabled=${busy} onClick=${() => this.begin()} />
      ${state.models.length > 1 && html`<select aria-label=${t("run.model")} onChange=${(event) => this.setState({ model: event.currentTarget.value })}>
        ${[...(own ? [] : [""]), ...state.models].map((each) => html`<option value=${each} selected=${each === own}>${each || t("model.usual")}</option>`)}
      </select>`}
    </div>`;
  }
}
