// What this browser keeps for oneself: language, light or dark, whether it tells, the key; how long the server keeps
// conversations; and another model, tried.

import { apiKey, getJson, keyIsKept, query, send, setApiKey } from "../api.js";
import { language, number, t } from "../i18n.js";
import { Button, IconButton } from "../icons.js";
import { ModelCard } from "../mending.js";
import { notifying, switchNotifying } from "../notify.js";
import { Component, html } from "../preact.js";
import { forgetPrompt, savedPrompts } from "../prompts.js";
import { tellTabs } from "../state.js";
import { chooseTheme, chosenTheme } from "../theme.js";
import { confirmed, toast } from "../toast.js";

const THEMES = ["", "light", "dark"];

export class Settings extends Component {
  speak(name) {
    localStorage.setItem("dure.language", name);
    location.reload();
  }

  paint(name) {
    chooseTheme(name);
    this.setState({});
  }

  async bell() {
    await switchNotifying();
    this.setState({});
  }

  render() {
    return html`<p class="lead">${t("settings.about")}</p>
      <${Choice} legend="settings.language" options=${[[language(), t("language.this")], [language() === "ko" ? "en" : "ko", t("language.other")]]} chosen=${language()} choose=${(name) => this.speak(name)} />
      <${Choice} legend="theme" options=${THEMES.map((each) => [each, t(`settings.theme.${each || "system"}`)])} chosen=${chosenTheme()} choose=${(name) => this.paint(name)} />
      ${notifying() && html`<label class="setting"><input type="checkbox" checked=${notifying() === "on"} onChange=${() => this.bell()} /> ${t("notify")}</label>`}
      ${keyIsKept() && html`<p class="note">${t("key.kept")}</p>`}
      ${apiKey() && html`<div class="actions"><${Button} label=${t("key.forget")} onClick=${() => (setApiKey(""), location.reload())} /></div>`}
      <${Prompts} />
      <${Retention} />
      <${ModelCard} always=${true} />`;
  }
}

/** Questions that were saved, to be let go. */
class Prompts extends Component {
  render() {
    const all = savedPrompts();
    if (!all.length) return null;
    const forget = (text) => (forgetPrompt(text), this.setState({}));
    return html`<fieldset class="setting"><legend>${t("prompts.mine")}</legend><ul class="rows">${all.map((each) => html`<li class="row" key=${each}>
      <span class="row-main">${each}</span><${IconButton} name="trash" label=${`${t("delete")}: ${each}`} onClick=${() => forget(each)} />
    </li>`)}</ul></fieldset>`;
  }
}

/** Conversations with which nobody went on are deleted: how many, is said before. */
class Retention extends Component {
  constructor() {
    super();
    this.state = { days: null, limit: null, problem: "" };
  }

  componentDidMount() {
    this.try(async () => this.setState(await getJson("/v1/retention")));
  }

  async try(work) {
    this.setState({ problem: "" });
    await work().catch((error) => this.setState({ problem: error.message }));
  }

  async keep(event) {
    event.preventDefault();
    const days = new FormData(event.currentTarget).get("days");
    await this.try(async () => {
      const { due } = await getJson(`/v1/retention${query({ days })}`);
      const question = t(days ? "retention.question" : "retention.question_ever", { days, n: number(due) });
      if (!(await confirmed(question, t("save")))) return;
      const { deleted } = await send(days ? "PUT" : "DELETE", `/v1/retention${query({ days })}`);
      this.setState({ days: Number(days) || null });
      toast(t("retention.done", { n: number(deleted) }));
      tellTabs("sessions");
    });
  }

  render(_, { days, limit, problem }) {
    return html`<form class="setting" onSubmit=${(event) => this.keep(event)}>
      <label>${t("retention")} <input name="days" type="number" min="1" max="36500" inputmode="numeric" value=${days ?? ""} placeholder=${t("retention.ever")} aria-describedby="retention-about" /></label>
      <${Button} type="submit" label=${t("save")} />
      <p class="hint" id="retention-about">${t("retention.about")} ${limit && t("retention.limit", { n: number(limit) })}</p>
      ${problem && html`<p class="error-text" role="alert">${problem}</p>`}
    </form>`;
  }
}

const Choice = ({ legend, options, chosen, choose }) => html`<fieldset class="setting"><legend>${t(legend)}</legend>
  ${options.map(([name, label]) => html`<label><input type="radio" name=${legend} value=${name} checked=${name === chosen} onChange=${() => choose(name)} /> ${label}</label>`)}
</fieldset>`;
