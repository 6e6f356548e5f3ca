// An empty page tells already what to ask: the teams, who works in them, and questions to begin with.

import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { agentName, isOwn, own, teamName } from "./names.js";
import { html } from "./preact.js";
import { state } from "./state.js";

/** `choose(team, example?)` when one is picked. */
export function Welcome({ chosen, choose }) {
  const team = state.teams.find((each) => each.name === chosen) ?? state.teams[0];
  return html`<section class="welcome" aria-label=${t("welcome.title")}>
    <h1>${t("welcome.title")}</h1>
    <p class="lead">${t("welcome.lead")}</p>
    <div class="team-tabs" role="group" aria-label=${t("chat.team")}>${state.teams.map((each) => html`<button type="button" class="team-tab" aria-pressed=${String(each === team)} onClick=${() => choose(each.name)}>${teamName(each.name)}</button>`)}</div>
    ${team && shown(team, choose)}
    <p class="welcome-links"><a href="#/documents">${t("welcome.documents")}</a><a href="#/start">${t("welcome.start")}</a></p>
  </section>`;
}

const shown = (team, choose) => html`<div class="team">
  <p class="team-about">${own(team.description)}</p>
  <${Agents} agents=${team.agents} />
  <h2>${t("welcome.try")}</h2>
  <ul class="examples">${examples(team).map((each) => html`<li><button type="button" class="example" onClick=${() => choose(team.name, each)}><span>${each}</span>${icon("chevron")}</button></li>`)}</ul>
</div>`;

/** What they do, where that is told in the page's language, else their names alone. */
function Agents({ agents }) {
  const told = agents.map((each) => (!each.title || isOwn(own(each.description)) ? own(each.description) : ""));
  return html`<ul class=${told.some(Boolean) ? "agents" : "agents brief"} aria-label=${t("welcome.agents")}>${agents.map((each, index) => html`<li><strong>${agentName(each.name)}</strong>${told[index] && html`<span>${told[index]}</span>`}</li>`)}</ul>`;
}

/** A few questions, those in the page's language first. */
function examples(team) {
  const all = [...new Set([...team.examples, ...team.agents.flatMap((each) => each.examples)])];
  const mine = all.filter(isOwn);
  return [...mine, ...all.filter((each) => !mine.includes(each))].slice(0, 6);
}
