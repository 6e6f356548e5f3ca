// A file that a run made, to be looked at: a picture, Markdown, a table, text. Its bytes are data: a picture is drawn
// as one, in which no script runs.

import { dataUrl, request } from "./api.js";
import { t } from "./i18n.js";
import { Skeleton } from "./icons.js";
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
      else this.setState({ text: await reply.text() });
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
    if (file.media_type.startsWith("text/csv")) return html`<${Table} rows=${rowsOf(text)} />`;
    return html`<pre tabindex="0">${text}</pre>`;
  }
}

const NUMBER = /^[-+]?[\d.,]+%?$/;

/** `marked`: the numbers of rows to be pointed out. Numbers stand to the right, and so does the head of a column whose first row has one. */
export function Table({ rows: [head = [], ...rows], marked }) {
  const kind = (text) => (NUMBER.test(text ?? "") ? "number right" : "");
  return html`<div class="md"><div class="table" tabindex="0" role="group" aria-label=${t("chat.table")}><table>
    <thead><tr>${head.map((each, index) => html`<th class=${kind(rows[0]?.[index]) && "right"}>${each}</th>`)}</tr></thead>
    <tbody>${rows.slice(0, ROWS).map((row, number) => html`<tr class=${marked?.has(number) && "marked"} aria-current=${marked?.has(number) ? "true" : undefined}>${head.map((_, index) => html`<td class=${kind(row[index])}>${row[index]}</td>`)}</tr>`)}</tbody>
  </table></div>${rows.length > ROWS && html`<p class="note">${t("artifacts.rows", { shown: ROWS, n: rows.length })}</p>`}</div>`;
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
