// Questions to begin with, made from one's own documents: each stands under a heading that is really there.

import { getJson } from "./api.js";
import { t } from "./i18n.js";
import { isOwn } from "./names.js";

const DOCUMENTS = 4;
const QUESTIONS = 6;
// Of a longer document its passages are not all read for a question.
const LONG = 400;
const TABLES = new Set(["csv", "xlsx", "xls", "xlsb", "ods", "parquet"]);
// "제8조 (재택근무)", "3.1 정보 등급", "Article 5. Travel": what it is called, without its number.
const NUMBERED = /^(?:제\s*\d+\s*[편장절관조](?:의\d+)?|Article\s+\d+|Section\s+[\d.]+|\d+(?:\.\d+)*[.)]?(?=\s))[\s.:]*/i;

/** Up to six, of the newest documents among `documents` that can be searched; the same at each visit. */
export async function questionsOf(documents) {
  const ready = documents.filter((each) => each.status === "ready" && !TABLES.has(each.kind)).sort((a, b) => b.created_at.localeCompare(a.created_at)).slice(0, DOCUMENTS);
  const lists = await Promise.all(ready.map(ofDocument));
  const turns = Math.max(0, ...lists.map((each) => each.length));
  return Array.from({ length: turns }, (_, turn) => lists.map((each) => each[turn]).filter(Boolean)).flat().slice(0, QUESTIONS);
}

async function ofDocument({ id, title, passages: n }) {
  const found = n <= LONG ? (await getJson(`/v1/documents/${encodeURIComponent(id)}/passages`)).passages : [];
  const all = [...new Set(found.map((each) => subject(each.context)))];
  // In the page's language: of a small model an answer across languages is often wrong.
  const headings = all.filter((each) => each && isOwn(each) && (asks(each) || isOwn(title)) && plain(each) !== plain(title) && each.length <= 40);
  if (!headings.length) return [];
  // From within it: what stands first is most often the title once more.
  const chosen = [headings[Math.floor(headings.length / 2)], headings.at(-1), headings[0]];
  return [...new Set(chosen)].map((each) => (asks(each) ? each : t("welcome.ask_heading", { title, heading: each })));
}

const asks = (heading) => /[?？]$/.test(heading);
const plain = (text) => text.replace(/\s/g, "");

/** The innermost heading by its name. */
function subject(context) {
  const last = context.split(" › ").at(-1).replace(NUMBERED, "").trim();
  return /^\[.*\]$/.test(last) ? "" : (/^[(（](.+)[)）]$/.exec(last)?.[1] ?? last);
}
