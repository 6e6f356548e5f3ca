// The frame around every view: where one can go, the last conversations, language and theme.

import { getJson, query } from "./api.js";
import { button, fill, h, icon, iconButton } from "./dom.js";
import { language, t, when } from "./i18n.js";
import { isUnseen, notifying, switchNotifying } from "./notify.js";
import { go } from "./router.js";
import { state, tell, watch } from "./state.js";
import { switchTheme, theme } from "./theme.js";
import { toast } from "./toast.js";

const RECENT = 30;
const PLACES = [
  ["", "chat", "nav.chat"],
  ["waiting", "hand", "nav.waiting"],
  ["documents", "file", "nav.documents"],
  ["library", "book", "nav.library"],
  ["runs", "pulse", "nav.runs"],
  ["sessions", "list", "nav.sessions"],
  ["start", "check", "nav.start"],
];

const hasLibrary = () => state.packs?.includes("papers") ?? true;

/** A dialog with the box that is typed into, which the palette takes over as it stands. */
function searched() {
  const before = document.activeElement;
  const box = h("input", { type: "text", role: "combobox", "aria-expanded": "false", "aria-label": t("palette.title"), placeholder: t("palette.placeholder"), autofocus: true });
  const dialog = h("dialog.dialog.palette", { "aria-label": t("palette.title") }, h("div.palette-body", {}, box));
  dialog.addEventListener("close", () => {
    dialog.remove();
    // Chromium gives the focus back while all else is inert still: what is typed there would be lost.
    if (document.activeElement === before) (before.blur(), before.focus());
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  // Back leaves it, too.
  addEventListener("hashchange", () => dialog.close(), { once: true });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export class Shell {
  constructor() {
    this.view = h("main.view", { id: "view", tabIndex: -1 });
    this.panel = h("aside.panel", { id: "panel", hidden: true, "aria-label": t("source.panel") });
    this.count = h("span.badge", { hidden: true });
    this.recent = h("ul.recent");
    this.side = h("nav.side", { id: "side", "aria-label": t("nav.title") }, this.sideContent());
    const menu = iconButton("menu", t("nav.menu"), () => this.toggle(), { "aria-expanded": false, "aria-controls": "side" });
    this.menu = menu;
    this.heading = h("span.top-title", {}, "Dure");
    const fresh = iconButton("plus", t("nav.new"), () => this.fresh());
    const top = h("header.top", {}, menu, this.heading, fresh);
    this.shade = h("div.shade", { onclick: () => this.toggle(false) });
    fill(document.getElementById("app"), this.side, this.shade, h("div.middle", {}, top, this.view), this.panel);
    addEventListener("keydown", (event) => this.pressed(event));
    this.skip(document.querySelector("a.skip"));
    watch("waiting", () => this.showCount());
    for (const topic of ["asked", "ended", "sessions", "returned"]) watch(topic, () => this.loadRecent());
    watch("opened", () => this.showRecent());
    watch("unseen", () => this.showTitle());
    watch("teams", () => this.hidePlaces());
  }

  /** The first link passes by the navigation; its address is no place of the router's. */
  skip(link) {
    link.textContent = t("nav.skip");
    link.addEventListener("click", (event) => {
      event.preventDefault();
      this.view.focus();
    });
  }

  sideContent() {
    const links = PLACES.map(([path, name, key]) => {
      const counts = path === "waiting" && this.count;
      return h("li", {}, h("a.place", { href: `#/${path}`, data: { path } }, icon(name), h("span", {}, t(key)), counts));
    });
    const other = language() === "ko" ? "en" : "ko";
    this.paint = iconButton(theme() === "dark" ? "sun" : "moon", t("theme"), () => this.repaint());
    const tells = notifying() && iconButton("bell", t("notify"), async () => tells.setAttribute("aria-pressed", String((await switchNotifying()) === "on")), { "aria-pressed": notifying() === "on" });
    return [
      h("a.brand", { href: "#/" }, h("span.brand-mark", { "aria-hidden": true }), h("span", {}, t("brand"))),
      button(t("nav.new"), () => this.fresh(), { class: "new" }, "plus"),
      button(t("palette.open"), () => this.find(), { class: "find", title: "Ctrl+K", "aria-keyshortcuts": "Control+K Meta+K" }, "search"),
      h("ul.places", {}, links),
      h("h2.side-title", {}, t("nav.recent")),
      this.recent,
      h("div.side-foot", {}, h("button.button.language", { type: "button", lang: other, onclick: () => this.speak() }, icon("globe"), t("language.other")), tells, this.paint),
    ];
  }

  /** What no pack that is on has: the library is the papers'. */
  hidePlaces() {
    this.side.querySelector("a.place[data-path=library]").parentElement.hidden = !hasLibrary();
  }

  speak() {
    localStorage.setItem("dure.language", language() === "ko" ? "en" : "ko");
    location.reload();
  }

  repaint() {
    switchTheme();
    fill(this.paint, icon(theme() === "dark" ? "sun" : "moon"));
  }

  /** Conversations, documents and commands by their names. One types at once, though what finds them is on its way. */
  async find() {
    this.toggle(false);
    if (document.querySelector("dialog[open]")) return;
    const dialog = searched();
    const { openPalette } = await import("./views/palette.js").catch(() => (dialog.close(), toast(t("error.offline"), "bad"), {}));
    if (!dialog.open) return;
    const places = PLACES.filter(([path]) => path !== "library" || hasLibrary()).map(([path, name, key]) => ({ icon: name, label: t(key), run: () => (path ? go(`#/${path}`) : this.fresh()) }));
    openPalette(dialog, [
      { icon: "plus", label: t("nav.new"), run: () => this.fresh() },
      ...places.slice(1),
      { icon: "moon", label: t("theme"), run: () => this.repaint() },
      { icon: "globe", label: t("language.other"), run: () => this.speak() },
    ]);
  }

  pressed(event) {
    if (event.key === "Escape") this.toggle(false);
    if (!event.ctrlKey && !event.metaKey) return;
    // By the key's place: with a Korean layout its letter is another.
    const act = event.shiftKey ? { KeyO: () => this.fresh() }[event.code] : { KeyK: () => this.find() }[event.code];
    if (!act) return;
    event.preventDefault();
    act();
  }

  fresh() {
    this.toggle(false);
    if (location.hash === "#/" || location.hash === "") tell("fresh");
    else go("#/");
  }

  toggle(open = !document.body.classList.contains("side-open")) {
    document.body.classList.toggle("side-open", open);
    this.menu.setAttribute("aria-expanded", String(open));
  }

  /** Note where one is. */
  arrived(path) {
    this.toggle(false);
    const first = ["s", undefined].includes(path[0]) ? "" : path[0];
    for (const each of this.side.querySelectorAll("a.place")) {
      if (each.dataset.path === first) each.setAttribute("aria-current", "page");
      else each.removeAttribute("aria-current");
    }
    const found = PLACES.find((each) => each[0] === first);
    this.title = found ? t(found[2]) : "";
    this.heading.textContent = this.title || "Dure";
    this.showTitle();
    this.showRecent();
    // What other tabs did; the first time it is read once the view stands.
    if (this.listed) this.loadRecent();
  }

  showCount() {
    const n = state.waiting.length;
    this.count.hidden = n === 0;
    // Of the page as an app; elsewhere there is no badge to set.
    navigator.setAppBadge?.(n).catch(() => {});
    fill(this.count, n, h("span.unseen", {}, t("nav.waiting_count")));
    this.showTitle();
  }

  showTitle() {
    const n = state.waiting.length;
    document.title = `${n ? `(${n}) ` : isUnseen() ? "● " : ""}${this.title ? `${this.title} · ` : ""}Dure`;
  }

  async loadRecent() {
    this.listed = true;
    try {
      state.sessions = (await getJson(`/v1/sessions${query({ limit: RECENT })}`)).sessions.slice(0, RECENT);
      this.showRecent();
    } catch {
      // The list stays as it was; whatever is amiss, the view says so.
    }
  }

  showRecent() {
    const now = location.hash;
    fill(this.recent, state.sessions.map((each) => {
      const href = `#/s/${encodeURIComponent(each.id)}`;
      const here = now === href && "page";
      return h("li", {}, h("a", { href, title: each.title, "aria-current": here || undefined }, each.pinned && icon("pin"), h("span", {}, each.title || t("sessions.untitled")), h("small", {}, when(each.updated_at))));
    }));
  }
}
