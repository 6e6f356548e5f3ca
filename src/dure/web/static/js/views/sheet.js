// Sheets as a document's text has them: a name in brackets, titles, a line of heads, and rows of "head: value | head: value".

export const SHEETS = new Set(["csv", "xlsx", "xls", "xlsb", "ods"]);
export const SLIDES = new Set(["pptx", "ppt", "odp"]);
const NAME = /^\[.+\]$/;

/** Rows of cells; the first of several has the heads. */
export function rowsOfSheet(lines) {
  const rows = lines.filter((each) => each.trim()).map(cellsOf);
  const at = Math.max(0, rows.findIndex((row) => row.length > 1));
  return [...rows.slice(0, at), ...under(rows[at] ?? [], rows.slice(at + 1))];
}

const cellsOf = (line) => line.split(" | ");

/** The heads, and rows with each cell under the head that it names: what a row does not name is empty in it, and what
    has no name of these stands behind the others. */
function under(heads, rows) {
  const named = rows.map((cells) => {
    const row = [];
    const rest = cells.filter((cell) => {
      const column = heads.findIndex((head, index) => row[index] === undefined && cell.startsWith(`${head}: `));
      if (column >= 0) row[column] = cell.slice(heads[column].length + 2);
      return column < 0;
    });
    return row.length ? [...heads.map((_, index) => row[index] ?? ""), ...rest] : rest;
  });
  return [heads, ...named];
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
  const rows = shown.map(({ line }) => cellsOf(line));
  const heads = new Set(rows.flat().map((cell) => cell.slice(0, Math.max(0, cell.indexOf(": ")))).filter(Boolean));
  return { rows: under([...heads], rows), marked: new Set(shown.flatMap(({ cited }, index) => (cited ? [index] : []))) };
}
