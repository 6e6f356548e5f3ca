// One question with its answer, and the way to what was asked in its place: nothing is lost.

import { Answer, Question } from "./answer.js";
import { goesOn, Named } from "./asked.js";
import { t } from "./i18n.js";
import { IconButton, Lazy } from "./icons.js";
import { Component, html } from "./preact.js";

/** `entry.asked.branches`: the ids of all questions in its place, itself among them (null: it has none yet). `walk(id)`
    goes to one of them; without it one stays where one is. */
export function Exchange({ entry, acts, edit, walk }) {
  const { asked } = entry;
  return [
    asked?.images?.length > 0 && html`<${Pictures} images=${asked.images} />`,
    asked && html`<${Named} text=${asked.content} />`,
    asked && (goesOn(asked.content) ? html`<p class="told">${t("chat.went_on")}</p>` : html`<${Question} text=${asked.content} edit=${edit} />`),
    asked?.branches?.length > 1 && html`<${Steps} all=${asked.branches} at=${asked.branches.indexOf(asked.id ?? null)} walk=${walk} />`,
    html`<${Answer} key=${entry.key} entry=${entry} acts=${acts} />`,
  ];
}

const preview = () => import("./preview.js");

/** What was asked about: an address of what was sent just now, or a run's name for it. */
const Pictures = ({ images }) => html`<div class="asked-pictures">${images.map((each) => {
  if (each.startsWith("data:")) return html`<figure class="picture"><img src=${each} alt=${t("attach.picture")} /></figure>`;
  const [run, id] = each.split("/");
  return html`<${Lazy} from=${preview} name="Preview" path=${`/v1/runs/${run}/artifacts/${id}`} file=${{ name: t("attach.picture"), media_type: "image/" }} />`;
})}</div>`;

/** Where a step goes counts at once: who steps again before it is drawn goes on from there. */
class Steps extends Component {
  async go(to) {
    const { all, walk } = this.props;
    this.setState({ to });
    await walk(all[to]);
    if (this.state.to === to) this.setState({ to: undefined });
  }

  render({ all, walk, at }, { to = at }) {
    return html`<nav class="branches" aria-label=${t("branches")}>
      <${IconButton} name="chevron" class="icon-button back" label=${t("branches.before")} disabled=${!walk || to === 0} onClick=${() => this.go(to - 1)} />
      <span aria-live="polite">${to + 1} / ${all.length}</span>
      <${IconButton} name="chevron" label=${t("branches.after")} disabled=${!walk || to === all.length - 1} onClick=${() => this.go(to + 1)} />
    </nav>`;
  }
}
