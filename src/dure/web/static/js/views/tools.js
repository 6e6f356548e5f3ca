// What agents work with: the MCP servers with their state, and every tool with what it may do and who has it.

import { getJson, send } from "../api.js";
import { t, tOr } from "../i18n.js";
import { Button, Skeleton } from "../icons.js";
import { agentName, own, toolName } from "../names.js";
import { Component, html } from "../preact.js";
import { state } from "../state.js";
import { confirmed, toast } from "../toast.js";

const AGAIN = 1_500;
const STATES = { ready: "ok", disabled: "cancelled", connecting: "starting", login: "warning" };

export class Tools extends Component {
  componentDidMount() {
    this.load();
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
  }

  async load() {
    try {
      const found = await getJson("/v1/tools");
      this.setState(found);
      // Servers may take a while to begin.
      if (this.base?.isConnected && found.mcp_servers.some((each) => each.state === "connecting")) this.timer = setTimeout(() => this.load(), AGAIN);
    } catch (error) {
      this.setState({ problem: error.message });
    }
  }

  /** Take a server's tools for what they are by now: once somebody read what changed. */
  async accept({ name, changed }) {
    const tools = Object.keys(changed).join(", ");
    if (!(await confirmed(t("tools.accept_question", { name, tools }), t("tools.accept")))) return;
    try {
      this.setState(await send("POST", `/v1/tools/${encodeURIComponent(name)}/accept`));
      await this.load();
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  /** Go to where a person says that Dure may use the server; from there the browser comes back here. */
  async connect({ name }) {
    try {
      location.assign((await send("POST", `/v1/tools/${encodeURIComponent(name)}/login`)).url);
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  render(_, { tools, mcp_servers: servers, problem }) {
    if (problem) return html`<p class="problem bad" role="alert">${problem}</p>`;
    if (!tools) return html`<${Skeleton} />`;
    return html`<p class="lead">${t("tools.about")}</p>
      <section class="part"><h2>${t("tools.servers")}</h2>
        ${servers.length === 0 && html`<p class="empty">${t("tools.no_servers")}</p>`}
        <ul class="findings">${servers.map((each) => html`<${Server} key=${each.name} server=${each} accept=${() => this.accept(each)} connect=${() => this.connect(each)} tools=${tools.filter((tool) => tool.server === each.name)} />`)}</ul>
      </section>
      <section class="part"><h2>${t("tools.own")}</h2><${List} tools=${tools.filter((tool) => !tool.server)} /></section>`;
  }
}

function Server({ server: { name, state: at, login, error, version, transport, changed }, tools, accept, connect }) {
  const mark = Object.keys(changed).length ? "warning" : (STATES[at] ?? "failed");
  return html`<li class="finding" data-state=${mark === "failed" ? "warning" : mark}>
    <div class="row-title"><strong>${name}</strong><span class="mark" data-status=${mark}>${tOr(`tools.state.${at}`, at)}</span></div>
    <small>${[version, t(`tools.transport.${transport === "stdio" ? "stdio" : "http"}`)].filter(Boolean).join(" · ")}</small>
    ${error && html`<p class="pre">${error}</p>`}
    ${Object.entries(changed).map(([tool, what]) => html`<p class="mend">${t("tools.changed", { tool, what })}</p>`)}
    ${Object.keys(changed).length > 0 && html`<div class="actions"><${Button} name="check" label=${t("tools.accept")} onClick=${accept} /></div>`}
    ${login && html`<div class="actions"><${Button} name="check" label=${t("tools.connect")} onClick=${connect} /></div>`}
    ${tools.length > 0 && html`<${List} tools=${tools} />`}
  </li>`;
}

const List = ({ tools }) => html`<ul class="tools">${tools.map((each) => html`<${Tool} key=${each.name} tool=${each} />`)}</ul>`;

/** Of what people brought, the first words its maker has for it; what Dure's own do their names say. */
function Tool({ tool: { name, description, effect, server } }) {
  const who = holders(name, server);
  const told = toolName(name) === name && own(description.split("\n")[0]);
  return html`<li class="tool">
    <div class="row-title"><strong>${toolName(name)}</strong><span class="mark" data-status=${effect === "read" ? "ok" : "warning"}>${t(`tools.effect.${effect}`)}</span></div>
    ${told && html`<p>${told}</p>`}
    <small>${who.length ? t("tools.who", { who: who.join(", ") }) : t("tools.nobody")}</small>
  </li>`;
}

/** The agents that have a tool: by its name, by its server's, or all of MCP's; or besides those that they name. */
function holders(name, server) {
  const wanted = server ? [name, "mcp", `mcp:${server}`] : [name];
  const agents = state.teams.flatMap((team) => team.agents).filter((each) => [...each.tools, ...each.also].some((tool) => wanted.includes(tool)));
  return [...new Set(agents.map((each) => agentName(each.name)))];
}
