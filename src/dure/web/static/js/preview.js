// A file that a run made, to be looked at: a picture, Markdown, a table, text. Its bytes are data: a picture is drawn
// as one, in which no script runs.

import { dataUrl, request } from "./api.js";
import { t } from "./i18n.js";
import { Button, Skeleton } from "./icons.js";
import { Markdown } from "./markdown.js";
import { Component, html } from "./preact.js";

const ROWS = 200;

/** `file`: {name, media_type}, at `path`; `table`: the rows that a picture was drawn from, as Markdown. */
export class Preview extends Component {
  constructor() {
    super();
    this.gone = new AbortController();
  }

  async componentDidMount() {
    const { path, file } = this.props;
    try {
      const reply = await request(path, { signal: this.gone.signal });
      // The same address each time, unlike a blob's: the picture is the same after a reload.
      if (file.media_type.startsWith("image/")) this.setState({ picture: await dataUrl(await reply.blob()) });
      else this.setState({ text: decoded(await reply.arrayBuffer()) });
    } catch (error) {
      if (error.name !== "AbortError") this.setState({ problem: error.message });
    }
  }

  componentWillUnmount() {
    this.gone.abort();
  }

  render({ file, table }, { picture, text, problem }) {
    if (problem) return html`<p class="note">${problem}</p>`;
    if (picture) return html`<figure class="picture">
      <img src=${picture} alt=${file.name} />
      ${table && html`<details><summary>${t("artifacts.table")}</summary><${Markdown} text=${table} /></details>`}
    </figure>`;
    if (text === undefined) return html`<${Skeleton} />`;
    if (file.media_type.startsWith("text/markdown")) return html`<${Markdown} text=${text} />`;
    if (file.media_type.startsWith("text/csv")) return html`<${Titled} rows=${rowsOf(text)} />`;
    return html`<pre tabindex="0">${text}</pre>`;
  }
}

/** A text file's bytes as text: UTF-16 by its mark, else UTF-8 or CP949, whichever loses less. */
function decoded(bytes) {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  const marked = { 0xfffe: "utf-16le", 0xfeff: "utf-16be" }[first * 256 + second];
  const readings = (marked ? [marked] : ["utf-8", "euc-kr"]).map((name) => new TextDecoder(name).decode(bytes));
  const [best] = readings.sort((a, b) => a.split("\ufffd").length - b.split("\ufffd").length);
  return best;
}

const NUMBER = /^[-+]?[\d.,]+%?$/;
const filled = (row) => row.filter((cell) => cell?.trim()).length;

/** Rows as a file has them: above the first of several cells, which is the heads, stand titles. */
export function Titled({ rows }) {
  const heads = Math.max(0, rows.findIndex((row) => filled(row) > 1));
  return html`${rows.slice(0, heads).map((row) => html`<p>${row.join(" ").trim()}</p>`)}<${Table} rows=${rows.slice(heads)} />`;
}

/** The first row is the heads; what stands alone in its row, such as a note, takes all columns. `marked`: the numbers of
    rows to be pointed out. Numbers stand to the right, and so does the head of a column whose first row has one. */
export class Table extends Component {
  render({ rows: [head = [], ...rows], marked }, { most = ROWS }) {
    const width = [head, ...rows].reduce((widest, row) => Math.max(widest, row.length), 0);
    const columns = Array.from({ length: width }, (_, index) => index);
    const kind = (text) => (NUMBER.test(text ?? "") ? "number right" : "");
    const cells = (row) => (row.length === 1 && width > 1 ? html`<td colspan=${width}>${row[0]}</td>` : columns.map((index) => html`<td class=${kind(row[index])}>${row[index]}</td>`));
    return html`<div class="md"><div class="table" tabindex="0" role="group" aria-label=${t("chat.table")}><table>
      <thead><tr>${columns.map((index) => html`<th class=${kind(rows[0]?.[index]) && "right"}>${head[index]}</th>`)}</tr></thead>
      <tbody>${rows.slice(0, most).map((row, number) => html`<tr class=${marked?.has(number) && "marked"} aria-current=${marked?.has(number) ? "true" : undefined}>${cells(row)}</tr>`)}</tbody>
    </table></div>${rows.length > most && html`<p class="note">${t("artifacts.rows", { shown: most, n: rows.length })}</p><${Button} name="down" label=${t("more")} onClick=${() => this.setState({ most: most + ROWS })} />`}</div>`;
  }
}

/** The rows of a CSV file (RFC 4180), with commas, semicolons or tabs. */
export function rowsOf(text) {
  const first = text.slice(0, (text.indexOf("\n") + 1 || text.length + 1) - 1);
  const comma = [",", ";", "\t"].reduce((best, each) => (first.split(each).length > first.split(best).length ? each : best));
  const rows = [[]];
  const cell = new RegExp(`("(?:[^"]|"")*"?|[^${comma}\\r\\n]*)(${comma}|\\r?\\n|\\r|$)`, "y");
  while (cell.lastIndex < text.length) {
    const [, value, end] = cell.exec(text) ?? [];
    if (end === undefined) break;
    rows.at(-1).push(value.startsWith('"') ? value.slice(1).replace(/"$/, "").replace(/""/g, '"') : value);
    if (end !== comma) rows.push([]);
  }
  return rows.filter((row) => row.length > 1 || row[0]);
}
