// The sources below an answer, and the way to the document behind each. The panel itself is loaded when first wanted.

import { h } from "./dom.js";
import { t } from "./i18n.js";
import { toast } from "./toast.js";

/** Open a citation's document beside the answer. `opener` gets the focus back. */
export async function openSource(citation, opener) {
  if (!citation) return toast(t("source.unknown"));
  const { openPanel } = await import("./views/panel.js");
  openPanel(citation, opener);
}

export function sourceList(citations) {
  if (!citations.length) return null;
  const shown = citations.map((each) => h("li", {}, chip(each)));
  return h("section.sources", { "aria-label": t("source.title") }, h("h3", {}, t("source.title")), h("ol", {}, shown));
}

function chip(citation) {
  const onclick = (event) => openSource(citation, event.currentTarget);
  const place = citation.page ? t("source.page", { page: citation.page }) : "";
  return h(
    "button.source-chip",
    { type: "button", onclick, title: citation.quote },
    citation.marker && h("span.source-number", {}, citation.marker),
    h("span.source-name", {}, citation.title),
    place && h("small", {}, place),
    h("q", {}, citation.quote),
  );
}
