// A document's text as its reader would see it, with the cited sentence marked at its place: headings, and rows of
// "name: value | name: value" as a table. All else stands as it is written. The marks are set before anything is drawn.

import { t } from "../i18n.js";
import { html } from "../preact.js";

const HEADING = /^(#{1,6}) +(?=\S)/;
// What is left of a word where a text is cut off.
const BROKEN = { before: /^\S{0,40}\s+(?=\S)/, after: /(?<=\S)\s+\S{0,40}$/ };

/** `before`, `cited` and `after` are one text; `cutBefore` and `cutAfter` say that more stands there: it is shown by
 * whole words then. */
export function Marked({ before, cited, after, cutBefore, cutAfter }) {
  if (cutBefore) before = before.replace(BROKEN.before, "");
  if (cutAfter) after = after.replace(BROKEN.after, "");
  const whole = before + cited + after;
  const [from, to] = [before.length, before.length + cited.length];
  const piece = (start, end) => {
    const [first, last] = [Math.max(start, from), Math.min(end, to)];
    if (first >= last) return whole.slice(start, end);
    return [whole.slice(start, first), html`<mark tabindex="-1">${whole.slice(first, last)}</mark>`, whole.slice(last, end)];
  };
  const found = blocks(whole, cutBefore, cutAfter);
  const drawn = found.map((each) => DRAWN[each.kind](each, piece));
  return html`<div class="source-text">${cutBefore && "… "}${drawn}${cutAfter && " …"}</div>`;
}

/** The lines of a text by kind, with where they stand in it. Those that are cut off are no heading and no row. */
function blocks(text, cutBefore, cutAfter) {
  const found = [];
  const lines = text.split("\n");
  let start = 0;
  for (const [index, line] of lines.entries()) {
    const end = start + line.length;
    const cut = (index === 0 && cutBefore) || (index === lines.length - 1 && cutAfter);
    const cells = cut ? [] : cellsOf(line, start);
    const level = !cut && HEADING.exec(line)?.[1].length;
    const names = cells.map((each) => each.name).join("\n");
    const last = found.at(-1);
    if (level) found.push({ kind: "heading", level, start: start + HEADING.exec(line)[0].length, end });
    else if (names && last?.names === names) last.rows.push(cells);
    else if (names) found.push({ kind: "rows", names, rows: [cells] });
    else if (last?.kind === "text") last.end = end;
    // Heads and tables keep their distance by themselves.
    else if (line.trim()) found.push({ kind: "text", start, end });
    start = end + 1;
  }
  return found;
}

/** Each cell's name, and where its value stands; none where the line is no row. */
function cellsOf(line, start) {
  const cells = [];
  for (const cell of line.split(" | ")) {
    const at = cell.indexOf(": ");
    cells.push({ name: cell.slice(0, Math.max(0, at)), start: start + at + 2, end: start + cell.length });
    start += cell.length + 3;
  }
  return cells.length > 1 && cells.every((each) => each.name) ? cells : [];
}

const DRAWN = {
  text: ({ start, end }, piece) => html`<div>${piece(start, end)}</div>`,
  heading: ({ level, start, end }, piece) => html`<${`h${Math.min(6, level + 2)}`}>${piece(start, end)}<//>`,
  rows: ({ rows }, piece) => html`<div class="md"><div class="table" tabindex="0" role="group" aria-label=${t("chat.table")}><table>
    <thead><tr>${rows[0].map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map(({ start, end }) => html`<td>${piece(start, end)}</td>`)}</tr>`)}</tbody>
  </table></div></div>`,
};
