// Ctrl+K: conversations, documents and commands by a few letters of their names.

import { getJson, query } from "../api.js";
import { t, when } from "../i18n.js";
import { icon } from "../icons.js";
import { Component, html, render } from "../preact.js";
import { go } from "../router.js";
import { openSource } from "../sources.js";
import { state } from "../state.js";

const MOST = 8;
const PAUSE = 150;

/** Draw it in an open `dialog`, about the box there and what was typed into it; `commands`: `{icon, label, run()}` each. */
export function openPalette(dialog, commands) {
  dialog.addEventListener("close", () => render(null, dialog));
  const { value } = dialog.querySelector("input");
  render(html`<${Palette} words=${value} commands=${commands} close=${() => dialog.close()} />`, dialog);
}

const plain = (text) => text.normalize("NFC").toLowerCase();

class Palette extends Component {
  constructor({ words }) {
    super();
    this.state = { words, looked: "", at: 0, sessions: state.sessions.slice(0, MOST), documents: [] };
  }

  async componentDidMount() {
    // The page may have been opened this moment and know no conversation yet.
    this.look(this.state.words.trim());
    try {
      const { documents } = await getJson("/v1/documents");
      this.setState({ documents });
    } catch {
      // Without documents there is less to choose from.
    }
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
  }

  componentDidUpdate() {
    this.base.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  typed(words) {
    this.setState({ words, at: 0 });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(words.trim()), PAUSE);
  }

  async look(words) {
    const found = (await getJson(`/v1/sessions${query({ q: words, limit: MOST })}`).catch(() => null))?.sessions;
    if (found && words === this.state.words.trim()) this.setState({ sessions: found, looked: words });
  }

  /** What fits the words, in groups: `{kind, icon, label, more, run()}`. */
  found() {
    const { words, looked, sessions, documents } = this.state;
    const wanted = plain(words.trim());
    const fits = (label) => plain(label).includes(wanted);
    const commands = this.props.commands.map((each) => ({ kind: "commands", ...each }));
    // Until the server has looked into what was said in them, their titles count.
    const talks = sessions.filter((each) => looked === words.trim() || fits(each.title)).map((each) => ({ kind: "conversations", icon: "chat", label: each.title || t("sessions.untitled"), more: when(each.updated_at), run: () => go(`#/s/${encodeURIComponent(each.id)}`) }));
    const files = documents.filter((each) => wanted && each.status === "ready").map((each) => ({ kind: "documents", icon: "file", label: each.title, run: () => openSource({ document_id: each.id, title: each.title, start: 0, end: 0 }) }));
    return [...commands.filter((each) => fits(each.label)), ...talks, ...files.filter((each) => fits(each.label)).slice(0, MOST)];
  }

  pressed(event, all) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && all.length) {
      event.preventDefault();
      this.setState(({ at }) => ({ at: (at + step + all.length) % all.length }));
    }
    if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.run(all[this.state.at]);
  }

  run(chosen) {
    if (!chosen) return;
    this.props.close();
    chosen.run();
  }

  render(_, { words, at }) {
    const all = this.found();
    const kinds = [...new Set(all.map((each) => each.kind))];
    const option = (each) => {
      const index = all.indexOf(each);
      return html`<div role="option" id=${`palette-${index}`} class="palette-row" aria-selected=${String(index === at)} onClick=${() => this.run(each)}>${icon(each.icon)}<span>${each.label}</span>${each.more && html`<small>${each.more}</small>`}</div>`;
    };
    return html`<div class="palette-body">
      <input type="text" role="combobox" autofocus autocomplete="off" aria-label=${t("palette.title")} placeholder=${t("palette.placeholder")} aria-expanded="true" aria-controls="palette-list"
        aria-activedescendant=${all.length ? `palette-${at}` : undefined} value=${words} onInput=${(event) => this.typed(event.currentTarget.value)} onKeyDown=${(event) => this.pressed(event, all)} />
      <div id="palette-list" role="listbox" aria-label=${t("palette.title")} class="palette-list">
        ${kinds.map((kind) => html`<div role="group" aria-label=${t(`palette.${kind}`)}><p class="palette-kind" aria-hidden="true">${t(`palette.${kind}`)}</p>${all.filter((each) => each.kind === kind).map(option)}</div>`)}
      </div>
      ${!all.length && html`<p class="empty" role="status">${t("palette.empty")}</p>`}
    </div>`;
  }
}
