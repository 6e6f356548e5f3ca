// The sources of an answer: by document below it, as a card at each number, and the way to the side where they are read.

import { grouped } from "./cited.js";
import { t } from "./i18n.js";
import { placeName } from "./names.js";
import { html, render } from "./preact.js";
import { toast } from "./toast.js";

/** Open the side; `opener` gets the focus back. It is loaded when first wanted. */
export async function openBeside(what, opener) {
  const { openSide } = await import("./views/side.js");
  openSide(what, opener);
}

/** Open a citation's document. `entry`: the answer that it is of, if any. */
export function openSource(citation, opener, entry) {
  return citation ? openBeside({ entry, citation }, opener) : toast(t("source.unknown"));
}

export function Sources({ citations, entry }) {
  if (!citations.length) return null;
  return html`<section class="sources" role="group" aria-label=${t("source.title")}>
    <h2>${t("source.title")}</h2>
    <ul>${grouped(citations).map(({ title, found }) => html`<li class="source-document">
      <span class="source-name">${title}</span>${found.map((each) => html`<${Chip} citation=${each} entry=${entry} alone=${found.length === 1} />`)}
    </li>`)}</ul>
  </section>`;
}

/** What several sentences of one document say is told by their cards. */
const Chip = ({ citation, entry, alone }) => html`<button type="button" class="source-chip" title=${citation.quote} onClick=${(event) => openSource(citation, event.currentTarget, entry)}>
  ${citation.marker && html`<span class="source-number">${citation.marker}</span>`}
  ${alone && html`<q>${citation.quote}</q>`}
  ${placeName(citation) && html`<small>${placeName(citation)}</small>`}
</button>`;

const card = Object.assign(document.createElement("div"), { className: "card-host" });
document.body.append(card);

/** At a number that the pointer or the focus is on: whose sentence it is, and which. Without one: no more. It stands
    outside of the answer, which is cut at its edges. */
export function showCard(citation, number) {
  if (!citation) return render(null, card);
  const at = number.getBoundingClientRect();
  const style = { left: `${Math.max(8, Math.min(at.left - 20, innerWidth - 348))}px`, top: `${at.bottom + 6}px` };
  render(html`<div class="hover-card" role="tooltip" style=${style}>
    <strong>${citation.title}</strong>${placeName(citation) && html`<small>${placeName(citation)}</small>`}
    <q>${citation.quote}</q>
  </div>`, card);
}
