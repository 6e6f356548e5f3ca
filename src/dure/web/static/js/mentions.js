// After `@`: teams to ask and documents to name, chosen without leaving the keyboard.

import { getJson } from "./api.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { teamName } from "./names.js";
import { Component, html } from "./preact.js";
import { state } from "./state.js";

const MOST = 6;
const plain = (text) => text.normalize("NFC").toLowerCase();

/** `word`: what stands behind the `@`. `choose({team} | {document})`, `close()`; `held(this)` while it is shown: keys go
    to `pressed` first. */
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

  render({ choose }, { at }) {
    const all = this.found();
    if (!all.length) return null;
    // The text keeps the focus: a press of the mouse takes it nowhere.
    return html`<div class="mentions" role="listbox" aria-label=${t("mentions")}>${all.map((each, index) => html`<div role="option" class="palette-row" aria-selected=${String(index === at)}
      onMouseDown=${(event) => event.preventDefault()} onClick=${() => choose(each)}>${icon(each.icon)}<span>${each.label}</span><small>${t(each.team ? "chat.team" : "palette.documents")}</small></div>`)}</div>`;
  }
}
