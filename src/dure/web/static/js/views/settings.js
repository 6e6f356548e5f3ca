// What this browser keeps for oneself: language, light or dark, whether it tells, the key; and another model, tried.

import { apiKey, setApiKey } from "../api.js";
import { language, t } from "../i18n.js";
import { Button } from "../icons.js";
import { ModelCard } from "../mending.js";
import { notifying, switchNotifying } from "../notify.js";
import { Component, html } from "../preact.js";
import { chooseTheme, chosenTheme } from "../theme.js";

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
      ${apiKey() && html`<div class="actions"><${Button} label=${t("key.forget")} onClick=${() => (setApiKey(""), location.reload())} /></div>`}
      <${ModelCard} always=${true} />`;
  }
}

const Choice = ({ legend, options, chosen, choose }) => html`<fieldset class="setting"><legend>${t(legend)}</legend>
  ${options.map(([name, label]) => html`<label><input type="radio" name=${legend} value=${name} checked=${name === chosen} onChange=${() => choose(name)} /> ${label}</label>`)}
</fieldset>`;
