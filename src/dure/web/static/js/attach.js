// Files that are asked about: chosen, dropped or pasted. Pictures go with the question; others become documents, and the
// question waits until they can be searched.

import { ApiError, dataUrl, getJson, headers, here } from "./api.js";
import { problemText, t, tOr } from "./i18n.js";
import { icon, IconButton } from "./icons.js";
import { html } from "./preact.js";
import { tell } from "./state.js";

const EVERY = 600;
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const MOST = 5_000_000;
const ENDED = new Set(["ready", "failed"]);

export class Attachments {
  /** `changed()`: something is to be drawn anew. */
  constructor(changed) {
    Object.assign(this, { changed, files: [], gone: new AbortController() });
    const { signal } = this.gone;
    const carries = (event) => event.dataTransfer?.types.includes("Files");
    addEventListener("dragover", (event) => carries(event) && event.preventDefault(), { signal });
    addEventListener("drop", (event) => carries(event) && (event.preventDefault(), this.add([...event.dataTransfer.files])), { signal });
  }

  close() {
    this.gone.abort();
  }

  choose() {
    const input = Object.assign(document.createElement("input"), { type: "file", multiple: true });
    input.addEventListener("change", () => this.add([...input.files]));
    input.click();
  }

  pasted(event) {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    this.add(files);
  }

  add(files) {
    for (const file of files) {
      const entry = { name: file.name, status: "uploading", error: "" };
      const picture = PICTURES.has(file.type) && file.size <= MOST;
      entry.done = (picture ? this.look(entry, file) : this.send(entry, file)).catch((error) => {
        if (error.name !== "AbortError") this.tell(entry, "failed", error.message);
      });
      this.files = [...this.files, entry];
    }
    this.changed();
  }

  tell(entry, status, error = "") {
    Object.assign(entry, { status, error });
    this.changed();
  }

  async look(entry, file) {
    const seen = await createImageBitmap(file).catch(() => null);
    if (!seen) return this.tell(entry, "failed", t("attach.damaged"));
    seen.close();
    entry.picture = await dataUrl(file);
    this.changed();
  }

  async send(entry, file) {
    const { signal } = this.gone;
    const body = new FormData();
    body.append("file", file, file.name);
    const reply = await fetch(here("/v1/documents"), { method: "POST", headers: headers(), body, signal });
    const found = await reply.json();
    if (!reply.ok) throw new ApiError(reply.status, found.error?.code, problemText(found.error ?? {}) ?? t("error.status", { status: reply.status }));
    const { id } = found.documents[0];
    for (;;) {
      const document = await getJson(`/v1/documents/${id}`, { signal });
      if (document.status !== entry.status) this.tell(entry, document.status, document.error?.message ?? "");
      entry.title = document.title;
      if (document.status === "ready") tell("documents");
      if (ENDED.has(document.status)) return;
      await new Promise((done) => setTimeout(done, EVERY));
    }
  }

  remove(entry) {
    this.files = this.files.filter((each) => each !== entry);
    this.changed();
  }

  get failed() {
    return this.files.some((each) => each.status === "failed");
  }

  /** The pictures, and the titles of what was read, once all files are read. Neither is shown any more: what was read
      stands among the documents. Null where one has failed: what is asked about it waits until it is taken away. */
  async ready() {
    const { files } = this;
    await Promise.all(files.map((each) => each.done));
    if (this.failed) return null;
    this.files = this.files.filter((each) => !files.includes(each));
    this.changed();
    return { pictures: files.flatMap((each) => each.picture ?? []), titles: files.flatMap((each) => each.title ?? []) };
  }
}

export function Attached({ attachments }) {
  if (!attachments.files.length) return null;
  const status = (each) => tOr(each.status === "uploading" ? "attach.uploading" : `status.${each.status}`, each.status);
  return html`<ul class="attached" aria-label=${t("attach.title")}>${attachments.files.map((each) => html`<li class="file-chip" title=${each.error}>
    ${each.picture ? html`<img src=${each.picture} alt="" />` : icon("file")}<span>${each.name}</span>
    ${!each.picture && html`<span class="mark" data-status=${each.status}>${status(each)}</span>`}
    ${each.error && html`<small class="error-text">${each.error}</small>`}
    <${IconButton} name="close" label=${t("attach.remove", { name: each.name })} onClick=${() => attachments.remove(each)} />
  </li>`)}</ul>
  ${attachments.failed && html`<p class="note" role="alert">${t("attach.failed")}</p>`}`;
}
