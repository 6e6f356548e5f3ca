// Markdown as nodes, also while it is being written: a block that is finished is made once and stays as it is.

import { blocks } from "./blocks.js";
import { copyText } from "./copy.js";
import { t } from "./i18n.js";
import { formula } from "./formula.js";
import { icon } from "./icons.js";
import { inline, seen } from "./inline.js";
import { Component, h } from "./preact.js";

// So many blocks are kept from layout together where they are out of sight: a frame's work grows with what it touches.
const PIECE = 24;

/** `text` as nodes. `open`: its end is still being written. */
export class Markdown extends Component {
  constructor() {
    super();
    Object.assign(this, { before: "", kept: [] });
  }

  shouldComponentUpdate(next) {
    return next.text !== this.props.text || next.open !== this.props.open;
  }

  render({ text, open }) {
    const found = this.cut(text);
    const notes = new Map(found.filter((each) => each.kind === "note").map((each) => [each.name, each.lines.join(" ")]));
    const shown = found.filter((each) => each.kind !== "note");
    const nodes = [];
    for (let at = 0; at < shown.length; at += PIECE) {
      const last = open && at + PIECE >= shown.length;
      nodes.push(h(Piece, { key: at, found: shown.slice(at, at + PIECE), open: Boolean(last), notes }));
    }
    if (notes.size && !open) nodes.push(h("ol", { class: "notes" }, [...notes.values()].map((each) => h("li", null, inline(each)))));
    return h("div", { class: open ? "md" : "md finished" }, nodes);
  }

  /** The blocks of `text`: those before the last are kept while the text grows. */
  cut(text) {
    if (!text.startsWith(this.before)) Object.assign(this, { before: "", kept: [] });
    const rest = text.slice(this.before.length);
    const found = blocks(seen(rest));
    const finished = found.slice(0, -1);
    if (finished.length) {
      const lines = rest.split("\n", found.at(-1).line);
      this.before += `${lines.join("\n")}\n`;
      this.kept = [...this.kept, ...finished];
    }
    return finished.length ? [...this.kept, found.at(-1)] : [...this.kept, ...found];
  }
}

const differs = (before, next) => next.open !== before.open || next.notes.size !== before.notes.size;

class Piece extends Component {
  shouldComponentUpdate(next) {
    const { found } = this.props;
    return differs(this.props, next) || next.found.length !== found.length || next.found.some((each, index) => each !== found[index]);
  }

  render({ found, open, notes }) {
    const last = found.length - 1;
    const nodes = found.map((each, index) => h(Block, { key: index, block: each, open: open && index === last, notes }));
    return h("div", { class: found[0].kind === "heading" ? "piece headed" : "piece" }, nodes);
  }
}

class Block extends Component {
  shouldComponentUpdate(next) {
    return differs(this.props, next) || next.block.raw !== this.props.block.raw;
  }

  render({ block, open, notes }) {
    return made(block, open, notes);
  }
}

const made = (block, open, notes) => MAKE[block.kind](block, open, notes);
const words = (lines, open, notes) => inline(lines.join("\n").trimEnd(), open, notes);

const MAKE = {
  paragraph(block, open, notes) {
    // A line that may yet become a table's head waits for the next one.
    if (open && block.lines.length < 3 && /^\s*\|/.test(block.lines[0])) return null;
    return h("p", null, words(block.lines, open, notes));
  },
  heading: (block, open, notes) => h(`h${block.level}`, null, words(block.lines, open, notes)),
  rule: (block, open) => (open ? null : h("hr")),
  math: (block) => formula("div", block.text),
  quote: (block, open, notes) => h("blockquote", null, inner(block.inner, open, notes)),
  code: (block, open) => h(Code, { info: block.info, open, text: open ? block.text.replace(/\n?\x60{1,3}$/, "") : block.text }),
  list(block, open, notes) {
    const start = block.ordered && block.start !== 1 ? block.start : undefined;
    const items = block.items.map((each, index) => item(each, block.loose, open && index === block.items.length - 1, notes));
    return h(block.ordered ? "ol" : "ul", { start }, items);
  },
  table: (block, open, notes) => table(block, open, notes),
  note: () => null,
};

const inner = (found, open, notes) => found.map((each, index) => made(each, open && index === found.length - 1, notes));

function item(found, loose, open, notes) {
  const task = found[0]?.kind === "paragraph" && /^\[([ xX])\] +/.exec(found[0].lines[0]);
  const nodes = found.map((each, index) => {
    const last = open && index === found.length - 1;
    if (each.kind !== "paragraph") return made(each, last, notes);
    const lines = task && index === 0 ? [each.lines[0].slice(task[0].length), ...each.lines.slice(1)] : each.lines;
    return loose ? h("p", null, words(lines, last, notes)) : words(lines, last, notes);
  });
  if (!task) return h("li", null, nodes);
  const done = task[1] !== " ";
  return h("li", { class: done ? "task done" : "task" }, h("span", { class: "box", role: "img", "aria-label": t(done ? "md.done" : "md.open") }, done && icon("check")), nodes);
}

const NUMBER = /^[-+−(]?[$€£¥₩]?[\d.,]+\s?(?:[%\uac00-\ud7a3]{1,2}|[A-Z]{3})?\)?$/;

/** A wide table scrolls by itself; the page never does. Numbers stand on one line, digit below digit. */
function table({ rows: [head, ...rows], align }, open, notes) {
  const cell = (tag, last) => (text, column) => {
    const plain = text.replace(/[*_\x60]|\[\d+\]/g, "").trim();
    const kinds = [align[column], NUMBER.test(plain) && "number"].filter(Boolean).join(" ");
    return h(tag, { class: kinds || undefined }, inline(text, open && last && column === align.length - 1, notes));
  };
  return h(
    "div",
    { class: "table", tabIndex: 0, role: "group", "aria-label": t("chat.table") },
    h("table", null, h("thead", null, h("tr", null, head.map(cell("th", false)))), h("tbody", null, rows.map((row, index) => h("tr", null, row.map(cell("td", index === rows.length - 1)))))),
  );
}

/** Code with the name of its language, and a button that copies it; coloured once it is written. */
class Code extends Component {
  componentDidMount() {
    this.colour();
  }

  componentDidUpdate() {
    this.colour();
  }

  async colour() {
    const { info, text, open } = this.props;
    if (open || !info || this.state.of === text) return;
    const { coloured } = await import("./colours.js");
    this.setState({ of: text, parts: coloured(text, info) });
  }

  render({ info, text }, { of, parts }) {
    const name = /^[\w+#.-]{1,40}$/.test(info) ? info : "";
    const copy = h("button", { type: "button", class: "icon-button", "aria-label": t("copy"), title: t("copy"), onClick: (event) => copyText(text, event.currentTarget) }, icon("copy"));
    const shown = parts && of === text ? parts.map(([kind, part]) => (kind ? h("span", { class: `code-${kind}` }, part) : part)) : text;
    const drawing = name === "mermaid" && h("small", null, t("md.drawing"));
    return h("figure", { class: "code-block" }, h("figcaption", null, h("span", null, name, drawing && " ", drawing), copy), h("pre", { tabIndex: 0 }, h("code", { class: name && `language-${name}` }, shown)));
  }
}
