// Markdown's blocks: a text cut into headings, lists, tables, code and so on. Pure: no elements.
//
// CommonMark with tables, task lists, footnotes and formulas on lines of their own; without HTML and link definitions
// (`[1]` is a citation here).

import { DEPTH } from "./inline.js";

const FENCE = /^ {0,3}(\x60{3,}|~{3,})([^\x60]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
// Four digits before a point are a year.
const ITEM = /^( {0,3})([-*+]|\d{1,3}[.)])( +|\t|$)/;
const NOTE = /^ {0,3}\[\^([\w\uac00-\ud7a3-]{1,40})\]:[ \t]*(.*)$/;
const MATH = { $$: "$$", "\\[": "\\]" };
const BAR = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const blank = (line) => !line.trim();
const indent = (line) => /^ */.exec(line)[0].length;

/**
 * The blocks of `text`: `{kind, raw}` each, and by kind: `lines` of text, `level` of a heading, `info` of code, `rows`
 * and `align` of a table, `items` and `start` of a list, `inner` blocks of a quote. `raw`: what it was made of; `line`:
 * where it begins. What is added to the text changes none but the last.
 */
export const blocks = (text) => cut(text.split("\n").map((line) => line.replace(/\t/g, "    ").replace(/\r$/, "")), 0);

function cut(lines, depth) {
  const found = [];
  let at = 0;
  const take = (kind, end, more) => {
    found.push({ kind, line: at, raw: lines.slice(at, end).join("\n"), ...more });
    at = end;
  };
  while (at < lines.length) {
    const line = lines[at];
    let hit;
    if (blank(line)) at += 1;
    else if (depth >= DEPTH) take("paragraph", lines.length, { lines: lines.slice(at) });
    else if (indent(line) >= 4) {
      let end = at + 1;
      while (end < lines.length && (blank(lines[end]) || indent(lines[end]) >= 4)) end += 1;
      while (blank(lines[end - 1])) end -= 1;
      take("code", end, { info: "", text: lines.slice(at, end).map((each) => each.slice(4)).join("\n") });
    } else if ((hit = FENCE.exec(line))) {
      const closes = new RegExp(`^ {0,3}${hit[1][0]}{${hit[1].length},}[ ]*$`);
      const stop = lines.findIndex((each, index) => index > at && closes.test(each));
      const last = stop < 0 ? lines.length : stop;
      const inner = lines.slice(at + 1, last).map((each) => each.slice(Math.min(indent(line), indent(each))));
      take("code", stop < 0 ? last : stop + 1, { info: hit[2].trim().split(/\s/)[0], text: inner.join("\n"), fenced: true });
    } else if ((hit = mathEnd(lines, at))) take("math", hit, { text: lines.slice(at, hit).join("\n").trim() });
    else if ((hit = HEADING.exec(line))) take("heading", at + 1, { level: hit[1].length, lines: [hit[2] ?? ""] });
    else if (RULE.test(line)) take("rule", at + 1);
    else if (QUOTE.test(line)) {
      let end = at + 1;
      while (end < lines.length && (QUOTE.test(lines[end]) || !interrupts(lines, end))) end += 1;
      take("quote", end, { inner: cut(lines.slice(at, end).map((each) => each.replace(QUOTE, "")), depth + 1) });
    } else if ((hit = NOTE.exec(line))) {
      let end = at + 1;
      while (end < lines.length && !blank(lines[end]) && indent(lines[end]) >= 2) end += 1;
      take("note", end, { name: hit[1], lines: [hit[2], ...lines.slice(at + 1, end)] });
    } else if (ITEM.test(line)) list(lines, at, depth, take);
    else if (isTable(lines, at)) table(lines, at, take);
    else paragraph(lines, at, take);
  }
  return found;
}

/** Whether the line ends a paragraph above it: it is blank, or begins something else. */
function interrupts(lines, at) {
  const line = lines[at];
  if (blank(line) || FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || NOTE.test(line)) return true;
  const item = ITEM.exec(line);
  // A number in the middle of a sentence begins no list, unless it is 1.
  if (item && item[3] && line.length > item[0].length && !/^(?!1[.)])\d/.test(item[2])) return true;
  return mathEnd(lines, at) > 0 || isTable(lines, at);
}

function paragraph(lines, at, take) {
  let end = at + 1;
  while (end < lines.length && !interrupts(lines, end) && !/^ {0,3}=+ *$/.test(lines[end])) end += 1;
  const kept = lines.slice(at, end).map((each, index) => (index ? each.trimStart() : each.trim() ? each.replace(/^ +/, "") : each));
  const under = lines[end];
  if (under !== undefined && /^ {0,3}(?:=+|-+) *$/.test(under) && !/^ {0,3}- *$/.test(under)) {
    return take("heading", end + 1, { level: under.includes("=") ? 1 : 2, lines: kept });
  }
  take("paragraph", end, { lines: kept });
}

/** Where a formula on lines of its own ends, from one that begins with `$$` or `\[`; 0 where none begins or it is not closed. */
function mathEnd(lines, at) {
  const line = lines[at].trim();
  const closes = MATH[line.slice(0, 2)];
  if (!closes) return 0;
  if (line.length > 3 && line.endsWith(closes)) return at + 1;
  const most = Math.min(lines.length, at + 200);
  for (let end = at + 1; end < most; end += 1) if (lines[end].trimEnd().endsWith(closes)) return end + 1;
  return 0;
}

function list(lines, start, depth, take) {
  const first = ITEM.exec(lines[start]);
  const kind = first[2].at(-1);
  const items = [];
  let [at, loose] = [start, false];
  while (at < lines.length) {
    const item = ITEM.exec(lines[at]);
    if (!item || item[2].at(-1) !== kind || RULE.test(lines[at])) break;
    const empty = lines[at].length <= item[0].length;
    const width = item[1].length + item[2].length + (empty || item[3].length > 4 ? 1 : item[3].length);
    const inner = [lines[at].slice(width)];
    let end = at + 1;
    let open = !blank(inner[0]);
    for (; end < lines.length; end += 1) {
      const line = lines[end];
      if (blank(line)) inner.push("");
      else if (indent(line) >= width) inner.push(line.slice(width));
      // Models indent by two or three where the number needs three or four.
      else if (indent(line) >= 2 && ITEM.test(line.trimStart()) && indent(line) > item[1].length) inner.push(line.slice(Math.min(width, indent(line))));
      else if (open && !blank(lines[end - 1]) && !interrupts(lines, end) && !ITEM.test(line)) inner.push(line);
      else break;
      open = true;
    }
    let last = end;
    while (blank(lines[last - 1]) && last > at + 1) last -= 1;
    const goesOn = end < lines.length && ITEM.exec(lines[end])?.[2].at(-1) === kind;
    const made = cut(inner.slice(0, last - at), depth + 2);
    loose ||= (last < end && goesOn) || hasGap(inner.slice(0, last - at), made);
    items.push(made);
    at = goesOn ? end : last;
    if (!goesOn) break;
  }
  take("list", at, { ordered: /\d/.test(first[2]), start: parseInt(first[2], 10), items, loose });
}

/** Whether a blank line stands between the blocks of an item. */
const hasGap = (inner, made) => made.length > 1 && inner.some(blank) && made.some((each) => each.kind === "paragraph" && made.indexOf(each) > 0);

function isTable(lines, at) {
  const [head, bar] = [lines[at], lines[at + 1]];
  return head.includes("|") && bar !== undefined && bar.includes("-") && (bar.includes("|") || head.trim().startsWith("|")) && BAR.test(bar) && cells(head).length === cells(bar).length;
}

function table(lines, at, take) {
  let end = at + 2;
  while (end < lines.length && !blank(lines[end]) && !FENCE.test(lines[end]) && !HEADING.test(lines[end]) && !QUOTE.test(lines[end])) end += 1;
  const align = cells(lines[at + 1]).map((each) => (each.endsWith(":") ? (each.startsWith(":") ? "center" : "right") : each.startsWith(":") ? "left" : ""));
  const rows = [lines[at], ...lines.slice(at + 2, end)].map((line) => {
    const found = cells(line);
    return align.map((_, index) => found[index] ?? "");
  });
  take("table", end, { rows, align });
}

function cells(line) {
  const text = line.trim().replace(/^\|/, "");
  const found = [""];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "\\" && text[at + 1] === "|") (found.push(`${found.pop()}|`), (at += 1));
    else if (text[at] === "|") found.push("");
    else found.push(found.pop() + text[at]);
  }
  if (found.length > 1 && blank(found.at(-1))) found.pop();
  return found.map((each) => each.trim());
}
