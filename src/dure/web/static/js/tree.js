// What was done for an answer, as a tree of agents with what each did.

import { seconds, t, tOr } from "./i18n.js";
import { agentName, hueOf, names, noticeText, toolName } from "./names.js";
import { html } from "./preact.js";

const MOST = 20_000;
const BRIEF = 80;

/** All that was done, in order. `kinds`: how some of it is drawn here, and `facts` of agents. */
export const Tree = ({ run, kinds = {} }) => html`<${Activities} items=${byAgent(run, kinds)} kinds=${kinds} />`;

/** What is done in nobody's work is the one agent's of a team, or the lead's. */
function byAgent(run, kinds) {
  const found = [];
  for (const item of run.items.filter(({ kind }) => kinds[kind] ?? KINDS[kind])) {
    const whose = item.kind === "approval" ? run.approvals.find(({ id }) => id === item.id).agent : item.agent;
    const last = found.at(-1);
    if (whose === undefined) (item.kind === "agent" || last?.of === undefined ? found : last.items).push(item);
    else if (last?.of === whose) last.items.push(item);
    else found.push({ kind: "agent", of: whose, name: whose || t("run.lead"), team: run.team, task: "", error: "", status: OF_RUN[run.status] ?? run.status, items: [item] });
  }
  return found;
}

const OF_RUN = { running: "working", completed: "done" };

const Activities = ({ items, kinds }) => html`<div class="activity-items">${items.map((each) => (kinds[each.kind] ?? KINDS[each.kind])?.(each, kinds))}</div>`;

const Mark = ({ status }) => html`<span class="mark" data-status=${status}>${tOr(`status.${status}`, status)}</span>`;
const note = (text) => html`<p class="note">${text}</p>`;

/** A task carries the results of those before it; its first line says what it is, after a word for models. */
function Task({ text }) {
  const [first, ...rest] = text.replace(/^Task: /, "").trim().split("\n");
  return rest.length ? html`<details class="task"><summary>${first}</summary>${rest.join("\n").trim()}</details>` : html`<p class="task">${first}</p>`;
}

const KINDS = {
  agent: (item, kinds) => html`<details class="activity-agent" data-hue=${hueOf(item.name, item.team)} open>
    <summary><strong>${agentName(item.name, item.team)}</strong> <${Mark} status=${item.status} />${kinds.facts?.(item)}</summary>
    <${Task} text=${item.task} />
    <p class="error-text">${item.error}</p>
    <${Activities} items=${item.items} kinds=${kinds} />
  </details>`,
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
  let text;
  try {
    text = texts(JSON.parse(args)).join(", ");
  } catch {
    return "";
  }
  return text.length > BRIEF ? `${text.slice(0, BRIEF)}…` : text;
}

const texts = (value) => (typeof value === "string" ? [value] : value && typeof value === "object" ? Object.values(value).flatMap(texts) : []);

/** JSON as people read it; what is no JSON stays as it is. */
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export const shorten = (text) => (text.length > MOST ? `${text.slice(0, MOST)}\n… (${text.length})` : text);
