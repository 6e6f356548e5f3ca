// The inline part of Markdown, as nodes: emphasis, code, links, marks of citations, formulas. No HTML in, none out.
//
// CommonMark, but for what a page of answers needs: Hangul, Han and kana beside a mark count as a space does
// (`**50%**를`), pictures become links, and `[1]` is a citation. Time grows with the length of the text.

import { formula } from "./formula.js";
import { t } from "./i18n.js";
import { h } from "./preact.js";

/** Levels of emphasis, lists and quotes; what is nested deeper is shown as it is written. */
export const DEPTH = 20;

const UNSEEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
const WIDE = /[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc]/;
const TICK = "\x60";
const SPACE = /\s/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const NAMES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", hellip: "…", mdash: "—", ndash: "–", middot: "·", times: "×" };

// "$5 and $6" are sums of money: a digit follows the second $, or nothing after the first looks like a formula.
const MATH =
  /\$\$(?!\$\$)[^]{1,2000}?\$\$|\\\((?!\\\))[^]{1,2000}?\\\)|\\\[(?!\\\])[^]{1,2000}?\\\]|\$(?![\s$])(?!\d[^\\^_=<>+*/{}$]*\$)[^$\x60]{1,2000}(?<!\s)\$(?!\d)/y;
// Hangul, Han and kana belong to an address where a part of it begins (`/wiki/두레`), else to the sentence around it,
// as do the particles, which stand right behind an address too.
const LETTER = /[\uac00-\ud7a3\u3040-\u30ff\u3400-\u9fff]/.source;
const PARTICLE = /(?:에서?[는도]?|으?로|[를을는은가이와과의도만나랑]|까지|부터|처럼|보다|이?라고|하고|이[고며나]|입니다)/.source;
const SIGN = /[A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]/.source;
const URL_AT = new RegExp(`https?://[A-Za-z0-9](?:${SIGN}|(?<=[/=])(?!${PARTICLE}(?!${LETTER}))${LETTER}+(?:[-_+(]+${LETTER}+)*)*`, "y");
const MARKS = /\[(\d{1,3}(?: ?, ?\d{1,3})*)\](?!\()/y;
const NOTE = /\[\^([\w\uac00-\ud7a3-]{1,40})\]/y;
const AUTO = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>|<([\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})>/y;
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(\w{2,8}));/y;
const BREAK = /<br ?\/?>/iy;
const TARGET = /\(\s*(?:<([^<>\n]*)>|([^\s()<]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/y;
const SAFE = /^(?:https?:\/\/|mailto:)./i;
const SPECIAL = /[\\\x60*_~[\]!<&$\n]|https?:\/\//g;

const matched = (pattern, text, at) => ((pattern.lastIndex = at), pattern.exec(text));

/** `text` without what makes it look different from what it is. */
export const seen = (text) => text.replace(UNSEEN, "");

/**
 * The nodes of one paragraph. `open`: the text is still being written: what is not closed yet counts as closed at its
 * end, and half a mark is not shown.
 */
export function inline(text, open = false, notes = null) {
  const source = open ? text.replace(/(?:[*_~\x60]+|!?\[[\d, ^]*|\\|<[\w/]*|&\w*)$/, "") : text;
  return resolved(tokens(source, open, links(source, open), notes), open);
}

/** Where links begin, and where their text ends: by one look at all brackets. */
function links(text, open) {
  const found = new Map();
  const opened = [];
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    if (mark === "\\") at += 1;
    else if (mark === "[") opened.push(at);
    else if (mark === "]" && opened.length) {
      const start = opened.pop();
      if (text[at + 1] === "(" || (open && at + 1 === text.length)) found.set(start, at);
    }
  }
  // Of a link that is being written its words are there already.
  if (open && opened.length) found.set(opened[0], text.length);
  return found;
}

function tokens(text, open, linked, notes, within = false) {
  const found = [];
  let [at, plain] = [0, ""];
  const flush = () => plain && found.push(plain) && (plain = "");
  const take = (node, end) => (flush(), found.push(node), (at = end));
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const next = SPECIAL.exec(text)?.index ?? text.length;
    plain += text.slice(at, next);
    at = next;
    if (at >= text.length) break;
    const mark = text[at];
    let hit;
    if ((mark === "$" || mark === "\\") && (hit = matched(MATH, text, at))) take(formula("span", hit[0]), at + hit[0].length);
    else if (mark === "\\") {
      if (text[at + 1] === "\n") take(h("br"), at + 1);
      else if (/[!-/:-@[-\x60{-~]/.test(text[at + 1] ?? "")) ((plain += text[at + 1]), (at += 2));
      else ((plain += mark), (at += 1));
    } else if (mark === TICK) {
      const run = /^\x60+/.exec(text.slice(at, at + 200))[0];
      let end = codeEnd(text, at + run.length, run.length);
      if (end < 0 && open) end = text.length;
      if (end < 0) ((plain += run), (at += run.length));
      else take(h("code", null, code(text.slice(at + run.length, end))), Math.min(text.length, end + run.length));
    } else if (mark === "\n") {
      const hard = / {2,}$/.test(plain);
      plain = plain.trimEnd();
      if (hard) take(h("br"), at);
      plain += "\n";
      at += 1;
      while (text[at] === " ") at += 1;
    } else if (mark === "*" || mark === "_" || mark === "~") {
      let end = at;
      while (text[end] === mark) end += 1;
      flush();
      found.push(delimiter(text, at, end));
      at = end;
    } else if (mark === "[" || (mark === "!" && text[at + 1] === "[")) {
      const start = mark === "!" ? at + 1 : at;
      if (!within && mark === "[" && (hit = matched(MARKS, text, at))) {
        const end = at + hit[0].length;
        for (const number of hit[1].split(",")) take(cite(String(Number(number))), end);
      } else if (!within && notes && (hit = matched(NOTE, text, at)) && notes.has(hit[1])) take(noted(notes, hit[1]), at + hit[0].length);
      else if (linked.has(start) && (hit = link(text, start, linked.get(start), open))) {
        const words = text.slice(start + 1, linked.get(start));
        // No link stands within a link: of one that does, and of a picture, the words are shown.
        const flat = mark === "!" || within;
        const shown = flat ? [words.replace(/[*_\x60~[\]]/g, "") || hit.url] : resolved(tokens(words, open, links(words, open), null, true), open);
        if (within || !hit.url) take(shown, hit.end);
        else take(anchor(hit.url, shown), hit.end);
      } else ((plain += text.slice(at, start + 1)), (at = start + 1));
    } else if (mark === "<" && (hit = matched(BREAK, text, at))) take(h("br"), at + hit[0].length);
    else if (mark === "<" && !within && (hit = matched(AUTO, text, at))) take(anchor(hit[1] ?? `mailto:${hit[2]}`, hit[1] ?? hit[2]), at + hit[0].length);
    else if (mark === "&" && (hit = entity(text, at))) ((plain += hit.text), (at = hit.end));
    else if (mark === "h" && !within && (hit = matched(URL_AT, text, at))) {
      const url = trimmed(hit[0]);
      take(anchor(url, url), at + url.length);
    } else ((plain += mark), (at += 1));
  }
  flush();
  return found;
}

function codeEnd(text, from, length) {
  const fence = TICK.repeat(length);
  for (let at = text.indexOf(fence, from); at >= 0; ) {
    let end = at;
    while (text[end] === "`") end += 1;
    if (end - at === length) return at;
    at = text.indexOf(fence, end);
  }
  return -1;
}

function code(text) {
  const flat = text.replace(/\n/g, " ");
  return /^ .* $/.test(flat) && flat.trim() ? flat.slice(1, -1) : flat;
}

function entity(text, at) {
  const hit = matched(ENTITY, text, at);
  if (!hit) return null;
  const number = hit[1] ? Number(hit[1]) : parseInt(hit[2], 16);
  const made = hit[3] ? NAMES[hit[3]] : number > 31 && number < 0x110000 ? seen(String.fromCodePoint(number)) : "\ufffd";
  return made === undefined ? null : { text: made, end: at + hit[0].length };
}

function link(text, start, close, open) {
  const hit = matched(TARGET, text, close + 1);
  if (!hit) return open && !/[\s[]/.test(text.slice(close + 2)) && close + 2000 > text.length ? { url: "", end: text.length } : null;
  const url = hit[1] ?? hit[2];
  return SAFE.test(url) ? { url, end: close + 1 + hit[0].length } : null;
}

/** An address without the punctuation of the sentence that it stands in. */
function trimmed(url) {
  let surplus = url.split(")").length - url.split("(").length;
  let end = url.length;
  while ("?!.,:;*'_~)&".includes(url[end - 1])) {
    if (url[end - 1] === ")" && (surplus -= 1) < 0) break;
    end -= 1;
  }
  return url.slice(0, end);
}

function anchor(href, shown) {
  return h("a", { href, title: href, target: "_blank", rel: "noreferrer noopener nofollow", class: "external" }, shown);
}

const cite = (n) => h("button", { type: "button", class: "cite", "data-n": n, "aria-label": t("source.open", { n }) }, n);

function noted(notes, name) {
  const known = [...notes.keys()];
  return h("sup", { class: "note-mark", title: notes.get(name) }, known.indexOf(name) + 1);
}

/** Marks of emphasis, and whether they may open or close it (CommonMark 6.2). */
function delimiter(text, start, end) {
  const [before, after] = [text[start - 1] ?? " ", text[end] ?? " "];
  const apart = (each) => SPACE.test(each) || WIDE.test(each);
  const [stopsBefore, stopsAfter] = [PUNCTUATION.test(before), PUNCTUATION.test(after)];
  const left = !SPACE.test(after) && (!stopsAfter || stopsBefore || apart(before));
  const right = !SPACE.test(before) && (!stopsBefore || stopsAfter || apart(after));
  const splits = text[start] !== "_";
  const opens = left && (splits || !right || stopsBefore);
  const closes = right && (splits || !left || stopsAfter);
  return { mark: text[start], count: end - start, whole: end - start, opens, closes };
}

const isMark = (each) => each && each.mark !== undefined;

/** Tokens as nodes: each mark that closes takes the nearest that opens; what is left over is text. */
function resolved(found, open) {
  const stack = [];
  const floors = {};
  const nodes = [];
  const close = (to, tag) => {
    // Whatever was opened within and never closed is text.
    const inner = stack.splice(to + 1);
    return h(tag, null, [...stack[to].after, ...inner.flatMap((each) => [each.mark.repeat(each.count), ...each.after])]);
  };
  const add = (node) => (stack.length ? stack.at(-1).after : nodes).push(node);
  for (const each of found) {
    if (!isMark(each)) {
      add(each);
      continue;
    }
    while (each.closes && each.count) {
      const key = `${each.mark}${each.opens}${each.whole % 3}`;
      const floor = floors[key] ?? 0;
      let at = stack.length - 1;
      while (at >= floor && !pairs(stack[at], each)) at -= 1;
      if (at < floor) {
        floors[key] = stack.length;
        break;
      }
      const from = stack[at];
      const used = each.mark === "~" ? 2 : Math.min(2, from.count, each.count);
      const made = close(at, each.mark === "~" ? "s" : used === 2 ? "strong" : "em");
      from.count -= used;
      each.count -= used;
      from.after = [];
      if (!from.count) stack.pop();
      for (const name of Object.keys(floors)) floors[name] = Math.min(floors[name], stack.length);
      add(made);
    }
    if (!each.count) continue;
    if (each.opens && stack.length < DEPTH) stack.push({ ...each, after: [] });
    else add(each.mark.repeat(each.count));
  }
  while (stack.length) {
    const last = stack.pop();
    const closed = open && last.after.length && (last.mark !== "~" || last.count > 1);
    const tag = last.mark === "~" ? "s" : last.count > 1 ? "strong" : "em";
    const left = closed ? [h(tag, null, last.after)] : [last.mark.repeat(last.count), ...last.after];
    for (const node of left) add(node);
  }
  return nodes;
}

function pairs(from, to) {
  if (from.mark !== to.mark) return false;
  if (from.mark === "~") return from.count >= 2 && to.count >= 2;
  // CommonMark's rule of three.
  return !((from.closes || to.opens) && (from.whole + to.whole) % 3 === 0 && (from.whole % 3 || to.whole % 3));
}
