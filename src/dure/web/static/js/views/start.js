// What the server found and how to mend what is amiss; the teams; what is asked at times; the tools, and the servers they
// come from; what one chose oneself.

import { getJson } from "../api.js";
import { t, tOr } from "../i18n.js";
import { Button } from "../icons.js";
import { ModelCard } from "../mending.js";
import { teamName, toolName } from "../names.js";
import { Component, html, render } from "../preact.js";
import { replaceRoute } from "../router.js";
import { watch } from "../state.js";
import { Schedules } from "./schedules.js";
import { Settings } from "./settings.js";
import { Teams } from "./teams.js";
import { Tools } from "./tools.js";

export async function open(host, { path: [tab, name] }) {
  render(html`<${Start} tab=${tab in TABS ? tab : "findings"} name=${name} />`, host);
  return () => render(null, host);
}

// Whose details are names, which people know by others.
const NAMES = { tools: toolName, teams: teamName };

class Findings extends Component {
  componentDidMount() {
    this.load();
  }

  /** Asking the model may take a while; the page is usable meanwhile. */
  async load() {
    this.setState({ found: null, problem: "" });
    try {
      this.setState({ found: (await getJson("/v1/status")).findings });
    } catch (error) {
      this.setState({ problem: error.message });
    }
  }

  render(_, { found, problem }) {
    return html`<p class="lead">${t("start.about")}</p>
      <ul class="findings" aria-live="polite">
        ${problem && html`<li class="error-text">${problem}</li>`}
        ${!found && !problem && html`<li class="note">${t("start.checking")}</li>`}
        ${found?.map((each) => html`<${Finding} key=${each.id} ...${each} />`)}
      </ul>
      ${found?.some((each) => each.id === "model" && each.state === "failed") && html`<${ModelCard} />`}
      <div class="actions">
        <${Button} name="retry" label=${t("start.again")} onClick=${() => this.load()} />
      </div>`;
  }
}

const TABS = { findings: Findings, teams: Teams, schedules: Schedules, tools: Tools, settings: Settings };

class Start extends Component {
  constructor({ tab, name }) {
    super();
    this.state = { tab, name };
  }

  componentDidMount() {
    this.unwatch = watch("teams", () => this.setState({}));
  }

  componentWillUnmount() {
    this.unwatch();
  }

  choose(tab) {
    replaceRoute(tab === "findings" ? "#/start" : `#/start/${tab}`);
    this.setState({ tab, name: undefined });
  }

  render(_, { tab, name }) {
    return html`<h1>${t("start.title")}</h1>
      <div class="side-tabs" role="group" aria-label=${t("start.title")}>${Object.keys(TABS).map((each) => html`<button type="button" class="side-tab" aria-pressed=${String(each === tab)} onClick=${() => this.choose(each)}>${t(`start.${each}`)}</button>`)}</div>
      <${TABS[tab]} key=${tab} name=${name} />`;
  }
}

function Finding({ id, state, part, detail, mend }) {
  const named = NAMES[id];
  const told = named ? detail.replace(/[^\s,;:()]+/g, (each) => named(each)) : detail;
  return html`<li class="finding" data-state=${state}>
    <div class="row-title"><strong>${part}</strong><span class="mark" data-status=${state}>${tOr(`status.${state}`, state)}</span></div>
    <p>${told}</p>${mend && html`<p class="mend">${mend}</p>`}
  </li>`;
}
