// A team is tried: a question asked of it and seen answered; all its examples asked, and who answered them.

import { Answer } from "../answer.js";
import { getJson, query, request, send } from "../api.js";
import { fold, newRun } from "../fold.js";
import { number, seconds, t, tOr } from "../i18n.js";
import { Button } from "../icons.js";
import { agentName } from "../names.js";
import { Component, html } from "../preact.js";
import { follow } from "../stream.js";

/** `team`: its name; `examples`: questions to begin with. */
export class Trial extends Component {
  constructor() {
    super();
    this.gone = new AbortController();
    this.state = { entry: null, message: "", problem: "" };
  }

  componentWillUnmount() {
    this.gone.abort();
  }

  async ask(event) {
    event.preventDefault();
    const { team } = this.props;
    const entry = { key: String(Date.now()), run: { ...newRun(), team }, changed() {} };
    this.setState({ entry, problem: "" });
    try {
      const first = await request("/v1/chat", { method: "POST", body: { message: this.state.message, team, stream: true }, accept: "text/event-stream" });
      entry.run.id = first.headers.get("X-Run-Id");
      await this.follow(entry, first);
    } catch (error) {
      this.setState({ entry: null, problem: error.message });
    }
  }

  async follow(entry, first) {
    const heard = (event, number) => fold(entry.run, event, number) && entry.changed();
    await follow({ runId: entry.run.id, after: entry.run.last, first, signal: this.gone.signal, heard });
    this.setState({});
  }

  render({ examples }, { entry, message, problem }) {
    const acts = { seen() {}, decided: () => this.follow(entry) };
    return html`<section class="part"><h2>${t("trial.title")}</h2>
      <form class="search-line" onSubmit=${(event) => this.ask(event)}>
        <input type="text" aria-label=${t("trial.question")} placeholder=${t("trial.question")} value=${message} onInput=${(event) => this.setState({ message: event.currentTarget.value })} />
        <${Button} type="submit" name="send" label=${t("trial.ask")} disabled=${!message.trim() || entry?.run.status === "running"} />
      </form>
      <div class="chips-line">${examples.slice(0, 4).map((each) => html`<button type="button" class="button" onClick=${() => this.setState({ message: each })}>${each}</button>`)}</div>
      ${problem && html`<p class="error-text" role="alert">${problem}</p>`}
      ${entry && html`<${Answer} key=${entry.key} entry=${entry} acts=${acts} />`}
    </section>`;
  }
}

/** All examples of a team, one after another; an agent's own should reach that agent. What was asked so before stands beside it. */
export class Evaluation extends Component {
  constructor() {
    super();
    this.state = { rows: [], at: null, problem: "" };
  }

  componentWillUnmount() {
    this.stopped = true;
  }

  cases() {
    const { examples = [], agents } = this.props.definition;
    const found = new Map(examples.map((each) => [each, ""]));
    for (const agent of agents) for (const each of agent.examples ?? []) found.set(each, agent.name);
    return [...found];
  }

  async begin() {
    const { team } = this.props;
    const experiment = `team ${team}`;
    this.stopped = false;
    this.setState({ rows: [], at: 0, problem: "" });
    try {
      const { runs } = await getJson(`/v1/runs${query({ experiment, limit: 1000 })}`);
      const before = new Map([...runs].reverse().map((each) => [each.message, each.id]));
      for (const [message, wanted] of this.cases()) {
        if (this.stopped) break;
        const row = { message, wanted, before: before.get(message), ...(await one(message, team, experiment)) };
        this.setState(({ rows }) => ({ rows: [...rows, row], at: rows.length + 1 }));
      }
    } catch (error) {
      this.setState({ problem: error.message });
    }
    this.setState({ at: null });
  }

  render({ team }, { rows, at, problem }) {
    const cases = this.cases();
    const judged = rows.filter((each) => each.wanted);
    const right = judged.filter(reached).length;
    return html`<section class="part"><h2>${t("evaluation.title")}</h2><p class="hint">${t("evaluation.about")}</p>
      <div class="actions">${at === null
        ? html`<${Button} name="retry" label=${t("evaluation.begin", { n: cases.length })} disabled=${!cases.length} onClick=${() => this.begin()} />`
        : html`<${Button} name="stop" label=${t("evaluation.stop", { at, n: cases.length })} onClick=${() => (this.stopped = true)} />`}</div>
      ${problem && html`<p class="error-text" role="alert">${problem}</p>`}
      <div aria-live="polite">${judged.length > 0 && html`<p>${t("evaluation.right", { right, n: judged.length })}</p>`}</div>
      ${rows.length > 0 && html`<div class="table-frame" tabindex="0" role="region" aria-label=${t("evaluation.title")}><table>
        <thead><tr>${["question", "who", "status", "time", "tokens", "runs"].map((each) => html`<th scope="col">${t(`evaluation.${each}`)}</th>`)}</tr></thead>
        <tbody>${rows.map((each) => html`<tr key=${each.message} class=${each.wanted && !reached(each) ? "differs" : ""}><th scope="row">${each.message}</th>
          <td>${each.agents.map((name) => agentName(name, team)).join(", ")}${each.wanted && !reached(each) && html`<br /><small>${t("evaluation.wanted", { who: agentName(each.wanted, team) })}</small>`}</td>
          <td>${each.problem || tOr(`status.${each.status}`, each.status)}</td><td class="number">${seconds(each.seconds)}</td><td class="number">${each.tokens === undefined ? "" : number(each.tokens)}</td>
          <td>${each.run && html`<a href=${`#/runs/${each.run}`}>${t("chat.what_happened")}</a>`} ${each.run && each.before && html`<a href=${`#/compare/${each.before}/${each.run}`}>${t("evaluation.compare")}</a>`}</td>
        </tr>`)}</tbody></table></div>`}
    </section>`;
  }
}

const reached = ({ wanted, agents }) => agents.includes(wanted);

/** Asked in a conversation of its own, in a folder for these. */
async function one(message, team, experiment) {
  try {
    const { status, metadata } = await send("POST", "/v1/chat", { message, team, experiment });
    await send("PATCH", `/v1/sessions/${encodeURIComponent(metadata.thread_id)}`, { folder: t("evaluation.folder", { team }) });
    const { prompt_tokens: read, completion_tokens: written } = metadata.usage;
    return { status, agents: metadata.agents, seconds: metadata.execution_time, tokens: read + written, run: metadata.run_id };
  } catch (error) {
    return { status: "failed", agents: [], problem: error.message };
  }
}
