// Documents: dropped or chosen files with the progress of each, for oneself or for a shelf; their state, a search to try
// out, deletion.

import { ApiError, getJson, headers, here, query, save, send } from "../api.js";
import { button, fill, h, icon, iconButton } from "../dom.js";
import { bytes, number, problemText, t, tOr, when } from "../i18n.js";
import { placeName } from "../names.js";
import { openSource } from "../sources.js";
import { confirmed, toast } from "../toast.js";
import { SHEETS, SLIDES } from "./sheet.js";
import { Tagged } from "./tagged.js";

const AT_ONCE = 3;
const EVERY = 800;
const PERSONAL = "personal";
const BUSY = new Set(["queued", "indexing"]);

export async function open(host, { query: given }) {
  const page = new Documents(host, given);
  await page.refresh();
  const { open: id, ...cited } = Object.fromEntries(given);
  // Where answers elsewhere lead to.
  if (id) openSource({ ...cited, document_id: id, page: Number(cited.page) || null, start: Number(cited.start), end: Number(cited.end), quote: "" });
  return () => page.close();
}

class Documents {
  constructor(host, given) {
    Object.assign(this, { waiting: [], sending: 0, timer: 0, requests: new Set() });
    this.uploads = h("ul.uploads", { "aria-label": t("documents.uploads") });
    this.list = h("ul.rows");
    this.found = h("div.found", { "aria-live": "polite" });
    const input = h("input.unseen", { type: "file", multiple: true, tabIndex: -1, "aria-hidden": true });
    input.addEventListener("change", () => (this.add([...input.files]), (input.value = "")));
    const choose = button(t("documents.choose"), () => input.click(), { class: "primary" }, "plus");
    this.place = h("div.shelf-choice");
    this.drop = h("div.drop", {}, h("p", {}, t("documents.drop")), choose, input, this.place, h("small", {}, t("documents.kinds")));
    this.takeDrops();
    this.shelves = this.findShelves();
    this.tagged = new Tagged(given, () => this.drawn && this.show());
    this.words = h("input", { type: "search", "aria-label": t("field.name"), placeholder: t("field.name"), oninput: () => this.show(), hidden: true });
    fill(host, h("h1", {}, t("documents.title")), h("p.lead", {}, t("documents.about"), " ", h("a", { href: "#/shelves" }, t("shelves.title"))), this.drop, this.uploads, h("div.filters", {}, this.words, this.tagged.shown), this.list, this.searchBox(), this.found);
  }

  /** Where files may be put: asked for where there is a choice. */
  async findShelves() {
    const { shelves } = await getJson("/v1/shelves").catch(() => ({ shelves: [] }));
    const names = shelves.filter((each) => each.role === "editor").map((each) => each.name);
    this.readOnly = new Set(shelves.filter((each) => each.role === "reader").map((each) => each.name));
    if (!names.length) return;
    this.shelf = h("select", {}, h("option", { value: "" }, t("documents.shelf_own")), names.map((name) => h("option", { value: name }, name)));
    fill(this.place, h("label", {}, t("documents.shelf"), this.shelf));
  }

  close() {
    clearTimeout(this.timer);
    this.closed = true;
    for (const [type, listener] of this.listeners) removeEventListener(type, listener);
  }

  takeDrops() {
    const files = (event) => event.dataTransfer?.types.includes("Files");
    const over = (event) => files(event) && (event.preventDefault(), this.drop.classList.add("over"));
    const leave = (event) => event.relatedTarget || this.drop.classList.remove("over");
    const drop = (event) => {
      if (!files(event)) return;
      event.preventDefault();
      this.drop.classList.remove("over");
      this.add([...event.dataTransfer.files]);
    };
    this.listeners = Object.entries({ dragover: over, dragleave: leave, drop });
    for (const [type, listener] of this.listeners) addEventListener(type, listener);
  }

  add(files) {
    for (const file of files) {
      const upload = { file, shelf: this.shelf?.value, bar: h("progress", { max: "100", value: 0, "aria-label": file.name }), note: h("small") };
      upload.row = h("li.upload", {}, icon("file"), h("span.upload-name", {}, file.name), upload.bar, upload.note);
      this.uploads.append(upload.row);
      this.waiting.push(upload);
    }
    this.next();
  }

  next() {
    while (this.sending < AT_ONCE && this.waiting.length) {
      this.sending += 1;
      const upload = this.waiting.shift();
      post(upload)
        .then(() => upload.row.remove(), (error) => failed(upload, error))
        .finally(() => {
          this.sending -= 1;
          this.next();
          if (!this.closed) this.refresh();
        });
    }
  }

  async refresh() {
    clearTimeout(this.timer);
    let busy = true;
    try {
      const [{ documents }] = await Promise.all([getJson("/v1/documents"), this.shelves]);
      if (this.closed) return;
      this.draw(documents);
      busy = documents.some((each) => BUSY.has(each.status));
    } catch (error) {
      // The list as it was is better than none; asked again below.
      if (!this.shape) throw error;
    }
    if (busy && !this.closed) this.timer = setTimeout(() => this.refresh(), EVERY);
  }

  draw(documents) {
    const shape = JSON.stringify(documents);
    if (shape === this.shape) return;
    this.shape = shape;
    this.drawn = documents;
    this.show();
  }

  show() {
    const { activeElement } = document;
    const row = activeElement?.closest?.("li.row");
    const name = row && nameOf(activeElement);
    // The newest first: of what was added at once, too.
    this.words.hidden = !this.drawn.length;
    const words = this.words.value.trim().toLowerCase();
    const named = (each) => `${each.name}\n${each.title}`.toLowerCase().includes(words);
    const shown = this.tagged.of(this.drawn).filter(named).reverse().sort((a, b) => (a.created_at < b.created_at) - (a.created_at > b.created_at));
    fill(this.list, shown.length ? shown.map((each) => this.row(each)) : h("li.empty", {}, t(words || this.tagged.any ? "documents.none_such" : "documents.empty")));
    if (row) [...this.list.querySelectorAll(`[data-id="${CSS.escape(row.dataset.id)}"] button`)].find((each) => nameOf(each) === name)?.focus();
  }

  row(each) {
    const facts = [bytes(each.size), each.pages && t(countedBy(each.kind), { n: number(each.pages) }),
      each.passages > 0 && t("documents.passages", { n: number(each.passages) }), when(each.created_at), each.author];
    const show = () => openSource({ document_id: each.id, title: each.title, page: each.pages ? 1 : null, start: 0, end: 0, quote: "" });
    const original = () => save(`/v1/documents/${each.id}/original`, each.name).catch((error) => toast(error.message, "bad"));
    const name = each.status === "ready"
      ? h("button.link", { type: "button", onclick: show, "aria-label": t("documents.open", { name: each.name }) }, each.name)
      : h("span", {}, each.name);
    return h(
      "li.row",
      { data: { id: each.id } },
      h("div.row-main", {}, h("div.row-title", {}, name, h("span.mark", { data: { status: each.status } }, tOr(`status.${each.status}`, each.status)), each.shelf !== PERSONAL && h("span.mark", {}, each.shelf)),
        h("small", {}, facts.filter(Boolean).join(" · ")), this.tagged.chips(each), each.error && h("p.error-text", {}, each.error.message)),
      !this.readOnly.has(each.shelf) && this.tagged.edit(each, () => this.refresh()),
      iconButton("download", `${t("documents.original")}: ${each.name}`, original),
      !this.readOnly.has(each.shelf) && iconButton("trash", `${t("delete")}: ${each.name}`, () => this.remove(each)),
    );
  }

  async remove(each) {
    if (!(await confirmed(t("documents.delete_question", { name: each.name }), t("delete")))) return;
    await send("DELETE", `/v1/documents/${each.id}`).catch((error) => toast(error.message, "bad"));
    await this.refresh();
  }

  searchBox() {
    const input = h("input", { type: "search", "aria-label": t("documents.search"), placeholder: t("documents.search") });
    const submit = (event) => (event.preventDefault(), this.search(input.value.trim()));
    return h("form.search", { role: "search", onsubmit: submit }, h("h2", {}, t("documents.search")), h("p.hint", {}, t("documents.search_hint")),
      h("div.search-line", {}, input, h("button.button", { type: "submit" }, icon("search"), t("documents.search"))));
  }

  async search(q) {
    if (!q) return fill(this.found);
    try {
      const { passages, evidence } = await getJson(`/v1/search${query({ q, k: 8 })}`);
      if (!passages.length) return fill(this.found, h("p.empty", {}, t("documents.search_none")));
      fill(this.found, h("p.hint", {}, t("documents.evidence", { n: evidence.toFixed(2) })), h("ol.passages", {}, passages.map((each) => this.passage(each))));
    } catch (error) {
      fill(this.found, h("p.error-text", {}, error.message));
    }
  }

  passage(each) {
    const open = (event) => openSource({ ...each, quote: each.text }, event.currentTarget);
    return h("li", {}, h("button.passage", { type: "button", onclick: open },
      h("span.row-title", {}, h("strong", {}, each.title), h("small", {}, placeName(each)), h("small.score", {}, each.score.toFixed(3))), h("span.passage-text", {}, each.text)));
  }
}

const countedBy = (kind) => (SHEETS.has(kind) ? "documents.sheets" : SLIDES.has(kind) ? "documents.slides" : "documents.pages");

const nameOf = (element) => element.ariaLabel ?? element.textContent;

function failed(upload, error) {
  upload.bar.remove();
  upload.row.classList.add("failed");
  fill(upload.note, error.message);
  upload.row.append(iconButton("close", `${t("source.close")}: ${upload.file.name}`, () => upload.row.remove()));
}

/** XMLHttpRequest, since fetch does not tell how much was sent. */
function post({ file, shelf, bar, note }) {
  return new Promise((done, fail) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", here(`/v1/documents${query({ shelf })}`));
    for (const [name, value] of Object.entries(headers())) sending.setRequestHeader(name, value);
    sending.upload.addEventListener("progress", ({ loaded, total }) => {
      bar.value = (100 * loaded) / total;
      note.textContent = t("status.uploading", { n: Math.floor((100 * loaded) / total) });
    });
    sending.addEventListener("error", () => fail(new ApiError(0, "offline", t("error.offline"))));
    sending.addEventListener("load", () => {
      let reply = {};
      try {
        reply = JSON.parse(sending.responseText);
      } catch {
        // Told by its status.
      }
      const problem = reply.error ?? reply.failed?.[0]?.error;
      if (sending.status < 300 && !problem) done(reply);
      else fail(new ApiError(sending.status, problem?.code, problemText(problem ?? {}) ?? t("error.status", { status: sending.status })));
    });
    const form = new FormData();
    form.append("file", file);
    sending.send(form);
  });
}
