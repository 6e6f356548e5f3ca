// A source beside the answer: the document at the passage with the sentence marked; of a PDF its page as a picture.

import { getJson, query, request } from "../api.js";
import { fill, h, iconButton, icon } from "../dom.js";
import { t } from "../i18n.js";

const AROUND = 1500;
// Above a picture of the whole page little text is enough.
const AROUND_PICTURE = 220;
const WIDTH = 1000;

let showing = null;

export function openPanel(citation, opener) {
  const panel = document.getElementById("panel");
  showing?.close();
  showing = new Panel(panel, citation, opener);
  showing.load();
}

class Panel {
  constructor(host, citation, opener) {
    Object.assign(this, { host, citation, opener, gone: new AbortController(), urls: [] });
    this.body = h("div.panel-body", { tabIndex: 0, role: "region", "aria-label": t("source.text") }, h("p.note", {}, t("loading")));
    const place = citation.page ? t("source.page", { page: citation.page }) : "";
    const close = iconButton("close", t("source.close"), () => this.close(true));
    const head = h("header.panel-head", {}, h("div", {}, h("h2", {}, citation.title), place && h("small", {}, place)), close);
    fill(host, head, this.body);
    host.hidden = false;
    document.body.classList.add("panel-open");
    opener?.setAttribute?.("aria-expanded", "true");
    this.escape = (event) => event.key === "Escape" && this.close(true);
    host.addEventListener("keydown", this.escape);
    close.focus();
  }

  close(back = false) {
    this.gone.abort();
    for (const url of this.urls) URL.revokeObjectURL(url);
    this.host.removeEventListener("keydown", this.escape);
    this.opener?.removeAttribute?.("aria-expanded");
    showing = null;
    this.host.hidden = true;
    fill(this.host);
    document.body.classList.remove("panel-open");
    if (back && this.opener?.isConnected) this.opener.focus();
  }

  async load() {
    const { citation, gone } = this;
    const at = `/v1/documents/${encodeURIComponent(citation.document_id)}`;
    const external = citation.url && safeLink(citation.url);
    try {
      const document = await getJson(at, { signal: gone.signal });
      const pictured = document.kind === "pdf" && citation.page;
      const around = pictured && citation.end ? AROUND_PICTURE : AROUND;
      const reach = { start: Math.max(0, citation.start - around), end: citation.end + around };
      const text = this.text(await getJson(`${at}/text${query(reach)}`, { signal: gone.signal }));
      fill(this.body, external, text.element, pictured && this.picture(at, document));
      text.mark?.scrollIntoView({ block: "center" });
    } catch (error) {
      if (error.name === "AbortError") return;
      const gone = error.code === "not_found";
      // A web page was never kept; a deleted document is no longer there.
      const reason = external && gone ? null : h("p.note", {}, gone ? t("source.gone") : error.message);
      fill(this.body, external, h("h3", {}, t("source.quote")), h("blockquote.quote", {}, h("mark", {}, citation.quote)), reason);
    }
  }

  /** The text around, with the cited sentence marked. Offsets count characters, not UTF-16 units. */
  text(slice) {
    const { citation } = this;
    const characters = Array.from(slice.text);
    const cut = (from, to) => characters.slice(Math.max(0, from - slice.start), Math.max(0, to - slice.start)).join("");
    const end = slice.start + characters.length;
    const mark = h("mark", { id: "cited", tabIndex: -1 }, cut(citation.start, citation.end));
    const before = slice.start > 0 && "… ";
    const element = h("div.source-text", {}, before, cut(slice.start, citation.start), mark, cut(citation.end, end), end < slice.chars && " …");
    return { element, mark };
  }

  picture(at, document) {
    let page = this.citation.page;
    const image = h("img.page-picture", { hidden: true });
    const shown = h("span.page-number", { "aria-live": "polite" });
    const turn = async (by) => {
      page = Math.min(Math.max(1, page + by), document.pages ?? page);
      shown.textContent = `${page} / ${document.pages ?? "?"}`;
      [previous.disabled, next.disabled] = [page <= 1, page >= (document.pages ?? page)];
      const wanted = page;
      image.alt = t("source.page_picture", { title: this.citation.title, page });
      try {
        const reply = await request(`${at}/pages/${page}.png?width=${WIDTH}`, { signal: this.gone.signal });
        const url = URL.createObjectURL(await reply.blob());
        this.urls.push(url);
        if (wanted !== page) return;
        image.src = url;
        image.hidden = false;
      } catch (error) {
        if (error.name !== "AbortError") figure.replaceChildren(h("p.note", {}, t("source.no_picture")));
      }
    };
    const previous = iconButton("chevron", t("source.previous"), () => turn(-1), { class: "back" });
    const next = iconButton("chevron", t("source.next"), () => turn(1));
    const figure = h("figure.page-figure", {}, h("div.page-frame", {}, image), h("figcaption", {}, previous, shown, next));
    turn(0);
    return figure;
  }
}

/** A link to a page on the web, which says where it leads; none for anything else. */
function safeLink(url) {
  if (!/^https?:\/\//i.test(url)) return null;
  const link = h("a.button", { href: url, target: "_blank", rel: "noreferrer noopener nofollow" }, icon("external"), t("source.external"));
  return h("p.external-source", {}, link, h("small", {}, url));
}
