// An empty page tells already what to ask: the teams, who works in them, and questions to begin with.

import { h, icon } from "./dom.js";
import { t } from "./i18n.js";
import { state } from "./state.js";

/** `choose(team, example?)` when one is picked. */
export function welcome(chosen, choose) {
  const team = state.teams.find((each) => each.name === chosen) ?? state.teams[0];
  return h(
    "section.welcome",
    { "aria-label": t("welcome.title") },
    h("h1", {}, t("welcome.title")),
    h("p.lead", {}, t("welcome.lead")),
    h("div.team-tabs", { role: "group", "aria-label": t("chat.team") }, state.teams.map((each) => tab(each, each === team, choose))),
    team && shown(team, choose),
    h("p.welcome-links", {}, h("a", { href: "#/documents" }, t("welcome.documents")), h("a", { href: "#/start" }, t("welcome.start"))),
  );
}

function tab(team, pressed, choose) {
  return h("button.team-tab", { type: "button", "aria-pressed": pressed, onclick: () => choose(team.name) }, team.name);
}

function shown(team, choose) {
  return h(
    "div.team",
    {},
    h("p.team-about", {}, own(team.description)),
    h("ul.agents", { "aria-label": t("welcome.agents") }, team.agents.map((each) => h("li", {}, h("strong", {}, each.name), h("span", {}, own(each.description))))),
    h("h2", {}, t("welcome.try")),
    h("ul.examples", {}, examples(team).map((each) => h("li", {}, example(team, each, choose)))),
  );
}

function example(team, text, choose) {
  return h("button.example", { type: "button", onclick: () => choose(team.name, text) }, h("span", {}, text), icon("chevron"));
}

const HANGUL = /[\uac00-\ud7a3]/;

/** A few questions, those in the page's language first. */
function examples(team) {
  const all = [...new Set([...team.examples, ...team.agents.flatMap((each) => each.examples)])];
  const korean = document.documentElement.lang === "ko";
  const mine = all.filter((each) => HANGUL.test(each) === korean);
  return [...mine, ...all.filter((each) => !mine.includes(each))].slice(0, 6);
}

/** Of a description in two languages ("… · …") the part in the page's. */
function own(text) {
  const parts = text.split(" · ");
  if (parts.length !== 2 || HANGUL.test(parts[0]) === HANGUL.test(parts[1])) return text;
  const korean = document.documentElement.lang === "ko";
  return parts.find((each) => HANGUL.test(each) === korean);
}
