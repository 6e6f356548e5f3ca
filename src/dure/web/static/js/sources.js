// The sources below an answer, and the way to the document behind each. The panel itself is loaded when first wanted.

import { t } from "./i18n.js";
import { html } from "./preact.js";
import { toast } from "./toast.js";

/** Open a citation's document beside the answer. `opener` gets the focus back. */
export async function openSource(citation, opener) {
  if (!citation) return toast(t("source.unknown"));
  const { openPanel } = await import("./views/panel.js");
  openPanel(citation, opener);
}

export function Sources({ citations }) {
  if (!citations.length) return null;
  return html`<section class="sources" aria-label=${t("source.title")}>
    <h3>${t("source.title")}</h3>
    <ol>${citations.map((each) => html`<li><${Chip} citation=${each} /></li>`)}</ol>
  </section>`;
}

const Chip = ({ citation }) => html`<button type="button" class="source-chip" title=${citation.quote} onClick=${(event) => openSource(citation, event.currentTarget)}>
  ${citation.marker && html`<span class="source-number">${citation.marker}</span>`}
  <span class="source-name">${citation.title}</span>
  ${citation.page && html`<small>${t("source.page", { page: citation.page })}</small>`}
  <q>${citation.quote}</q>
</button>`;
