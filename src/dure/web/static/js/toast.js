// Short messages, read out by screen readers; and the page's own question before what cannot be undone.

import { button, h } from "./dom.js";
import { t } from "./i18n.js";

const host = h("div.toasts", { role: "status", "aria-live": "polite" });
document.body.append(host);

/** Shown for six seconds, or as long as `until` has not ended. */
export function toast(text, kind = "", until = new Promise((done) => setTimeout(done, 6000))) {
  const shown = h("div.toast", { class: kind }, text);
  host.append(shown);
  until.then(() => shown.remove());
}

/** Ask before something is done: true when it may be. */
export function confirmed(text, action) {
  return new Promise((done) => {
    const answer = (value) => () => (dialog.close(), done(value));
    const yes = button(action, answer(true), { class: "danger" });
    const dialog = h("dialog.dialog", { "aria-label": action, oncancel: () => done(false), onclose: () => dialog.remove() },
      h("p", {}, text), h("div.actions", {}, yes, button(t("cancel"), answer(false))));
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Ask for one line of text: what was given, or null. */
export function asked(title, value, attributes) {
  return new Promise((done) => {
    const input = h("input", { type: "text", value, "aria-label": title, ...attributes });
    const answer = (given) => (dialog.close(), done(given));
    const form = h("form", { method: "dialog", onsubmit: (event) => (event.preventDefault(), answer(input.value)) },
      h("label.field", {}, title, input),
      h("div.actions", {}, button(t("save"), null, { class: "primary", type: "submit" }), button(t("cancel"), () => answer(null))));
    const dialog = h("dialog.dialog", { "aria-label": title, oncancel: () => done(null), onclose: () => dialog.remove() }, form);
    document.body.append(dialog);
    dialog.showModal();
    input.select();
  });
}
