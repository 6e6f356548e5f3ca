// Markdown is rendered and sanitised by the server (POST /v1/render): the one place where markup is taken as such.

import { send } from "./api.js";
import { t } from "./i18n.js";

const rendered = new Map();
const KEPT = 400;

/** The server's HTML for a text; a text is asked for once. */
export function render(text) {
  let found = rendered.get(text);
  if (!found) {
    found = send("POST", "/v1/render", { text }).then((reply) => reply.html);
    found.catch(() => rendered.delete(text));
    rendered.set(text, found);
    if (rendered.size > KEPT) rendered.delete(rendered.keys().next().value);
  }
  return found;
}

/** Show the server's HTML in `element`. Nothing else in the page sets markup. */
export function showHtml(element, html) {
  element.innerHTML = html;
  dress(element);
}

function dress(element) {
  for (const cite of element.querySelectorAll("button.cite")) {
    cite.textContent = cite.dataset.n;
    cite.setAttribute("aria-label", t("source.open", { n: cite.dataset.n }));
  }
  for (const table of element.querySelectorAll("div.table")) {
    // A wide table scrolls by itself; the page never does.
    table.tabIndex = 0;
    table.setAttribute("role", "region");
    table.setAttribute("aria-label", t("chat.table"));
  }
  for (const code of element.querySelectorAll("pre")) code.tabIndex = 0;
}

const FENCE = /^ {0,3}(```|~~~|\$\$|\\\[)/;
const CLOSES = { "```": "```", "~~~": "~~~", $$: "$$", "\\[": "\\]" };
const GOES_ON = /^(\s|[-*+] |\d+[.)] |>|\|)/;

/**
 * Where the last finished block of `text` ends, from `start` on: a border is a blank line outside of fences after
 * which something new begins. A list goes on over blank lines.
 */
export function blockEnd(text, start) {
  let [end, fence, blank, at] = [start, "", false, start];
  while (at < text.length) {
    const stop = text.indexOf("\n", at);
    if (stop < 0) break;
    const line = text.slice(at, stop);
    const mark = FENCE.exec(line)?.[1];
    if (fence) {
      if (line.trim().startsWith(fence) || ("$\\".includes(fence[0]) && line.trim().endsWith(fence))) fence = "";
    } else if (mark) {
      if (blank) end = at;
      const one = "$\\".includes(mark[0]) && line.trim().length > 3 && line.trim().endsWith(CLOSES[mark]);
      if (!one) fence = CLOSES[mark];
    } else if (!line.trim()) {
      blank = true;
    } else {
      if (blank && !GOES_ON.test(line)) end = at;
    }
    if (line.trim()) blank = false;
    at = stop + 1;
  }
  // The line that is being written: it begins a new block if it surely is none of the old one's.
  const tail = text.slice(at);
  if (!fence && blank && tail.trim() && tail.length > 2 && !GOES_ON.test(tail)) end = at;
  return end;
}
