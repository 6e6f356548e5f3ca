// An empty page tells already what to ask: the teams, and questions, of one's own documents where there are any. Where
// the model or documents are missing, a card for each mends that.

import { getJson } from "./api.js";
import { t } from "./i18n.js";
import { Button, icon, Lazy } from "./icons.js";
import { agentName, hueOf, isOwn, own, teamName } from "./names.js";
import { Component, html } from "./preact.js";
import { questionsOf } from "./questions.js";
import { state, watch } from "./state.js";

const SEARCHES = "search_knowledge_base";
const mending = () => import("./mending.js");

/** `choose(team, example?)` when one is picked, `attach()` when documents are to be chosen. */
export class Welcome extends Component {
  constructor() {
    super();
    // null: not known yet, and nothing is offered that would move away under the pointer.
    this.state = { own: null };
  }

  componentDidMount() {
    this.unwatch = [watch("documents", () => this.read()), watch("teams", () => this.begin()), watch("returned", () => state.lacks?.includes("documents") && this.read())];
    this.begin();
  }

  componentWillUnmount() {
    for (const each of this.unwatch) each();
  }

  /** Once it is known what there is. */
  begin() {
    if (state.lacks?.includes("documents")) this.setState({ own: [] });
    else if (state.lacks) this.read();
  }

  async read() {
    try {
      const { documents } = await getJson("/v1/documents");
      state.lacks = state.lacks?.filter((each) => each !== "documents" || !documents.length);
      this.setState({ own: await questionsOf(documents) });
    } catch {
      // Whatever is amiss is told where something is asked; the examples stand here.
      this.setState({ own: [] });
    }
  }

  render({ chosen, choose, attach }, { own: mine }) {
    const team = state.teams.find((each) => each.name === chosen) ?? state.teams[0];
    return html`<section class="welcome" aria-label=${t("welcome.title")}>
      <h1>${t("welcome.title")}</h1>
      <p class="lead">${t("welcome.lead")}</p>
      ${state.lacks?.includes("weights") && html`<${Lazy} from=${mending} name="ModelCard" />`}
      ${state.lacks?.includes("documents") && html`<div class="mending" role="group" aria-label=${t("welcome.no_documents")}>
        <h2>${t("welcome.no_documents")}</h2><p>${t("documents.about")}</p>
        <div class="actions"><${Button} name="plus" label=${t("documents.choose")} onClick=${attach} /><small class="note">${t("documents.kinds")}</small></div>
      </div>`}
      <div class="team-tabs" role="group" aria-label=${t("chat.team")}>${state.teams.map((each) => html`<button type="button" class="team-tab" aria-pressed=${String(each === team)} onClick=${() => choose(each.name)}>${teamName(each.name)}</button>`)}</div>
      ${team && shown(team, choose, team.agents.some((each) => each.tools.includes(SEARCHES)) ? mine : [])}
      ${!state.lacks?.length && html`<p class="welcome-links"><a href="#/documents">${t("welcome.documents")}</a><a href="#/start">${t("welcome.start")}</a></p>`}
    </section>`;
  }
}

const shown = (team, choose, mine) => html`<div class="team">
  <p class="team-about">${own(team.description)}</p>
  <${Agents} team=${team.name} agents=${team.agents} />
  <h2>${t(mine?.length ? "welcome.own" : "welcome.try")}</h2>
  <ul class="examples">${mine && (mine.length ? mine : examples(team)).map((each) => html`<li><button type="button" class="example" onClick=${() => choose(team.name, each)}><span>${each}</span>${icon("chevron")}</button></li>`)}</ul>
</div>`;

/** What they do, where that is told in the page's language, else their names alone. */
function Agents({ team, agents }) {
  const told = agents.map((each) => (!each.title || isOwn(own(each.description)) ? own(each.description) : ""));
  return html`<ul class=${told.some(Boolean) ? "agents" : "agents brief"} aria-label=${t("welcome.agents")}>${agents.map((each, index) => html`<li><strong data-hue=${hueOf(each.name, team)}>${agentName(each.name, team)}</strong>${told[index] && html`<span>${told[index]}</span>`}</li>`)}</ul>`;
}

/** The team's questions, in the page's language where there are such; what its agents have as examples tells who does what. */
function examples(team) {
  const mine = team.examples.filter(isOwn);
  return (mine.length ? mine : team.examples).slice(0, 6);
}
