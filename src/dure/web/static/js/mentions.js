// After `@`: teams to ask and documents to name; after `/`: questions that were saved, and the team's examples. Chosen
// without leaving the keyboard.

import { getJson } from "./api.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { isOwn, teamName } from "./names.js";
import { Component, html } from "./preact.js";
import { savedPrompts } from "./prompts.js";
import { state } from "./state.js";

const MOST = 6;
const kindOf = (each) => (each.team ? "chat.team" : each.document ? "palette.documents" : each.icon === "chat" ? "prompts.example" : "prompts.mine");
const plain = (text) => text.normalize("NFC").toLowerCase();

/** `sign`: `@` or `/`; `word`: what stands behind it; `team`: whose examples. `choose({team} | {document} | {prompt})`,
    `close()`; `held(this)` while it is shown: keys go to `pressed` first. */
export class Mentions extends Component {
  constructor() {
    super();
    this.state = { at: 0, documents: [] };
  }

  async componentDidMount() {
    this.props.held(this);
    try {
      this.setState({ documents: (await getJson("/v1/documents")).documents.filter((each) => each.status === "ready") });
    } catch {
      // Teams can be chosen all the same.
    }
  }

  componentWillUnmount() {
    this.props.held(null);
  }

  componentWillReceiveProps(next) {
    if (next.word !== this.props.word) this.setState({ at: 0 });
  }

  found() {
    const wanted = plain(this.props.word);
    const fits = (...names) => names.some((each) => plain(each ?? "").includes(wanted));
    if (this.props.sign === "/") {
      const examples = state.teams.find((each) => each.name === this.props.team)?.examples ?? [];
      const all = [...savedPrompts().map((each) => [each, "bookmark"]), ...examples.filter(isOwn).map((each) => [each, "chat"])];
      return all.filter(([each]) => fits(each)).slice(0, 2 * MOST).map(([prompt, icon]) => ({ prompt, label: prompt, icon }));
    }
    const teams = state.teams.filter((each) => fits(each.name, teamName(each.name))).map((each) => ({ team: each.name, label: teamName(each.name), icon: "chat" }));
    const documents = this.state.documents.filter((each) => fits(each.title)).map((each) => ({ document: each.title, label: each.title, icon: "file" }));
    return [...teams.slice(0, MOST), ...documents.slice(0, MOST)];
  }

  /** Whether the key was meant for the list. */
  pressed(event) {
    const all = this.found();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing || event.keyCode === 229 || !all.length) return false;
    if (step) this.setState(({ at }) => ({ at: (at + step + all.length) % all.length }));
    else if (event.key === "Enter" || event.key === "Tab") this.props.choose(all[this.state.at]);
    else if (event.key === "Escape") this.props.close();
    else return false;
    event.preventDefault();
    return true;
  }

  componentDidUpdate() {
    this.base?.querySelector?.("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  render({ sign, choose }, { at }) {
    const all = this.found();
    if (!all.length) return null;
    // The text keeps the focus: a press of the mouse takes it nowhere.
    return html`<div class="mentions" role="listbox" tabindex="0" aria-label=${sign === "/" ? t("prompts") : t("mentions")}>${all.map((each, index) => html`<div role="option" class="palette-row" aria-selected=${String(index === at)}
      onMouseDown=${(event) => event.preventDefault()} onClick=${() => choose(each)}>${icon(each.icon)}<span>${each.label}</span><small>${t(kindOf(each))}</small></div>`)}</div>`;
  }
}
