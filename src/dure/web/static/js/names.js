// What agents, teams and tools are called by people: as their makers say, in the page's language.

import { language, t, tOr } from "./i18n.js";
import { state } from "./state.js";

const HANGUL = /[\uac00-\ud7a3]/;

/** Of a text in two languages ("… · …") the part in the page's. */
export function own(text) {
  const parts = text.split(" · ");
  if (parts.length !== 2 || HANGUL.test(parts[0]) === HANGUL.test(parts[1])) return text;
  return parts.find((each) => HANGUL.test(each) === (language() === "ko"));
}

export const isOwn = (text) => HANGUL.test(text) === (language() === "ko");

export const teamName = (name) => own(state.teams.find((each) => each.name === name)?.title || name);

/** The name of people in plans, which no agent may have. */
const PERSON = "hitl";

/** An agent's: as its team has it, else as whoever has one of that name. */
export function agentName(name, team) {
  if (name === PERSON) return t("plan.person");
  const first = state.teams.filter((each) => each.name === team);
  const found = [...first, ...state.teams].flatMap((each) => each.agents).find((each) => each.name === name);
  return own(found?.title || name);
}

/** Those of agents, each once. */
export const names = (all, team) => [...new Set(all)].map((each) => agentName(each, team)).join(", ");

const HUES = 6;

/** Which of the colours of agents an agent of a team has: each another, up to six. */
export function hueOf(name, team) {
  const at = state.teams.find((each) => each.name === team)?.agents.findIndex((each) => each.name === name) ?? -1;
  return at < 0 ? undefined : String(at % HUES);
}

/** A tool's: of one that people brought themselves, its name. */
export const toolName = (name) => tOr(`tool.${name}`, name);

/** A field's: as its schema names it where that is in the page's language, else as such fields are usually called. */
export function fieldName(name, schema) {
  const title = schema?.title ?? "";
  if (title && isOwn(own(title))) return own(title);
  return tOr(`field.${name}`, title ? own(title) : name.replaceAll("_", " "));
}

/** What a run tells of itself, in the page's language, where such is known by its `code`. */
export const noticeText = ({ code, text }) => tOr(`reason.${code}`, text);

/** Where in its document a passage or citation stands: its sheet, slide or page, or "". */
export function placeName({ page, sheet, slide }) {
  if (sheet) return t("source.sheet", { sheet });
  if (slide) return t("source.slide", { slide });
  return page ? t("source.page", { page }) : "";
}
