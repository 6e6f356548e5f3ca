// What was held against the sources, and which sentences say more than these: told below the answer, and marked in it.

import { t } from "./i18n.js";
import { inline } from "./inline.js";
import { Component, h, html } from "./preact.js";

const MARKED = "unsure";

/** `checks`: `{sentence, missing}` each, as the run tells them. */
export class Checks extends Component {
  constructor() {
    super();
    this.ranges = [];
  }

  componentDidMount() {
    this.mark();
  }

  componentDidUpdate() {
    this.mark();
  }

  componentWillUnmount() {
    const marked = globalThis.CSS?.highlights?.get(MARKED);
    for (const each of this.ranges) if (each) marked?.delete(each);
  }

  /** Mark the sentences without touching them: an answer's nodes are its Markdown's. */
  mark() {
    const text = this.base.closest("article")?.querySelector(".md");
    if (!text || !globalThis.CSS?.highlights) return;
    this.componentWillUnmount();
    const marked = CSS.highlights.get(MARKED) ?? new Highlight();
    this.ranges = found(text, this.props.checks.map((each) => each.sentence));
    for (const each of this.ranges) if (each) marked.add(each);
    CSS.highlights.set(MARKED, marked);
  }

  render({ checks }) {
    const go = (index) => this.ranges[index]?.startContainer.parentElement.scrollIntoView({ block: "center" });
    return html`<details class="checks">
      <summary>${t("checks.title", { n: checks.length })}</summary>
      <p class="note">${t("checks.about")}</p>
      <ul>${checks.map((each, index) => html`<li><button type="button" class="check-row" onClick=${() => go(index)}>
        <q>${still(inline(plain(each.sentence)))}</q><small>${each.missing.length ? t("checks.missing", { what: each.missing.join(", ") }) : t("checks.general")}</small>
      </button></li>`)}</ul>
    </details>`;
  }
}

/** As it is said within a line: a row of a table without its bars, a formula without a line of its own. */
const plain = (text) => (text.startsWith("|") ? text.replace(/^\||\|$/g, "").split("|").map((each) => each.trim()).join(" · ") : text.replaceAll("$$", "$"));

/** Nodes without links and buttons: the row is a button itself. */
function still(node) {
  if (Array.isArray(node)) return node.map(still);
  if (typeof node?.type !== "string") return node;
  const acts = node.type === "a" || node.type === "button";
  return h(acts ? "span" : node.type, acts ? null : { ...node.props, children: undefined }, still(node.props.children));
}

const bare = (text) => text.replace(/[\s*_\x60~|\\]/g, "");

/** Where each sentence stands in `host`, as a range, or null. Marks of emphasis, blanks and numbers of citations do not
    count. */
function found(host, sentences) {
  const walk = document.createTreeWalker(host, NodeFilter.SHOW_TEXT, (node) => (node.parentElement.closest("button, figcaption") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
  const places = [];
  let whole = "";
  while (walk.nextNode()) {
    const node = walk.currentNode;
    for (let at = 0; at < node.data.length; at += 1) {
      if (!bare(node.data[at])) continue;
      places.push([node, at]);
      whole += node.data[at];
    }
  }
  return sentences.map((each) => {
    const wanted = bare(each);
    const start = wanted ? whole.indexOf(wanted) : -1;
    if (start < 0) return null;
    const range = new Range();
    range.setStart(...places[start]);
    const [node, at] = places[start + wanted.length - 1];
    range.setEnd(node, at + 1);
    return range;
  });
}
