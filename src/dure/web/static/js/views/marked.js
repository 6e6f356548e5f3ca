// A document's text as its reader would see it, with the cited sentence marked at its place: headings, lists,
// and rows of "name: value | name: value" as a table under the line of its heads. All else stands as it is written. The marks are
// set before anything is drawn.

import { t } from "../i18n.js";
import { html } from "../preact.js";

const HEADING = /^(#{1,6}) +(?=\S)/;
const ITEM = /^( *)[-*•] +(?=\S)/;
// What is left of a word where a text is cut off.
const BROKEN = { before: /^\S{0,40}\s+(?=\S)/, after: /(?<=\S)\s+\S{0,40}$/ };

/** `before`, `cited` and `after` are one text; `cutBefore` and `cutAfter` say that more stands there: it is shown by
 * whole words then. */
export function Marked({ before = "", cited = "", after = "", cutBefore = false, cutAfter = false }) {
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
  let above = [];
  for (const [index, line] of lines.entries()) {
    const end = start + line.length;
    const cut = (index === 0 && cutBefore) || (index === lines.length - 1 && cutAfter);
    const cells = cut ? [] : cellsOf(line, start);
    const level = !cut && HEADING.exec(line)?.[1].length;
    const item = !cut && ITEM.exec(line);
    const last = found.at(-1);
    const row = named(cells) && last?.kind === "rows" && under(last.heads, cells);
    if (level) found.push({ kind: "heading", level, start: start + HEADING.exec(line)[0].length, end });
    else if (row) last.rows.push(row);
    else if (named(cells) && cells.length > 1) found.push(begun(found, above, cells));
    else if (item) listed(found).push({ deep: item[1].length, start: start + item[0].length, end });
    else if (last?.kind === "text") last.end = end;
    // Heads and tables keep their distance by themselves.
    else if (line.trim()) found.push({ kind: "text", start, end });
    above = cells;
    start = end + 1;
  }
  return found;
}

/** The items of the list that the text ends in, or of a new one. */
function listed(found) {
  if (found.at(-1)?.kind !== "list") found.push({ kind: "list", items: [] });
  return found.at(-1).items;
}

/** A table with its first row; the line above it, where it names all its columns, is its heads and stands there alone. */
function begun(found, above, cells) {
  const text = found.at(-1);
  const heads = above.map(({ from: start, end, text: name }) => ({ name, start, end }));
  const row = text?.kind === "text" && under(heads, cells);
  if (!row) return { kind: "rows", heads: cells.map(({ name }) => ({ name })), rows: [cells] };
  text.end = heads[0].start - 1;
  if (text.end < text.start) found.pop();
  return { kind: "rows", heads, rows: [row] };
}

/** Cells each in its column, with nothing where one is empty; null where there is one of no column. */
function under(heads, cells) {
  const row = [];
  let column = -1;
  for (const cell of cells) {
    const after = column;
    column = heads.findIndex(({ name }, index) => index > after && name === cell.name);
    if (column < 0) return null;
    row[column] = cell;
  }
  return row;
}

const named = (cells) => cells.length > 0 && cells.every((each) => each.name);

/** A line's cells: `{text, from, name, start, end}`, of which the value stands from `start` behind a name. */
function cellsOf(line, from) {
  return line.split(" | ").map((text) => {
    const at = text.indexOf(": ");
    const cell = { text, from, name: text.slice(0, Math.max(0, at)), start: from + at + 2, end: from + text.length };
    from += text.length + 3;
    return cell;
  });
}

const DRAWN = {
  text: ({ start, end }, piece) => html`<div>${piece(start, end)}</div>`,
  heading: ({ level, start, end }, piece) => html`<${`h${Math.min(6, level + 2)}`}>${piece(start, end)}<//>`,
  list: ({ items }, piece) => html`<ul>${items.map(({ deep, start, end }) => html`<li style=${{ marginInlineStart: `${deep / 2}em` }}>${piece(start, end)}</li>`)}</ul>`,
  rows: ({ heads, rows }, piece) => html`<div class="md"><div class="table" tabindex="0" role="group" aria-label=${t("chat.table")}><table>
    <thead><tr>${heads.map(({ name, start, end }) => html`<th scope="col">${end ? piece(start, end) : name}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${heads.map((_, column) => html`<td>${row[column] && piece(row[column].start, row[column].end)}</td>`)}</tr>`)}</tbody>
  </table></div></div>`,
};
