// Beside the chat: what was done for an answer, what it stands on, and what was made; or one source alone.

import { worked } from "../activity.js";
import { Artifacts } from "../artifacts.js";
import { grouped } from "../cited.js";
import { t } from "../i18n.js";
import { Button, IconButton } from "../icons.js";
import { placeName } from "../names.js";
import { Plan } from "../plan.js";
import { Component, html, render } from "../preact.js";
import { Tree } from "../tree.js";
import { Source } from "./source.js";

let showing = null;

/** Open beside an answer (`entry`; null: of none) on `tab` "work", "sources" or "files", or at a `citation`. */
export function openSide({ entry = null, tab = "sources", citation = null }, opener) {
  showing?.close();
  const host = document.getElementById("panel");
  // From wherever one is, but where it closes or ends something else.
  const escape = (event) => event.key === "Escape" && !event.defaultPrevented && !event.isComposing && !document.querySelector("dialog[open]") && close(true);
  const close = (back = false) => {
    showing = null;
    if (entry) entry.beside = entry.left = undefined;
    removeEventListener("keydown", escape);
    opener?.removeAttribute?.("aria-expanded");
    render(null, host);
    host.hidden = true;
    document.body.classList.remove("panel-open");
    if (back && opener?.isConnected) opener.focus();
  };
  showing = { close };
  if (entry) entry.left = () => close();
  host.hidden = false;
  document.body.classList.add("panel-open");
  opener?.setAttribute?.("aria-expanded", "true");
  addEventListener("keydown", escape);
  render(html`<${Side} entry=${entry} tab=${tab} citation=${citation} close=${() => close(true)} />`, host);
  host.querySelector(".side-close").focus();
}

export const closeSide = () => showing?.close();

const TABS = { work: "side.work", sources: "side.sources", files: "side.files" };

class Side extends Component {
  constructor({ entry, tab, citation }) {
    super();
    this.state = { tab, citation };
    if (entry) entry.beside = () => this.setState({});
  }

  render({ entry, close }, { tab, citation }) {
    const run = entry?.run;
    const choose = (name) => this.setState({ tab: name, citation: null });
    return html`<header class="panel-head">
        ${run && html`<div class="side-tabs" role="group" aria-label=${t("side.title")}>${Object.entries(TABS).map(([name, key]) => html`<button type="button" class="side-tab" aria-pressed=${String(name === tab)} onClick=${() => choose(name)}>${t(key)}<small>${count(run, name)}</small></button>`)}</div>`}
        <${IconButton} name="close" label=${t("source.close")} onClick=${close} class="icon-button side-close" />
      </header>
      <div class="panel-body" tabindex="0" role="region" aria-label=${t(run ? TABS[tab] : "source.text")}>
        ${tab === "work" && html`<${Work} run=${run} />`}
        ${tab === "files" && (run.artifacts.length ? html`<${Artifacts} run=${run} />` : html`<p class="empty">${t("side.no_files")}</p>`)}
        ${tab === "sources" && (citation ? this.source(run, citation) : html`<${Documents} citations=${run.citations} choose=${(each) => this.setState({ citation: each })} />`)}
      </div>`;
  }

  source(run, citation) {
    const all = run?.citations ?? [];
    // An answer that is read anew has its citations anew.
    const at = all.findIndex((each) => named(each) === named(citation));
    const move = (by) => this.setState({ citation: all[at + by] });
    return html`${all.length > 1 && at >= 0 && html`<nav class="source-steps" aria-label=${t("source.title")}>
        <${Button} label=${t("side.all")} onClick=${() => this.setState({ citation: null })} />
        <${IconButton} name="chevron" label=${t("side.previous")} class="icon-button back" disabled=${at < 1} onClick=${() => move(-1)} />
        <span>${at + 1} / ${all.length}</span>
        <${IconButton} name="chevron" label=${t("side.next")} disabled=${at >= all.length - 1} onClick=${() => move(1)} />
      </nav>`}
      <${Source} key=${named(citation)} citation=${citation} />`;
  }
}

const named = ({ document_id, start, marker }) => `${document_id} ${start} ${marker}`;

function count(run, name) {
  const n = { work: new Set(run.agents.values()).size, sources: run.citations.length, files: run.artifacts.length }[name];
  return n || "";
}

const Work = ({ run }) => html`<div class="side-work">
  ${run.plan && html`<${Plan} run=${run} />`}
  ${worked(run) ? html`<${Tree} run=${run} />` : html`<p class="empty">${t("side.no_work")}</p>`}
</div>`;

function Documents({ citations, choose }) {
  if (!citations.length) return html`<p class="empty">${t("side.no_sources")}</p>`;
  return html`<div class="side-sources">${grouped(citations).map(({ title, found }) => html`<section>
    <h3>${title}</h3>
    <ul>${found.map((each) => html`<li><button type="button" class="source-row" onClick=${() => choose(each)}>
      <span class="source-number">${each.marker}</span><q>${each.quote}</q>${placeName(each) && html`<small>${placeName(each)}</small>`}
    </button></li>`)}</ul>
  </section>`)}</div>`;
}
