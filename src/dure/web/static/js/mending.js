// Without a model nothing is answered: the bundled one is fetched here, or another's address tried.

import { ApiError, getJson, send } from "./api.js";
import { copyText } from "./copy.js";
import { number, t } from "./i18n.js";
import { Button, IconButton } from "./icons.js";
import { Component, html } from "./preact.js";

const EVERY = 1_000;

/** Nothing where the model is ready, unless `always`. */
export class ModelCard extends Component {
  constructor() {
    super();
    this.state = { model: null, fetching: false, problem: "", tried: null };
  }

  componentDidMount() {
    this.look();
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
  }

  /** `/readyz` says how it is, also with a status that is an error's. */
  async look() {
    const { model } = await fetch("./readyz").then((reply) => reply.json()).catch(() => ({}));
    this.setState({ model });
    if (this.state.fetching || model?.fetched) this.timer = setTimeout(() => this.look(), EVERY);
  }

  async fetch() {
    this.setState({ fetching: true, problem: "" });
    this.timer = setTimeout(() => this.look(), EVERY);
    const problem = await send("POST", "/v1/model/fetch").then(() => "", (error) => error.message);
    this.setState({ fetching: false, problem });
    this.look();
  }

  async try(event) {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const asked = Object.fromEntries([...given].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
    this.setState({ tried: { state: "working" } });
    try {
      const found = await send("POST", "/v1/model/try", asked);
      this.setState({ tried: { ...found, asked } });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.setState({ tried: { state: "failed", detail: named(error.message), mend: "" } });
    }
  }

  render({ always }, { model, fetching, problem, tried }) {
    const answers = !model || model.status === "ok" || (model.status === "starting" && !model.fetched);
    if (answers && !always) return null;
    const missing = model?.error?.code === "weights_missing" || model?.fetched;
    const title = answers ? t("mend.another", { name: model?.name ?? "" }) : t("mend.model");
    return html`<div class=${answers ? "mending fine" : "mending"} role="group" aria-label=${title}>
      <h2>${title}</h2>
      ${missing && html`<${Fetching} fetched=${model.fetched} fetching=${fetching} begin=${() => this.fetch()} />`}
      ${problem && html`<p class="error-text" role="alert">${problem}</p>`}
      <details open=${!missing}><summary>${t("mend.other")}</summary>
        <form onSubmit=${(event) => this.try(event)}>
          ${FIELDS.map(([name, props]) => html`<label class="field">${t(`mend.${name}`)}<input name=${name} autocomplete="off" spellcheck=${false} ...${props} /></label>`)}
          <div class="actions"><${Button} type="submit" label=${t("mend.try")} disabled=${tried?.state === "working"} /></div>
        </form>
        <div aria-live="polite">${tried && html`<${Tried} ...${tried} />`}</div>
      </details>
    </div>`;
  }
}

const FIELDS = [
  ["base_url", { type: "url", required: true, placeholder: "http://localhost:8000/v1" }],
  ["name", { placeholder: "qwen3-8b" }],
  ["key", { type: "password" }],
];
const SETTINGS = { base_url: "model_base_url", name: "model_name", key: "model_api_key" };

/** What the server calls a field by its name there, as it is called here. */
const named = (message) => FIELDS.reduce((said, [name]) => said.replace(`${name}: `, `${t(`mend.${name}`)}: `), message);

const megabytes = (bytes) => number(Math.round(bytes / 1e6));

function Fetching({ fetched, fetching, begin }) {
  if (!fetched && !fetching) return html`<p>${t("mend.fetch_about")}</p><div class="actions"><${Button} name="download" label=${t("mend.fetch")} kind="primary" onClick=${begin} /></div>`;
  const { there = 0, size = 1 } = fetched ?? {};
  return html`<label class="fetching">${t("mend.fetching")}<progress max=${size} value=${there}></progress>${fetched && html`<small>${t("mend.megabytes", { there: megabytes(there), size: megabytes(size) })}</small>`}</label>`;
}

/** What came of it; where it answered, the lines that keep it. */
function Tried({ state, detail, mend, asked }) {
  if (state === "working") return html`<p class="note">${t("mend.trying")}</p>`;
  if (state !== "ok") return html`<p class="error-text">${detail}</p>${mend && html`<p class="mend">${mend}</p>`}`;
  const lines = Object.entries(SETTINGS).filter(([name]) => asked[name]).map(([name, setting]) => `${setting} = ${JSON.stringify(asked[name])}`).join("\n");
  return html`<p>${t("mend.works", { name: detail })}</p>
    <figure class="code-block"><figcaption><span>dure.toml</span><${IconButton} name="copy" label=${t("copy")} onClick=${(event) => copyText(lines, event.currentTarget)} /></figcaption><pre tabindex="0"><code>${lines}</code></pre></figure>`;
}
