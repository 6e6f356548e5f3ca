// What stood in a question's place before it was asked anew: nothing is lost, one walks there and back.

import { Answer, Question } from "./answer.js";
import { newRun } from "./fold.js";
import { t } from "./i18n.js";
import { IconButton } from "./icons.js";
import { Component, html } from "./preact.js";

/** Give each of `entries` as `earlier` the runs, oldest first, that it took the place of; `runs`: newest first. Returns
    those in whose place nothing stands yet. */
export function giveEarlier(entries, runs) {
  const begun = new Map(runs.map((each) => [each.id, each.created_at]));
  const there = new Set(entries.map(({ run }) => run.id));
  const left = [];
  for (const each of runs.toReversed()) {
    if (there.has(each.id)) continue;
    const entry = entries.find(({ run }) => begun.get(run.id) > each.created_at);
    if (entry) (entry.earlier ??= []).push(each);
    else left.push(each);
  }
  return left;
}

/** A question with its answer, or one of those before; once drawn, the answer alone draws itself anew. */
export class Exchange extends Component {
  constructor() {
    super();
    Object.assign(this, { past: new Map(), state: { at: null } });
  }

  shouldComponentUpdate(_, next) {
    return next.at !== this.state.at;
  }

  /** The entry of a run that is no longer asked; its record is read when it comes into view. */
  entryOf({ id, message, team }) {
    const run = { ...newRun(id), team, status: "completed" };
    if (!this.past.has(id)) this.past.set(id, { key: id, asked: { content: message }, run, rating: null, recorded: false });
    return this.past.get(id);
  }

  render({ entry, acts, edit }, { at }) {
    const earlier = entry.earlier ?? [];
    const now = at ?? earlier.length;
    const old = now < earlier.length && this.entryOf(earlier[now]);
    const shown = old || entry;
    return [
      shown.asked && html`<${Question} text=${shown.asked.content} edit=${old ? null : edit} />`,
      earlier.length > 0 && html`<${Steps} at=${now} all=${earlier.length + 1} move=${(to) => this.setState({ at: to })} />`,
      html`<${Answer} key=${shown.key} entry=${shown} acts=${old ? { seen: acts.seen } : acts} />`,
    ];
  }
}

const Steps = ({ at, all, move }) => html`<nav class="branches" aria-label=${t("branches")}>
  <${IconButton} name="chevron" class="icon-button back" label=${t("branches.before")} disabled=${at === 0} onClick=${() => move(at - 1)} />
  <span aria-live="polite">${at + 1} / ${all}</span>
  <${IconButton} name="chevron" label=${t("branches.after")} disabled=${at === all - 1} onClick=${() => move(at + 1)} />
</nav>`;
