// A citation's document at the passage with the sentence marked; of a PDF or picture its page, with a box where the
// sentence stands; without a passage the document whole.

import { getJson, query } from "../api.js";
import { t } from "../i18n.js";
import { icon, Lazy, Skeleton } from "../icons.js";
import { placeName } from "../names.js";
import { Component, html } from "../preact.js";
import { Table } from "../preview.js";
import { Marked } from "./marked.js";
import { Picture, PICTURES } from "./picture.js";
import { citedRows, SHEETS } from "./sheet.js";

const AROUND = 1500;
// Above a picture of the whole page little text is enough.
const AROUND_PICTURE = 220;
const whole = () => import("./whole.js");

export class Source extends Component {
  constructor() {
    super();
    this.gone = new AbortController();
    this.state = { slice: null, document: null, error: null };
  }

  async componentDidMount() {
    const { citation } = this.props;
    const at = `/v1/documents/${encodeURIComponent(citation.document_id)}`;
    try {
      const document = await getJson(at, { signal: this.gone.signal });
      if (!citation.end) return this.setState({ document });
      const around = PICTURES.has(document.kind) ? AROUND_PICTURE : AROUND;
      const reach = { start: Math.max(0, citation.start - around), end: citation.end + around };
      const slice = await getJson(`${at}/text${query(reach)}`, { signal: this.gone.signal });
      this.setState({ document, slice }, () => this.base?.querySelector("mark, .marked")?.scrollIntoView({ block: "center" }));
    } catch (error) {
      if (error.name !== "AbortError") this.setState({ error });
    }
  }

  componentWillUnmount() {
    this.gone.abort();
  }

  render({ citation }, { slice, document, error }) {
    const external = citation.url && safeLink(citation.url);
    return html`<div class="source">
      <h2>${citation.title}</h2>${citation.end > 0 && placeName(citation) && html`<small>${placeName(citation)}</small>`}
      ${external}
      ${document && !citation.end && html`<${Lazy} from=${whole} name="Whole" document=${document} />`}
      ${!slice && !error && citation.end > 0 && html`<${Skeleton} />`}
      ${slice && this.text(citation, slice, SHEETS.has(document.kind) && citedRows(slice, citation))}
      ${PICTURES.has(document?.kind) && citation.end > 0 && html`<${Picture} citation=${citation} document=${document} />`}
      ${error && lost(citation, error, external)}
    </div>`;
  }

  /** The text around, with the cited sentence marked, or the rows around with those `found` to be cited. Offsets count characters, not UTF-16 units. */
  text(citation, slice, found) {
    if (found) return html`<${Table} ...${found} />`;
    const characters = Array.from(slice.text);
    const cut = (from, to) => characters.slice(Math.max(0, from - slice.start), Math.max(0, to - slice.start)).join("");
    const end = slice.start + characters.length;
    return html`<${Marked} before=${cut(slice.start, citation.start)} cited=${cut(citation.start, citation.end)} after=${cut(citation.end, end)} cutBefore=${slice.start > 0} cutAfter=${end < slice.chars} />`;
  }
}

/** A web page was never kept; a deleted document is no longer there: the sentence is. */
function lost(citation, error, external) {
  const gone = error.code === "not_found";
  return html`<h3>${t("source.quote")}</h3><blockquote class="quote"><mark>${citation.quote}</mark></blockquote>
    ${!(external && gone) && html`<p class="note">${gone ? t("source.gone") : error.message}</p>`}`;
}

/** A link to a page on the web, which says where it leads; none for anything else. */
function safeLink(url) {
  if (!/^https?:\/\//i.test(url)) return null;
  return html`<p class="external-source"><a class="button" href=${url} target="_blank" rel="noreferrer noopener nofollow">${icon("external")}${t("source.external")}</a><small>${url}</small></p>`;
}
