// One question with its answer, and the way to what was asked in its place: nothing is lost.

import { Answer, Question } from "./answer.js";
import { t } from "./i18n.js";
import { IconButton } from "./icons.js";
import { html } from "./preact.js";

/** `entry.asked.branches`: the ids of all questions in its place, itself among them (null: it has none yet). `walk(id)`
    goes to one of them; without it one stays where one is. */
export function Exchange({ entry, acts, edit, walk }) {
  const { asked } = entry;
  return [
    asked && html`<${Question} text=${asked.content} edit=${edit} />`,
    asked?.branches?.length > 1 && html`<${Steps} all=${asked.branches} at=${asked.branches.indexOf(asked.id ?? null)} walk=${walk} />`,
    html`<${Answer} key=${entry.key} entry=${entry} acts=${acts} />`,
  ];
}

const Steps = ({ all, at, walk }) => html`<nav class="branches" aria-label=${t("branches")}>
  <${IconButton} name="chevron" class="icon-button back" label=${t("branches.before")} disabled=${!walk || at === 0} onClick=${() => walk(all[at - 1])} />
  <span aria-live="polite">${at + 1} / ${all.length}</span>
  <${IconButton} name="chevron" label=${t("branches.after")} disabled=${!walk || at === all.length - 1} onClick=${() => walk(all[at + 1])} />
</nav>`;
