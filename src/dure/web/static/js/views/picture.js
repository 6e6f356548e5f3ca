// The pages of a PDF, or of a picture, as they look, with a box where a sentence stands.

import { getJson, query, request } from "../api.js";
import { t } from "../i18n.js";
import { IconButton } from "../icons.js";
import { Component, html } from "../preact.js";

const WIDTH = 1000;
/** Kinds of documents that have such. */
export const PICTURES = new Set(["pdf", "picture"]);

/** Pages of what stands at `path`, a document's without it. */
export class Picture extends Component {
  constructor({ citation, path }) {
    super();
    Object.assign(this, { gone: new AbortController(), urls: [], path: path ?? `/v1/documents/${encodeURIComponent(citation.document_id)}` });
    // A picture of one page does not number it.
    this.first = citation.page ?? 1;
    this.state = { page: this.first, url: "", boxes: [], failed: false };
  }

  componentDidMount() {
    this.turn(0);
    if (this.props.citation.end > 0) this.find();
  }

  /** Where the sentence stands. A page that has to be read for that takes a second; without it the page stands alone. */
  async find() {
    const { start, end } = this.props.citation;
    const path = `${this.path}/pages/${this.first}/boxes${query({ start, end })}`;
    const { boxes } = await getJson(path, { signal: this.gone.signal }).catch(() => ({ boxes: [] }));
    this.setState({ boxes });
  }

  componentWillUnmount() {
    this.gone.abort();
    for (const url of this.urls) URL.revokeObjectURL(url);
  }

  async turn(by) {
    const { document } = this.props;
    const page = Math.min(Math.max(1, this.state.page + by), document.pages ?? this.state.page);
    this.setState({ page });
    try {
      const path = `${this.path}/pages/${page}.png?width=${WIDTH}`;
      const url = URL.createObjectURL(await (await request(path, { signal: this.gone.signal })).blob());
      this.urls.push(url);
      if (page === this.state.page) this.setState({ url });
    } catch (error) {
      if (error.name !== "AbortError") this.setState({ failed: true });
    }
  }

  render({ citation, document }, { page, url, boxes, failed }) {
    if (failed) return html`<p class="note">${t("source.no_picture")}</p>`;
    return html`<figure class="page-figure">
      <div class="page-frame">${url && html`<div class="page-sheet">
        <img class="page-picture" src=${url} alt=${t("source.page_picture", { title: citation.title, page })} />
        ${page === this.first && boxes.map((each) => html`<span class="page-box" style=${placed(each)}></span>`)}</div>`}</div>
      <figcaption>
        <${IconButton} name="chevron" label=${t("source.previous")} class="icon-button back" disabled=${page <= 1} onClick=${() => this.turn(-1)} />
        <span class="page-number" aria-live="polite">${page} / ${document.pages ?? "?"}</span>
        <${IconButton} name="chevron" label=${t("source.next")} disabled=${page >= (document.pages ?? page)} onClick=${() => this.turn(1)} />
      </figcaption>
    </figure>`;
  }
}

/** Left, top, right, bottom in shares of the page, a little wider than the letters. */
function placed([left, top, right, bottom]) {
  const share = (value) => `${(value * 100).toFixed(2)}%`;
  return { left: share(left - 0.004), top: share(top - 0.004), width: share(right - left + 0.008), height: share(bottom - top + 0.008) };
}
