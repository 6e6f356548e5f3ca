// Conversations: list by days, search, rename, read, delete.

import { getJson, query, send } from "../api.js";
import { button, fill, h, icon, iconButton } from "../dom.js";
import { since, t, when } from "../i18n.js";
import { tell } from "../state.js";
import { asked, confirmed, toast } from "../toast.js";

const PAGE = 200;

export async function open(host) {
  const view = new Sessions(host);
  await view.load();
}

class Sessions {
  constructor(host) {
    this.list = h("ul.rows");
    this.more = button(t("more"), () => this.load(this.next), { hidden: true });
    this.input = h("input", { type: "search", "aria-label": t("sessions.search"), placeholder: t("sessions.search") });
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.load(), 200);
    });
    fill(host, h("h1", {}, t("sessions.title")), h("div.search-line", {}, this.input), this.list, this.more);
  }

  async load(before) {
    const q = this.input.value.trim();
    try {
      const found = await getJson(`/v1/sessions${query({ q, limit: PAGE, before })}`);
      if (q !== this.input.value.trim()) return;
      if (!before) this.head = "";
      const rows = found.sessions.flatMap((each) => [this.group(each), this.row(each)]).filter(Boolean);
      if (before) this.list.append(...rows);
      else fill(this.list, rows.length ? rows : h("li.empty", {}, q ? t("sessions.empty") : [t("sessions.none"), " ", h("a", { href: "#/" }, t("nav.new"))]));
      this.next = found.next ?? null;
      this.more.hidden = !this.next;
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  /** The head of a day's conversations, before the first of them. */
  group({ updated_at: at }) {
    const head = since(at);
    if (head === this.head) return null;
    this.head = head;
    return h("li.group", {}, h("h2", {}, head));
  }

  row(each) {
    const title = each.title || t("sessions.untitled");
    const at = `/v1/sessions/${encodeURIComponent(each.id)}`;
    const link = h("a", { href: `#/s/${encodeURIComponent(each.id)}` }, title);
    const row = h(
      "li.row",
      { data: { id: each.id } },
      h("div.row-main", {}, h("div.row-title", {}, link), h("small", {}, when(each.updated_at))),
      iconButton("edit", t("sessions.rename", { title }), () => this.change(async () => {
        const name = (await asked(t("sessions.rename_title"), title, { maxlength: "200" }))?.trim();
        if (!name || name === title) return;
        await send("PATCH", at, { title: name });
        row.replaceWith(this.row({ ...each, title: name }));
      })),
      each.shared && h("span.mark", { data: { status: "waiting" } }, t("share.shared")),
      h("a.icon-button", { href: `#/read/${encodeURIComponent(each.id)}`, "aria-label": t("sessions.read", { title }), title: t("sessions.read", { title }) }, icon("book")),
      iconButton("trash", t("sessions.delete", { title }), () => this.change(async () => {
        if (!(await confirmed(t("sessions.delete_question", { title }), t("delete")))) return;
        await send("DELETE", at);
        row.remove();
      })),
    );
    return row;
  }

  async change(work) {
    try {
      await work();
      tell("sessions");
    } catch (error) {
      toast(error.message, "bad");
    }
  }
}
