// Where one asks: Enter sends, Shift+Enter breaks the line, and a syllable that is being composed is never sent.

import { button, fill, h, icon } from "./dom.js";
import { t, tOr } from "./i18n.js";
import { teamName } from "./names.js";
import { state, watch } from "./state.js";

const CHOICES = "dure.choices";
// What the server takes where no team is named (docs/http.md).
const USUAL_TEAM = "workplace";
// Where the style sheet lets it grow with its text.
const GROWS = CSS.supports("field-sizing", "content");

export class Composer {
  /** `ask({message, team, level, output_format})`, `stop()`. */
  constructor({ ask, stop }) {
    Object.assign(this, { ask, stop, working: false });
    const kept = read();
    this.team = select("chat.team", "team", kept.team);
    this.level = select("chat.level", "level", kept.level, ["", "easy", "hard"]);
    this.format = select("chat.format", "format", kept.format, ["", "markdown", "json"]);
    this.input = h("textarea", {
      rows: "1", "aria-label": t("chat.message"), placeholder: t("chat.placeholder"), enterkeyhint: "send",
      onkeydown: (event) => this.pressed(event), oninput: () => this.changed(),
    });
    this.button = h("button.send", { type: "button", onclick: () => (this.working ? this.stop() : this.submit()) });
    this.hint = h("span.composer-hint", {}, t("chat.hint"));
    const line = h("div.composer-line", {}, this.input, this.button);
    const choices = h("div.composer-choices", {}, [this.team, this.level, this.format].map((each) => each.element), this.hint);
    this.note = h("div.composer-note", { hidden: true, role: "status" });
    this.element = h("div.composer", {}, this.note, line, choices);
    for (const each of [this.team, this.level, this.format]) each.element.addEventListener("change", () => this.chosen());
    this.unwatch = watch("teams", () => this.teams());
    this.teams();
    this.setWorking(false);
  }

  teams() {
    const kept = read().team ?? USUAL_TEAM;
    fill(this.team.input, state.teams.map((each) => h("option", { value: each.name }, teamName(each.name))));
    if (state.teams.some((each) => each.name === kept)) this.team.input.value = kept;
    this.chosen();
  }

  chosen() {
    const choices = { team: this.team.input.value, level: this.level.input.value, format: this.format.input.value };
    if (choices.team) localStorage.setItem(CHOICES, JSON.stringify(choices));
    this.onchoice?.(choices.team);
  }

  chooseTeam(name) {
    this.team.input.value = name;
    this.chosen();
  }

  /** Say above the box what sending will do; `cancelled` when that is not wanted after all. Without a text: no more. */
  tell(text, cancelled) {
    this.cancel = cancelled && (() => (this.tell(), this.set(""), cancelled(), this.focus()));
    this.note.hidden = !text;
    fill(this.note, text && [h("span", {}, text), button(t("cancel"), this.cancel)]);
  }

  pressed(event) {
    if (event.key === "Escape" && !event.isComposing) this.cancel?.();
    if (event.key !== "Enter" || event.shiftKey) return;
    // The Enter that ends a composition belongs to the input method; 229 is what some browsers say instead.
    if (event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (!this.working) this.submit();
  }

  changed() {
    if (!GROWS) {
      this.input.style.height = "auto";
      this.input.style.height = `${this.input.scrollHeight}px`;
    }
    this.button.disabled = !this.working && !this.input.value.trim();
  }

  submit() {
    const message = this.input.value.trim();
    if (!message) return;
    const asked = { message, team: this.team.input.value || undefined };
    if (this.level.input.value) asked.level = this.level.input.value;
    if (this.format.input.value) asked.output_format = this.format.input.value;
    this.set("");
    this.ask(asked);
  }

  set(text) {
    this.input.value = text;
    this.changed();
  }

  /** Put back what could not be sent, before what was written since. */
  giveBack(text) {
    this.set([text, this.input.value].filter((each) => each.trim()).join("\n\n"));
  }

  focus() {
    this.input.focus();
  }

  setWorking(working) {
    this.working = working;
    const label = t(working ? "chat.stop" : "chat.send");
    this.button.setAttribute("aria-label", label);
    this.button.title = label;
    this.button.classList.toggle("stops", working);
    fill(this.button, icon(working ? "stop" : "send"));
    this.changed();
  }
}

function select(key, kind, kept, values = []) {
  const options = values.map((value) => h("option", { value, selected: value === kept }, tOr(`${kind}.${value || "usual"}`, value)));
  const input = h("select", { "aria-label": t(key), title: t(key) }, options);
  return { input, element: h("label.choice", {}, input) };
}

function read() {
  try {
    return JSON.parse(localStorage.getItem(CHOICES)) ?? {};
  } catch {
    return {};
  }
}
