// The library's papers: found by words, read, noted; a file of references in or out.

import { getJson, headers, here, query, save, send } from "../api.js";
import { problemText, t } from "../i18n.js";
import { Button, icon, IconButton, Skeleton } from "../icons.js";
import { Component, html } from "../preact.js";
import { SearchBox } from "../searchbox.js";
import { openSource } from "../sources.js";
import { asked, toast } from "../toast.js";

const PAGE = 50;
const failed = (error) => toast(error.message, "bad");

export class Papers extends Component {
  constructor({ words }) {
    super();
    this.state = { words, papers: null, more: false };
  }

  componentDidMount() {
    this.look(this.state.words);
  }

  /** Papers about `words`, best first; without words all of them, newest first, from the `offset`th on. */
  async look(words, offset = 0) {
    this.asked = words;
    try {
      const { papers } = await getJson(`/v1/papers${query({ q: words, limit: PAGE, offset: offset || "" })}`);
      if (this.asked !== words) return;
      this.setState(({ papers: before }) => ({ words, papers: offset ? [...before, ...papers] : papers, more: !words && papers.length === PAGE }));
    } catch (error) {
      this.setState({ papers: [] });
      failed(error);
    }
  }

  async take({ currentTarget: input }) {
    const body = new FormData();
    for (const each of input.files) body.append("file", each);
    input.value = "";
    try {
      const reply = await fetch(here("/v1/papers"), { method: "POST", body, headers: headers() });
      const found = await reply.json();
      if (!reply.ok) throw new Error(problemText(found.error ?? {}) ?? t("error.status", { status: reply.status }));
      toast(t("papers.imported", found));
      for (const each of found.failed_files ?? []) toast(`${each.name}: ${each.error.message}`, "bad");
      this.look(this.state.words);
    } catch (error) {
      failed(error);
    }
  }

  render(_, { words, papers, more }) {
    return html`<div class="search-line">
        <${SearchBox} label=${t("papers.search")} words=${words} look=${(given) => this.look(given)} />
        <input type="file" class="unseen" multiple tabindex="-1" aria-hidden="true" ref=${(input) => (this.input = input)} onChange=${(event) => this.take(event)} />
        <${Button} name="plus" label=${t("papers.import")} onClick=${() => this.input.click()} />
        <${Button} name="download" label=${t("papers.export")} onClick=${() => save("/v1/papers/export?format=bibtex", "dure-papers.bib").catch(failed)} />
      </div>
      ${papers === null && html`<${Skeleton} />`}
      ${papers?.length === 0 && html`<p class="empty">${t("papers.empty")}</p>`}
      <ul class="rows">${(papers ?? []).map((each) => html`<${Paper} key=${each.id} paper=${each} />`)}</ul>
      ${more && html`<${Button} label=${t("more")} onClick=${() => this.look("", papers.length)} />`}`;
  }
}

class Paper extends Component {
  constructor({ paper }) {
    super();
    this.state = { paper };
  }

  /** Change something, and show the paper as it is then. */
  async change(work) {
    const { id } = this.state.paper;
    const at = `/v1/papers/${encodeURIComponent(id)}`;
    try {
      await work(at);
      this.setState({ paper: await getJson(at) });
    } catch (error) {
      failed(error);
    }
  }

  async note() {
    const text = (await asked(t("papers.note"), "", { maxlength: "20000" }))?.trim();
    if (text) this.change((at) => send("POST", `${at}/notes`, { text }));
  }

  async tag() {
    const given = await asked(t("papers.tags"), this.state.paper.tags.join(", "), { maxlength: "4000" });
    if (given === null) return;
    const tags = given.split(",").map((each) => each.trim()).filter(Boolean);
    this.change((at) => send("PATCH", at, { tags }));
  }

  render(_, { paper, open }) {
    const when = [paper.authors.slice(0, 3).join(", ") + (paper.authors.length > 3 ? " …" : ""), paper.year, paper.venue].filter(Boolean).join(" · ");
    return html`<li class="row paper"><details class="row-main" onToggle=${(event) => this.setState({ open: event.currentTarget.open })}>
      <summary><strong>${paper.title}</strong><small>${when}</small></summary>
      ${open && this.body(paper)}
    </details></li>`;
  }

  body(paper) {
    const read = (event) => openSource({ document_id: paper.full_text_id ?? paper.document_id, title: paper.title, start: 0, end: 0 }, event.currentTarget);
    return html`<div class="paper-body">
      ${paper.abstract && html`<p>${paper.abstract}</p>`}
      ${paper.tags.length > 0 && html`<p class="tags">${paper.tags.map((each) => html`<span class="mark">${each}</span>`)}</p>`}
      ${paper.notes.length > 0 && html`<ul class="notes">${paper.notes.map((each) => html`<li>${each.text} <${IconButton} name="trash" label=${t("papers.note_delete")} onClick=${() => this.change((at) => send("DELETE", `${at}/notes/${encodeURIComponent(each.id)}`))} /></li>`)}</ul>`}
      <div class="actions">
        <${Button} name="file" label=${t("papers.read")} onClick=${read} />
        <${Button} name="edit" label=${t("papers.note")} onClick=${() => this.note()} />
        <${Button} name="list" label=${t("papers.tags")} onClick=${() => this.tag()} />
        ${/^https?:\/\//i.test(paper.link ?? "") && html`<a class="button" href=${paper.link} target="_blank" rel="noreferrer noopener nofollow">${icon("external")}${t("source.external")}</a>`}
      </div>
    </div>`;
  }
}
