// Where one asks: Enter sends, Shift+Enter breaks the line, and a syllable that is being composed is never sent. What
// is written is kept for each conversation; a question that is sent while another is answered waits for its turn.

import { quoted, withFiles, wordsOf } from "./asked.js";
import { Attached, Attachments } from "./attach.js";
import { t, tOr } from "./i18n.js";
import { Button, icon, IconButton, Lazy } from "./icons.js";
import { teamName } from "./names.js";
import { Component, html } from "./preact.js";
import { state, watch } from "./state.js";

const CHOICES = "dure.choices";
// What the server takes where no team is named (docs/http.md).
const USUAL_TEAM = "workplace";
// Where the style sheet lets it grow with its text.
const GROWS = CSS.supports("field-sizing", "content");
// An `@` at the beginning of a word, or a `/` before all else, up to where one writes.
const MENTION = /(?:^|\s)(@)([^\s@]{0,40})$|^(\/)([^\n/]{0,40})$/;
const mentions = () => import("./mentions.js");
const draftOf = (session) => `dure.draft.${session || "new"}`;

function keepDraft(session, text) {
  if (text.trim()) localStorage.setItem(draftOf(session), text);
  else localStorage.removeItem(draftOf(session));
}

/** `ask({message, team, level, output_format})`, `stop()`, `chosen(team)`; `working`: an answer is being written;
    `blocked`: {hint, typed(words)} where one waits for a decision. */
export class Composer extends Component {
  constructor({ session }) {
    super();
    const { team = "", level = "", format = "", model = "" } = kept();
    this.state = { text: localStorage.getItem(draftOf(session)) ?? "", note: "", queued: null, team, level, format, model };
    this.attachments = new Attachments(() => this.setState({}));
    this.cancel = null;
    this.held = (element) => (this.input = element);
  }

  componentDidMount() {
    this.unwatch = watch("teams", () => this.teams());
    this.teams();
    this.fit();
  }

  componentWillUnmount() {
    this.unwatch();
    this.attachments.close();
  }

  componentDidUpdate() {
    const { working, blocked, ask } = this.props;
    const { queued } = this.state;
    if (queued && !working && !blocked) {
      this.setState({ queued: null });
      ask(queued);
    }
  }

  /** The conversation's team and model, where there is still one of that name; else the team that was asked last. */
  teams() {
    const { own } = this;
    if (own && state.teams.some((each) => each.name === own.team)) return this.setState(own, () => this.props.chosen(own.team, this.model()));
    const wanted = kept().team ?? USUAL_TEAM;
    const found = state.teams.some((each) => each.name === wanted) ? wanted : state.teams[0]?.name;
    if (found) this.choose({ team: found });
  }

  choose(choice) {
    this.own = null;
    this.setState(choice, () => {
      const { team, level, format, model } = this.state;
      if (team) localStorage.setItem(CHOICES, JSON.stringify({ team, level, format, model }));
      this.props.chosen(team, this.model());
    });
  }

  /** A conversation goes on with its team and model; what was chosen oneself is kept for others. */
  goOn(choice) {
    this.own = choice;
    // Else once it is known which teams there are.
    if (state.teams.length) this.teams();
  }

  /** The model chosen by its name, where there is still one. */
  model() {
    return state.models.includes(this.state.model) ? this.state.model : "";
  }

  /** Say above the box what sending will do; `cancelled` when that is not wanted after all. Without a text: no more. */
  tell(note = "", cancelled = null) {
    this.cancel = cancelled && (() => (this.tell(), this.set(""), cancelled(), this.focus()));
    this.setState({ note });
  }

  /** The `@` or `/` where one writes, with the word behind it; null without one. */
  mentioned() {
    const { value, selectionStart: end } = this.input;
    const [, at, word, slash, words] = MENTION.exec(value.slice(0, end)) ?? [];
    return at || slash ? { sign: at ?? slash, word: word ?? words } : null;
  }

  /** Ask the team, name the document, or put the question, in place of what was typed. */
  mention({ team, document, prompt }) {
    const { value, selectionStart: end } = this.input;
    const found = this.mentioned();
    if (!found) return;
    const start = end - found.word.length - 1;
    const name = prompt ?? (document ? quoted(document) : "");
    if (team) this.choose({ team });
    this.set(value.slice(0, start) + name + value.slice(end));
    this.input.setSelectionRange(start + name.length, start + name.length);
    this.setState({ mention: null });
    this.focus();
  }

  typed(text) {
    this.set(text);
    this.setState({ mention: this.mentioned() });
  }

  pressed(event) {
    if (this.mentions?.pressed(event)) return;
    if (event.key === "Escape" && !event.isComposing && this.cancel) {
      event.preventDefault();
      this.cancel();
    }
    if (event.key !== "Enter" || event.shiftKey) return;
    // The Enter that ends a composition belongs to the input method; 229 is what some browsers say instead.
    if (event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.submit();
  }

  async submit() {
    const message = this.input.value.trim();
    if (!message || this.state.queued || this.sending) return;
    const { blocked, working } = this.props;
    if (blocked && !working) return blocked.typed(message);
    const { team, level, format } = this.state;
    const model = this.model();
    const asked = { message, ...(team && { team }), ...(model && { model }), ...(level && { level }), ...(format && { output_format: format }) };
    this.sending = true;
    try {
      // The question is about them: it is asked once they can be searched.
      const ready = await this.attachments.ready();
      if (!ready) return;
      const { pictures, titles } = ready;
      if (pictures.length) asked.images = pictures;
      // They stand among all other documents: a team knows which are meant by their names.
      asked.message = withFiles(message, titles);
    } finally {
      this.sending = false;
    }
    this.set("");
    if (working) this.setState({ queued: asked });
    else this.props.ask(asked);
  }

  stop() {
    const { queued } = this.state;
    // The button that was pressed goes.
    if (!matchMedia("(pointer: coarse)").matches) this.focus();
    if (queued) this.setState({ queued: null }, () => this.giveBack(queued.message));
    this.props.stop();
  }

  set(text) {
    if (!text.trim() || !this.cancel) keepDraft(this.props.session, text);
    this.input.value = text;
    this.setState({ text }, () => this.fit());
  }

  fit() {
    if (GROWS) return;
    this.input.style.height = "auto";
    this.input.style.height = `${this.input.scrollHeight}px`;
  }

  /** Put back what could not be sent, before what was written since. */
  giveBack(text) {
    this.set([text, this.input.value].filter((each) => each.trim()).join("\n\n"));
  }

  /** To a new conversation, with what is written here. */
  moveOn() {
    keepDraft("", this.state.text);
    this.set("");
    location.hash = "#/";
  }

  focus() {
    this.input.focus();
  }

  render({ working, blocked }, { text, note, queued, team, level, format, mention = null }) {
    const select = (key, value, options, change) => html`<label class="choice"><select aria-label=${t(key)} title=${t(key)} onChange=${(event) => change(event.currentTarget.value)}>${options.map(([name, label]) => html`<option value=${name} selected=${name === value}>${label}</option>`)}</select></label>`;
    const named = (kind, values) => values.map((each) => [each, tOr(`${kind}.${each || "usual"}`, each)]);
    const send = t(working ? "chat.queue" : "chat.send");
    return html`<div class="composer" onPaste=${(event) => this.attachments.pasted(event)}>
      <div class="composer-note" role="status" hidden=${!note}>${note && html`<span>${note}</span><${Button} label=${t("cancel")} onClick=${() => this.cancel()} />`}</div>
      ${queued && html`<div class="composer-note"><span>${t("chat.queued", { message: wordsOf(queued.message) })}</span><${Button} label=${t("cancel")} onClick=${() => this.setState({ queued: null }, () => this.giveBack(queued.message))} /></div>`}
      <${Attached} attachments=${this.attachments} />
      <div class="composer-line">
        ${mention !== null && html`<${Lazy} from=${mentions} name="Mentions" ...${mention} team=${team} held=${(shown) => (this.mentions = shown)} choose=${(each) => this.mention(each)} close=${() => this.setState({ mention: null })} />`}
        <${IconButton} name="plus" label=${t("attach.choose")} class="icon-button attach" onClick=${() => this.attachments.choose()} />
        <textarea rows="1" aria-label=${t("chat.message")} placeholder=${blocked ? blocked.hint : t("chat.placeholder")} enterkeyhint="send" value=${text} ref=${this.held} onKeyDown=${(event) => this.pressed(event)} onInput=${(event) => this.typed(event.currentTarget.value)} onBlur=${() => this.setState({ mention: null })}></textarea>
        ${(!working || text.trim()) && html`<button type="button" class="send" aria-label=${send} title=${send} disabled=${!text.trim() || Boolean(queued)} onClick=${() => this.submit()}>${icon("send")}</button>`}
        ${working && html`<button type="button" class="send stops" aria-label=${t("chat.stop")} title=${t("chat.stop")} onClick=${() => this.stop()}>${icon("stop")}</button>`}
      </div>
      <div class="composer-choices">
        ${select("chat.team", team, state.teams.map((each) => [each.name, teamName(each.name)]), (value) => this.choose({ team: value }))}
        ${state.models.length > 1 && select("chat.model", this.model(), [["", t("model.usual")], ...state.models.map((each) => [each, each])], (value) => this.choose({ model: value }))}
        ${select("chat.level", level, named("level", ["", "easy", "hard"]), (value) => this.choose({ level: value }))}
        ${select("chat.format", format, named("format", ["", "markdown", "json"]), (value) => this.choose({ format: value }))}
        <span class="composer-hint">${t("chat.hint")}</span>
      </div>
    </div>`;
  }
}

function kept() {
  try {
    return JSON.parse(localStorage.getItem(CHOICES)) ?? {};
  } catch {
    return {};
  }
}
