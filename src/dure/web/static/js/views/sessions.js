// Conversations: pinned ones first, folders, then by days; search, rename, pin, put into a folder, read, delete.

import { getJson, send } from "../api.js";
import { button, fill, h, icon, iconButton } from "../dom.js";
import { number, since, t, when } from "../i18n.js";
import { tellTabs, watch } from "../state.js";
import { asked, confirmed, toast } from "../toast.js";

const PAGE = 200;
const OPEN = "dure.folders";

export async function open(host) {
  const view = new Sessions(host);
  await view.load();
  return watch("returned", () => view.returned());
}

/** The folders that stand open, in this browser. */
const opened = () => new Set(JSON.parse(localStorage.getItem(OPEN) ?? "[]"));

class Sessions {
  constructor(host) {
    this.list = h("ul.rows");
    this.names = h("datalist", { id: "folders" });
    this.more = button(t("more"), () => this.load(this.next), { hidden: true });
    this.input = h("input", { type: "search", "aria-label": t("sessions.search"), placeholder: t("sessions.search") });
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.load(), 200);
    });
    fill(host, h("h1", {}, t("sessions.title")), h("div.search-line", {}, this.input), this.list, this.more, this.names);
  }

  async load(before) {
    const q = this.input.value.trim();
    // What is looked for may stand in any folder.
    const wanted = q ? { q } : { folder: "" };
    try {
      const [found, { folders }] = await Promise.all([read({ ...wanted, before }), before || q ? { folders: [] } : getJson("/v1/folders")]);
      if (q !== this.input.value.trim()) return;
      if (!before) this.head = "";
      const [pinned, others] = [true, false].map((pins) => this.rows(found.sessions.filter((each) => each.pinned === pins)));
      const rows = [...pinned, ...folders.map((each) => this.folder(each)), ...others];
      if (before) this.list.append(...rows);
      else fill(this.list, rows.length ? rows : h("li.empty", {}, q ? t("sessions.empty") : [t("sessions.none"), " ", h("a", { href: "#/" }, t("nav.new"))]));
      if (!before && !q) fill(this.names, folders.map(({ name }) => h("option", { value: name })));
      this.further = Boolean(before);
      this.next = found.next ?? null;
      this.more.hidden = !this.next;
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  /** Back from elsewhere: what one has in hand, or read further, stays. */
  returned() {
    if (!this.further && !this.list.contains(document.activeElement)) return this.load();
  }

  rows(sessions) {
    return sessions.flatMap((each) => [this.group(each), this.row(each)]).filter(Boolean);
  }

  /** The head of a day's conversations, before the first of them. */
  group({ updated_at: at, pinned }) {
    const head = pinned ? t("sessions.pinned") : since(at);
    if (head === this.head) return null;
    this.head = head;
    return h("li.group", {}, h("h2", {}, head));
  }

  /** What stands in a folder is read when it is opened. */
  folder({ name, sessions }) {
    const rows = h("ul.rows");
    const more = button(t("more"), () => load(more.next), { hidden: true });
    const load = async (before) => {
      try {
        const found = await read({ folder: name, before });
        (before ? rows : fill(rows)).append(...found.sessions.map((each) => this.row(each)));
        more.next = found.next;
        more.hidden = !found.next;
      } catch (error) {
        toast(error.message, "bad");
      }
    };
    const toggled = ({ currentTarget: { open } }) => {
      const names = opened();
      names[open ? "add" : "delete"](name);
      localStorage.setItem(OPEN, JSON.stringify([...names]));
      if (open && !rows.children.length) load();
    };
    return h("li.folder", { data: { name } }, h("details", { open: opened().has(name), ontoggle: toggled },
      h("summary", {}, icon("folder"), h("span", {}, name), h("small", {}, number(sessions))), rows, more));
  }

  row(each) {
    const title = each.title || t("sessions.untitled");
    const at = `/v1/sessions/${encodeURIComponent(each.id)}`;
    const link = h("a", { href: `#/s/${encodeURIComponent(each.id)}` }, title);
    const row = h(
      "li.row.talk",
      { data: { id: each.id } },
      h("div.row-main", {}, h("div.row-title", {}, link), h("small", {}, when(each.updated_at), each.folder && this.input.value.trim() && ` · ${each.folder}`)),
      each.shared && h("span.mark", { data: { status: "waiting" } }, t("share.shared")),
      iconButton("pin", t("sessions.pin", { title }), () => this.move(each, "pin", async () => ({ pinned: !each.pinned })), { "aria-pressed": each.pinned }),
      iconButton("folder", t("sessions.folder", { title }), () => this.move(each, "folder", async () => {
        const folder = (await asked(t("sessions.folder_title"), each.folder, { maxlength: "200", list: "folders" }))?.trim();
        return folder === undefined || folder === each.folder ? null : { folder };
      })),
      iconButton("edit", t("sessions.rename", { title }), () => this.change(async () => {
        const name = (await asked(t("sessions.rename_title"), title, { maxlength: "200", required: true, pattern: ".*\\S.*" }))?.trim();
        if (!name || name === title) return;
        await send("PATCH", at, { title: name });
        row.replaceWith(this.row({ ...each, title: name }));
      })),
      h("a.icon-button", { href: `#/read/${encodeURIComponent(each.id)}`, "aria-label": t("sessions.read", { title }), title: t("sessions.read", { title }) }, icon("book")),
      iconButton("trash", t("sessions.delete", { title }), () => this.change(async () => {
        if (!(await confirmed(t("sessions.delete_question", { title }), t("delete")))) return;
        await send("DELETE", at);
        row.remove();
      })),
    );
    return row;
  }

  /** What puts a conversation elsewhere in the list: `given()` gives what is to be changed. Who did it by keyboard goes on there, or at the folder that it went into. */
  move(each, name, given) {
    return this.change(async () => {
      const wanted = await given();
      if (!wanted) return;
      await send("PATCH", `/v1/sessions/${encodeURIComponent(each.id)}`, wanted);
      await this.load();
      const order = { pin: 0, folder: 1 }[name];
      const there = this.list.querySelectorAll(`[data-id="${CSS.escape(each.id)}"] button`)[order];
      (there ?? this.list.querySelector(`[data-name="${CSS.escape(wanted.folder ?? "")}"] summary`))?.focus();
    });
  }

  async change(work) {
    try {
      await work();
      tellTabs("sessions");
    } catch (error) {
      toast(error.message, "bad");
    }
  }
}

const read = (wanted) => getJson(`/v1/sessions?${new URLSearchParams(Object.entries({ limit: PAGE, ...wanted }).filter(([, value]) => value !== undefined))}`);
