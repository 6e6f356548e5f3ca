// Sheets as a document's text has them: a name in brackets, a line of heads, and rows of "head: value | head: value".

export const SHEETS = new Set(["csv", "xlsx", "xls", "xlsb", "ods"]);
const NAME = /^\[.+\]$/;

/** Rows of cells, the first the heads; what a row does not name is empty in it. */
export function rowsOfSheet([first = "", ...lines]) {
  const head = first.split(" | ");
  const rows = lines.filter((each) => each.trim()).map((line) => {
    const cells = line.split(" | ");
    const named = new Map(cells.map((cell) => head.map((each) => cell.startsWith(`${each}: `) && [each, cell.slice(each.length + 2)]).find(Boolean)).filter(Boolean));
    return named.size ? head.map((each) => named.get(each) ?? "") : cells;
  });
  return [head, ...rows];
}

/** The rows of a slice of a document's text in the sheet where the citation stands, and which of them it cites:
    `{rows, marked}`; null where it cites none. Offsets count characters. */
export function citedRows({ text, start, chars }, citation) {
  let at = start;
  const all = text.split("\n").map((line) => {
    const from = at;
    at += Array.from(line).length + 1;
    return { line, cited: from < citation.end && at - 1 > citation.start && line.includes(": ") };
  });
  // Lines that the slice cuts are no whole rows.
  const whole = all.slice(start > 0 ? 1 : 0, at - 1 < chars ? -1 : undefined);
  const first = whole.findIndex((each) => each.cited);
  if (first < 0) return null;
  const begins = whole.findLastIndex(({ line }, index) => index < first && NAME.test(line)) + 1;
  const ends = whole.findIndex(({ line }, index) => index > first && NAME.test(line));
  const shown = whole.slice(begins, ends < 0 ? undefined : ends).filter(({ line }) => line.includes(": "));
  const heads = new Set(shown.flatMap(({ line }) => line.split(" | ").map((each) => each.slice(0, Math.max(0, each.indexOf(": "))))));
  const lines = [[...heads].filter(Boolean).join(" | "), ...shown.map((each) => each.line)];
  return { rows: rowsOfSheet(lines), marked: new Set(shown.flatMap(({ cited }, index) => (cited ? [index] : []))) };
}
