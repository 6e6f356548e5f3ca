// The teams: which there are; one as a form over its file, with a trial and an evaluation beside it.

import { getJson, send } from "../api.js";
import { t, tOr } from "../i18n.js";
import { Button, Skeleton } from "../icons.js";
import { agentName, own, teamName, toolName } from "../names.js";
import { Component, html } from "../preact.js";
import { go } from "../router.js";
import { state, tell } from "../state.js";
import { confirmed, toast } from "../toast.js";
import { tomlOf } from "../toml.js";
import { Evaluation, Trial } from "./trial.js";

const NEW = "+";
const KINDS = ["solo", "supervisor", "planner", "router"];
const AGENT = { name: "", description: "", prompt: "", tools: [], examples: [] };
const at = (name) => `/v1/teams/${encodeURIComponent(name)}`;

/** `name`: of the team that is changed, or `+` for a new one. */
export const Teams = ({ name }) => (name ? html`<${Editor} key=${name} name=${name} />` : html`<${List} />`);

const List = () => html`<p class="lead">${t("teams.about")}</p>
  <div class="actions"><a class="button primary" href=${`#/start/teams/${NEW}`}>${t("teams.new")}</a></div>
  <ul class="rows">${state.teams.map((each) => html`<li class="row" key=${each.name}><div class="row-main">
    <a href=${`#/start/teams/${each.name}`}><strong>${teamName(each.name)}</strong></a><p>${own(each.description)}</p>
    <small>${each.agents.map((agent) => agentName(agent.name, each.name)).join(", ")}</small>
  </div></li>`)}</ul>`;

class Editor extends Component {
  constructor() {
    super();
    this.state = { team: null, toml: "", asText: false, kept: "", problem: "", fault: "", unknown: [], tools: [], busy: false };
  }

  async componentDidMount() {
    const { name } = this.props;
    try {
      const [{ tools, mcp_servers: servers }, found] = await Promise.all([getJson("/v1/tools"), name === NEW ? null : getJson(at(name))]);
      const names = [...tools.map((each) => each.name), ...servers.map((each) => `mcp:${each.name}`)];
      if (found?.toml) return this.take(found, { tools: names });
      // One of ours stays as it is: what is changed is a copy under another name.
      const copied = found ? { ...found.definition, name: `${name}-2`, title: "" } : { name: "", kind: "solo", description: "", agents: [AGENT] };
      this.setState({ team: copied, tools: names, copied: Boolean(found) });
    } catch (error) {
      this.setState({ problem: error.message });
    }
  }

  /** What the server has for the team, or makes of it. */
  take({ definition, toml, unknown_tools: unknown }, more) {
    this.setState({ team: definition, toml, kept: toml, unknown, problem: "", copied: false, ...more });
  }

  text = () => (this.state.asText ? this.state.toml : this.state.toml && !this.changed ? this.state.toml : tomlOf(filled(this.state.team)));

  change(part) {
    this.changed = true;
    this.setState(({ team }) => ({ team: { ...team, ...part } }));
  }

  changeAgent(index, part) {
    this.change({ agents: this.state.team.agents.map((each, at) => (at === index ? { ...each, ...part } : each)) });
  }

  /** Between form and text: the text is read by the server, which says what is wrong with it. */
  async turn(asText) {
    if (asText) return this.setState({ asText, toml: this.text() });
    await this.try(async () => {
      const { definition, unknown_tools: unknown } = await this.put(true);
      this.changed = this.state.toml !== this.state.kept;
      this.setState({ asText, team: definition, unknown, problem: "" });
    });
  }

  put(dry) {
    const toml = this.text();
    const name = this.state.asText ? (/^name\s*=\s*["']([\w-]+)["']/m.exec(toml)?.[1] ?? "") : this.state.team.name;
    if (!/^[A-Za-z][\w-]{0,47}$/.test(name)) throw Object.assign(new Error(t("teams.name_wrong")), { named: !this.state.asText });
    return send("PUT", at(name), { toml, dry });
  }

  async try(work) {
    this.setState({ busy: true, fault: "" });
    try {
      await work();
    } catch (error) {
      // Of the name it is said at its field.
      if (error.named) this.setState({ problem: "", fault: error.message }, () => document.querySelector(".form [aria-invalid=true]").focus());
      else this.setState({ problem: error.message });
    }
    this.setState({ busy: false });
  }

  save = () => this.try(async () => {
    const found = await this.put(false);
    this.changed = false;
    this.take(found);
    await reload();
    toast(t("teams.saved"));
    if (found.team.name !== this.props.name) go(`#/start/teams/${found.team.name}`);
  });

  async remove() {
    const { name } = this.props;
    if (!(await confirmed(t("teams.delete_question", { name: teamName(name) }), t("delete")))) return;
    await this.try(async () => {
      await send("PUT", at(name), { toml: "" });
      await reload();
      go("#/start/teams");
    });
  }

  render({ name }, { team, toml, asText, kept, problem, unknown, tools, copied, busy }) {
    if (!team) return problem ? html`<p class="problem bad" role="alert">${problem}</p>` : html`<${Skeleton} />`;
    const unsaved = !kept || this.text() !== kept;
    return html`<p><a href="#/start/teams">${t("teams.all")}</a></p>
      <h2>${name === NEW ? t("teams.new") : teamName(name)}</h2>
      ${copied && html`<p class="note">${t("teams.copied")}</p>`}
      <div class="side-tabs" role="group" aria-label=${t("teams.as")}>${[false, true].map((each) => html`<button type="button" class="side-tab" disabled=${busy} aria-pressed=${String(each === asText)} onClick=${() => each !== asText && this.turn(each)}>${t(each ? "teams.as_text" : "teams.as_form")}</button>`)}</div>
      <div class="team-editor"><div>
        ${asText ? html`<label class="field">${t("teams.file")}<textarea class="code" rows="24" spellcheck=${false} value=${toml} onInput=${(event) => this.setState({ toml: event.currentTarget.value })}></textarea></label>` : this.form(team, tools, Boolean(kept))}
        ${problem && html`<p class="error-text" role="alert">${problem}</p>`}
        ${unknown.length > 0 && html`<p class="mend">${t("teams.unknown", { tools: unknown.join(", ") })}</p>`}
        <div class="actions"><${Button} name="check" kind="primary" label=${t("save")} disabled=${busy || !unsaved} onClick=${this.save} />
          ${kept && html`<${Button} name="trash" label=${t("delete")} disabled=${busy} onClick=${() => this.remove()} />`}</div>
        <p class="hint">${t("teams.at_once")}</p>
      </div>
      ${kept && html`<div class="team-beside">${unsaved && html`<p class="note">${t("teams.unsaved")}</p>`}<${Trial} team=${name} examples=${team.examples ?? []} /><${Evaluation} team=${name} definition=${team} /></div>`}</div>`;
  }

  form(team, tools, named) {
    return html`<div class="form">
      <${Line} label=${t("teams.title")} hint=${t("teams.title_hint")} value=${team.title} change=${(title) => this.change({ title })} />
      ${!named && html`<${Line} label=${t("teams.name")} hint=${t("teams.name_hint")} fault=${this.state.fault} value=${team.name} change=${(name) => this.change({ name })} />`}
      <label class="field">${t("teams.kind")}<select onChange=${(event) => this.change({ kind: event.currentTarget.value })}>${[...new Set([...KINDS, team.kind])].map((each) => html`<option value=${each} selected=${each === team.kind}>${tOr(`teams.kind.${each}`, each)}</option>`)}</select></label>
      <${Line} label=${t("teams.description")} value=${team.description} change=${(description) => this.change({ description })} />
      ${team.kind !== "solo" && html`<${Text} label=${t("teams.lead")} value=${team.prompt} change=${(prompt) => this.change({ prompt })} />`}
      <${Lines} label=${t("teams.examples")} value=${team.examples} change=${(examples) => this.change({ examples })} />
      ${team.agents.map((each, index) => html`<fieldset class="team-agent" key=${index}><legend>${own(each.title || each.name) || t("teams.agent")}</legend>
        <${Line} label=${t("teams.title")} value=${each.title} change=${(title) => this.changeAgent(index, { title })} />
        <${Line} label=${t("teams.name")} hint=${t("teams.name_hint")} value=${each.name} change=${(name) => this.changeAgent(index, { name })} />
        <${Line} label=${t("teams.does")} value=${each.description} change=${(description) => this.changeAgent(index, { description })} />
        <${Text} label=${t("teams.prompt")} value=${each.prompt} change=${(prompt) => this.changeAgent(index, { prompt })} />
        <${Tools} known=${tools} chosen=${each.tools ?? []} change=${(chosen) => this.changeAgent(index, { tools: chosen })} />
        <${Lines} label=${t("teams.agent_examples")} value=${each.examples} change=${(examples) => this.changeAgent(index, { examples })} />
        ${team.agents.length > 1 && html`<${Button} name="trash" label=${t("teams.remove_agent")} onClick=${() => this.change({ agents: team.agents.filter((_, at) => at !== index) })} />`}
      </fieldset>`)}
      ${(team.kind !== "solo" || !team.agents.length) && html`<div class="actions"><${Button} name="plus" label=${t("teams.add_agent")} onClick=${() => this.change({ agents: [...team.agents, AGENT] })} /></div>`}
    </div>`;
  }
}

async function reload() {
  Object.assign(state, await getJson("/v1/teams?examples=false"));
  tell("teams");
}

/** Without what was left empty, where the file needs nothing. */
function filled({ agents, ...team }) {
  const told = (all) => Object.fromEntries(Object.entries(all).filter(([name, value]) => ["name", "kind", "description"].includes(name) || !(value === "" || (Array.isArray(value) && !value.length))));
  return { ...told(team), agents: agents.map(told) };
}

const Line = ({ label, hint, fault = "", value = "", change }) => html`<label class="field">${label}<input type="text" autocomplete="off" aria-invalid=${String(Boolean(fault))} value=${value} onInput=${(event) => change(event.currentTarget.value)} />${hint && html`<span class="hint">${hint}</span>`}${fault && html`<span class="field-error" role="alert">${fault}</span>`}</label>`;
const Text = ({ label, value = "", change }) => html`<label class="field">${label}<textarea rows=${Math.min(14, value.split("\n").length + 2)} value=${value} onInput=${(event) => change(event.currentTarget.value)}></textarea></label>`;

/** One a line; what is typed stays as it is until one goes on. */
const Lines = ({ label, value = [], change }) => html`<label class="field">${label}<textarea rows=${Math.min(10, value.length + 2)} value=${value.join("\n")} onChange=${(event) => change(event.currentTarget.value.split("\n").map((each) => each.trim()).filter(Boolean))}></textarea></label>`;

/** What an agent works with: of those that there are, and those its file names. */
function Tools({ known, chosen, change }) {
  const all = [...new Set([...known, ...chosen])];
  const toggled = (name, on) => change(on ? [...chosen, name] : chosen.filter((each) => each !== name));
  return html`<details class="team-tools"><summary>${t("teams.tools", { n: chosen.length })}</summary><div class="chips-line">${all.map((each) => html`<label class="choice-line"><input type="checkbox" checked=${chosen.includes(each)} onChange=${(event) => toggled(each, event.currentTarget.checked)} /> ${toolName(each)}</label>`)}</div></details>`;
}
