// Who works and what is called: one line while it goes on, everything behind it when opened.

import { workingNow } from "./fold.js";
import { t } from "./i18n.js";
import { Lazy } from "./icons.js";
import { names, teamName, toolName } from "./names.js";
import { Component, html } from "./preact.js";

const tree = () => import("./tree.js");

/** What is folded is not drawn. */
export class Activity extends Component {
  render({ run }, { open }) {
    const working = run.status === "running";
    if (!working && !worked(run)) return null;
    const toggled = (event) => event.currentTarget.open !== Boolean(this.state.open) && this.setState({ open: event.currentTarget.open });
    return html`<details class=${working ? "activity working" : "activity"} onToggle=${toggled}>
      <summary><span class="dot" aria-hidden="true"></span><span class="activity-line">${working ? nowLine(run) : doneLine(run)}</span></summary>
      <div class="activity-body">${open && html`<${Lazy} from=${tree} name="Tree" run=${run} />`}</div>
    </details>`;
  }
}

function nowLine(run) {
  const { agents, calls, told } = workingNow(run);
  const who = names(agents, run.team);
  if (calls.length) return [t("activity.calling", { who: who || teamName(run.team), what: calls.map(toolName).join(", ") }), told].filter(Boolean).join(" · ");
  return agents.length ? t("activity.working", { who }) : t("activity.thinking");
}

function doneLine(run) {
  const facts = [names([...run.agents.values()].map((each) => each.name), run.team), run.calls.size && t("activity.calls", { n: run.calls.size })];
  const answered = run.asked.filter((each) => !each.error).length;
  if (answered) facts.push(t("activity.models", { n: answered }));
  return facts.filter(Boolean).join(" · ") || t("activity.past");
}

/** Whether anything was done that is drawn (`tree.js`). */
export const worked = (run) => run.items.some(({ kind }) => kind !== "model" && kind !== "approval");
