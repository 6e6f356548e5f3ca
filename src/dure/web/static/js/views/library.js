// Papers and the glossary: search, read, note, import, export. One view, two lists.

import { t } from "../i18n.js";
import { Component, html, render } from "../preact.js";
import { replaceRoute } from "../router.js";
import { Glossary } from "./glossary.js";
import { Papers } from "./papers.js";

export async function open(host, { path: [tab], query }) {
  render(html`<${Library} tab=${tab === "glossary" ? tab : "papers"} words=${query.get("q") ?? ""} />`, host);
  return () => render(null, host);
}

const TABS = { papers: Papers, glossary: Glossary };

class Library extends Component {
  constructor({ tab }) {
    super();
    this.state = { tab };
  }

  choose(tab) {
    replaceRoute(`#/library/${tab}`);
    this.setState({ tab });
  }

  render({ words }, { tab }) {
    return html`<h1>${t("library.title")}</h1>
      <div class="side-tabs" role="group" aria-label=${t("library.title")}>${Object.keys(TABS).map((each) => html`<button type="button" class="side-tab" aria-pressed=${String(each === tab)} onClick=${() => this.choose(each)}>${t(`library.${each}`)}</button>`)}</div>
      <${TABS[tab]} key=${tab} words=${words} />`;
  }
}
