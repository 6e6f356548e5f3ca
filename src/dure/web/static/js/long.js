// A long question: its beginning, until all of it is wanted.

import { t } from "./i18n.js";
import { Button } from "./icons.js";
import { Component, html } from "./preact.js";

const LINES = 15;
const LETTERS = 900;

export class Long extends Component {
  render({ text }, { whole }) {
    if (whole) return text;
    const begins = text.split("\n", LINES).join("\n").slice(0, LETTERS);
    return html`${begins}… <${Button} label=${t("more")} onClick=${() => this.setState({ whole: true })} />`;
  }
}
