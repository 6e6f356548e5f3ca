// Who works and what is called: one line while it goes on, everything behind it when opened.

import { workingNow } from "./fold.js";
import { seconds, t, tOr } from "./i18n.js";
import { agentName, hueOf, noticeText, teamName, toolName } from "./names.js";
import { Component, html } from "./preact.js";

const MOST = 20_000;
const BRIEF = 80;

/** What is folded is not drawn. */
export class Activity extends Component {
  render({ run }, { open }) {
    const working = run.status === "running";
    if (!working && !run.items.length) return null;
    const toggled = (event) => event.currentTarget.open !== Boolean(this.state.open) && this.setState({ open: event.currentTarget.open });
    return html`<details class=${working ? "activity working" : "activity"} onToggle=${toggled}>
      <summary><span class="dot" aria-hidden="true"></span><span class="activity-line">${working ? nowLine(run) : doneLine(run)}</span></summary>
      <div class="activity-body">${open && run.items.map(shown)}</div>
    </details>`;
  }
}

const names = (all, team) => [...new Set(all)].map((each) => agentName(each, team)).join(", ");

function nowLine(run) {
  const { agents, calls, told } = workingNow(run);
  const who = names(agents, run.team);
  if (calls.length) return [t("activity.calling", { who: who || teamName(run.team), what: calls.map(toolName).join(", ") }), told].filter(Boolean).join(" · ");
  return agents.length ? t("activity.working", { who }) : t("activity.thinking");
}

function doneLine(run) {
  const facts = [names([...run.agents.values()].map((each) => each.name), run.team), run.calls.size && t("activity.calls", { n: run.calls.size })];
  if (run.modelCalls) facts.push(t("activity.models", { n: run.modelCalls }));
  return facts.filter(Boolean).join(" · ") || t("activity.past");
}

/** All that was done, in order. */
export const Activities = ({ items }) => html`<div class="activity-items">${items.map(shown)}</div>`;

const Mark = ({ status }) => html`<span class="mark" data-status=${status}>${tOr(`status.${status}`, status)}</span>`;
const shown = (item) => KINDS[item.kind](item);
const note = (text) => html`<p class="note">${text}</p>`;

/** A task carries the results of those before it; its first line says what it is, after a word for models. */
function Task({ text }) {
  const [first, ...rest] = text.replace(/^Task: /, "").trim().split("\n");
  return rest.length ? html`<details class="task"><summary>${first}</summary>${rest.join("\n").trim()}</details>` : html`<p class="task">${first}</p>`;
}

const KINDS = {
  agent: (item) => html`<section class="activity-agent" data-hue=${hueOf(item.name, item.team)}>
    <h4>${agentName(item.name, item.team)} <${Mark} status=${item.status} /></h4>
    <${Task} text=${item.task} />
    <p class="error-text">${item.error}</p>
    <div class="activity-items">${item.items.map(shown)}</div>
  </section>`,
  call: (item) => html`<details class="activity-call">
    <summary><strong>${toolName(item.name)}</strong> <span class="asked">${brief(item.args)}</span> <${Mark} status=${item.status} /> <span class="took">${item.seconds === null ? (item.told ?? "") : seconds(item.seconds)}</span></summary>
    <h5>${t("activity.arguments")}</h5><pre tabindex="0">${pretty(item.args)}</pre>
    <h5>${t("activity.result")}</h5><pre tabindex="0">${item.result === null ? "…" : shorten(item.result)}</pre>
  </details>`,
  said: (item) => html`<details class="activity-call" hidden=${Boolean(item.retracted)}>
    <summary>${t("activity.said")}</summary><p class="thought">${shorten(item.parts.join(""))}</p>
  </details>`,
  thought: (item) => html`<details class="activity-call">
    <summary>${t("activity.thought")}</summary><p class="thought">${item.text}</p>
  </details>`,
  routed: (item) => note(t("activity.routed", { who: names(item.agents, item.team), how: tOr(`routed.${item.how}`, item.how) })),
  notice: (item) => note(noticeText(item)),
  resumed: (item) => note(tOr(`resumed.${item.why}`, t("resumed.recovered"))),
};

/** What a call asks for, in few words: the texts among its arguments. */
export function brief(args) {
  let found;
  try {
    found = Object.values(JSON.parse(args)).flat().filter((each) => typeof each === "string");
  } catch {
    return "";
  }
  const text = found.join(", ");
  return text.length > BRIEF ? `${text.slice(0, BRIEF)}…` : text;
}

/** JSON as people read it; what is no JSON stays as it is. */
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export const shorten = (text) => (text.length > MOST ? `${text.slice(0, MOST)}\n… (${text.length})` : text);
