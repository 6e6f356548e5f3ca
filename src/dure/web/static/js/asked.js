// What is asked: words, and below them the names of the documents that came with them, as teams read them.

import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { html } from "./preact.js";

const NAMED = /\n\n"[^"\n]+"(?:, "[^"\n]+")*$/;

/** A document's title, as a question names it. */
export const quoted = (title) => `"${title}"`;

/** The words with the titles below them. */
export const withFiles = (words, titles) => (titles.length ? `${words}\n\n${titles.map(quoted).join(", ")}` : words);

/** Whether it is the page's own: that an answer which broke off be gone on with. */
export const goesOn = (text) => text === t("chat.go_on_please");

/** The words without these. */
export const wordsOf = (text) => text.replace(NAMED, "");

/** The titles as chips. */
export function Named({ text }) {
  const titles = text.slice(wordsOf(text).length).trim();
  return titles !== "" && html`<ul class="asked-pictures">${titles.slice(1, -1).split('", "').map((each) => html`<li class="file-chip">${icon("file")}<span>${each}</span></li>`)}</ul>`;
}
