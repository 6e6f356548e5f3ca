// A document, or a file that a run made, to be read whole: a PDF or picture by its pages, Markdown and tables as such, of
// anything else its text, by pages where it has some. Long documents come piece by piece.

import { getJson, query } from "../api.js";
import { number, t } from "../i18n.js";
import { Button, Skeleton } from "../icons.js";
import { Markdown } from "../markdown.js";
import { placeName } from "../names.js";
import { Component, html } from "../preact.js";
import { Preview, Titled } from "../preview.js";
import { Marked } from "./marked.js";
import { Picture, PICTURES } from "./picture.js";
import { rowsOfSheet, SHEETS, SLIDES } from "./sheet.js";

const PIECE = 20_000;
// A table's file is read at once.
const MOST = 2 << 20;

/** `document` as `GET /v1/documents/{id}` gives it. */
export function Whole({ document }) {
  const { id, kind, title, name, size } = document;
  const path = `/v1/documents/${encodeURIComponent(id)}`;
  if (PICTURES.has(kind)) return html`<${Picture} citation=${{ document_id: id, title, page: 1 }} document=${document} />
    <details class="preview"><summary>${t("source.as_text")}</summary><${Text} path=${path} kind=${kind} /></details>`;
  if (kind === "csv" && size <= MOST) return html`<${Preview} path=${`${path}/original`} file=${{ name, media_type: "text/csv" }} />`;
  return html`<${Text} path=${path} kind=${kind} />`;
}

/** `file`, at `path`, that a run made. It is read for this. */
export class Made extends Component {
  constructor() {
    super();
    this.gone = new AbortController();
  }

  async componentDidMount() {
    const { signal } = this.gone;
    await getJson(`${this.props.path}/text`, { signal }).then(
      (read) => this.setState({ read }),
      (error) => error.name !== "AbortError" && this.setState({ problem: error.message }),
    );
  }

  componentWillUnmount() {
    this.gone.abort();
  }

  render({ path, file: { name } }, { read, problem }) {
    if (problem) return html`<p class="note">${problem}</p>`;
    if (!read) return html`<${Skeleton} />`;
    const text = html`<div class="whole">${shown(read.kind, headed(read), read.pages)}</div>
      ${read.end < read.chars && html`<p class="note">${t("artifacts.cut", { shown: number(read.end), n: number(read.chars) })}</p>`}`;
    if (read.kind !== "pdf") return text;
    return html`<${Picture} path=${path} citation=${{ title: name, page: 1 }} document=${{ pages: read.count }} />
      <details class="preview"><summary>${t("source.as_text")}</summary>${text}</details>`;
  }
}

class Text extends Component {
  constructor() {
    super();
    Object.assign(this, { gone: new AbortController(), state: { text: "", pages: [], chars: null, problem: "" } });
  }

  componentDidMount() {
    this.more();
  }

  componentWillUnmount() {
    this.gone.abort();
  }

  async more() {
    const { text, pages } = this.state;
    const start = Array.from(text).length;
    try {
      const slice = await getJson(`${this.props.path}/text${query({ start: start || undefined, end: start + PIECE })}`, { signal: this.gone.signal });
      const fresh = slice.pages.filter((each) => !pages.some(({ page }) => page === each.page));
      this.setState({ text: text + slice.text, pages: [...pages, ...fresh], chars: slice.chars });
    } catch (error) {
      if (error.name !== "AbortError") this.setState({ problem: error.message });
    }
  }

  render({ kind }, { text, pages, chars, problem }) {
    if (problem) return html`<p class="note">${problem}</p>`;
    if (chars === null) return html`<${Skeleton} />`;
    const characters = Array.from(text);
    return html`<div class="whole">${shown(kind, characters, pages)}${characters.length < chars && html`<${Button} name="down" label=${t("more")} onClick=${() => this.more()} />`}</div>`;
  }
}

/** The characters of a text, headings marked as in Markdown. */
function headed({ text, start, headings }) {
  const characters = Array.from(text);
  for (const [level, at] of headings) characters[at - start] = `${"#".repeat(Math.min(level, 6))} ${characters[at - start]}`;
  return characters;
}

function shown(kind, characters, pages) {
  if (SHEETS.has(kind)) return html`<${Sheets} text=${characters.join("")} />`;
  return kind === "markdown" ? html`<${Markdown} text=${characters.join("")} />` : byPages(characters, pages, SLIDES.has(kind));
}

/** Offsets count characters, not UTF-16 units; a page ends where the next begins. */
function byPages(characters, pages, slides) {
  if (pages.length < 2) return html`<${Marked} before=${characters.join("")} />`;
  return pages.map(({ page, start }, index) => {
    const place = placeName({ page, slide: slides && page });
    return html`<section aria-label=${place}><small>${place}</small>
      <${Marked} before=${characters.slice(start, pages[index + 1]?.start).join("").trim()} /></section>`;
  });
}

/** The sheets of a document's text, each under its name. */
function Sheets({ text }) {
  return text.split(/^(?=\[[^\]\n]+\]$)/m).filter((each) => each.trim()).map((each) => {
    const lines = each.trim().split("\n");
    const name = /^\[(.+)\]$/.exec(lines[0])?.[1];
    return html`${name && html`<h3>${name}</h3>`}<${Titled} rows=${rowsOfSheet(lines.slice(name ? 1 : 0))} />`;
  });
}
