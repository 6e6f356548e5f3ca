// The glossary: terms with what they mean, in plain words and exactly; one's own are added and taken away.

import { getJson, query, send } from "../api.js";
import { schemaForm } from "../form.js";
import { language, t } from "../i18n.js";
import { Button, Hosted, IconButton, Skeleton } from "../icons.js";
import { Component, html } from "../preact.js";
import { SearchBox } from "../searchbox.js";
import { confirmed, toast } from "../toast.js";

const PAGE = 100;
const text = (title) => ({ type: "string", title });

export class Glossary extends Component {
  constructor({ words }) {
    super();
    this.state = { words, terms: null, shown: PAGE, form: null };
  }

  componentDidMount() {
    this.look(this.state.words);
  }

  async look(words) {
    this.asked = words;
    try {
      const { terms, near = [] } = await getJson(`/v1/glossary${query({ q: words })}`);
      if (this.asked === words) this.setState({ words, terms: [...terms, ...near], shown: PAGE });
    } catch (error) {
      this.setState({ terms: [] });
      toast(error.message, "bad");
    }
  }

  begin() {
    const [own, meaning] = [`term_${language()}`, `easy_${language()}`];
    const properties = { [own]: { ...text(t("glossary.term")), minLength: 1 }, [meaning]: { ...text(t("glossary.meaning")), minLength: 1 } };
    const form = schemaForm({ properties, required: [own, meaning] }, {}, "term");
    this.setState({ form }, () => form.element.querySelector("input").focus());
  }

  async add() {
    try {
      await send("POST", "/v1/glossary", this.state.form.value());
      this.setState({ form: null });
      this.look(this.state.words);
    } catch (error) {
      // A field that does not fit says so itself.
      if (!error.field) toast(error.message, "bad");
    }
  }

  async remove(term, name) {
    if (!(await confirmed(t("glossary.delete_question", { name }), t("delete")))) return;
    try {
      await send("DELETE", `/v1/glossary/${encodeURIComponent(term.id)}`);
      this.setState(({ terms }) => ({ terms: terms.filter((each) => each !== term) }));
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  render(_, { words, terms, shown, form }) {
    return html`<div class="search-line">
        <${SearchBox} label=${t("glossary.search")} words=${words} look=${(given) => this.look(given)} />
        <${Button} name="plus" label=${t("glossary.add")} onClick=${() => this.begin()} />
      </div>
      ${form && html`<div class="form-card"><${Hosted} element=${form.element} /><div class="actions"><${Button} label=${t("save")} kind="primary" onClick=${() => this.add()} /><${Button} label=${t("cancel")} onClick=${() => this.setState({ form: null })} /></div></div>`}
      ${terms === null && html`<${Skeleton} />`}
      ${terms?.length === 0 && html`<p class="empty">${t("glossary.empty")}</p>`}
      <ul class="rows">${(terms ?? []).slice(0, shown).map((each) => this.row(each))}</ul>
      ${terms?.length > shown && html`<${Button} label=${t("more")} onClick=${() => this.setState({ shown: shown + PAGE })} />`}`;
  }

  row(term) {
    const [mine, other] = language() === "ko" ? ["ko", "en"] : ["en", "ko"];
    const name = term[`term_${mine}`] || term[`term_${other}`];
    const also = [name === term[`term_${other}`] ? "" : term[`term_${other}`], ...term.aliases].filter(Boolean).join(", ");
    const meanings = ["easy", "expert"].map((kind) => term[`${kind}_${mine}`] || term[`${kind}_${other}`]).filter(Boolean);
    return html`<li class="row" key=${term.id}>
      <div class="row-main"><strong>${name}</strong>${also && html` <small>${also}</small>`}${meanings.map((each) => html`<p>${each}</p>`)}</div>
      ${!term.shared && html`<${IconButton} name="trash" label=${t("glossary.delete", { name })} onClick=${() => this.remove(term, name)} />`}
    </li>`;
  }
}
