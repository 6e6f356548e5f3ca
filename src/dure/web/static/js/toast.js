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

/** A question over the page: `value()`, or `no` where it is put away, as by going elsewhere. */
function question(title, no, body, yes, kind, value) {
  return new Promise((done) => {
    const dialog = h("dialog.dialog", { "aria-label": title, onclose: () => (dialog.remove(), done(no)) },
      h("form", { method: "dialog", onsubmit: () => done(value()) }, body,
        h("div.actions", {}, button(yes, null, { class: kind, type: "submit" }), button(t("cancel"), () => dialog.close(), { autofocus: kind === "danger" }))));
    document.body.append(dialog);
    dialog.showModal();
    addEventListener("hashchange", () => dialog.close(), { once: true });
  });
}

/** Ask before something is done: true when it may be. Enter does nothing; who did it by key goes on beside what is gone. */
export async function confirmed(text, action) {
  const all = [...document.querySelectorAll("a, button")];
  const opener = document.activeElement;
  const may = await question(action, false, h("p", {}, text), action, "danger", () => true);
  const at = all.indexOf(opener);
  if (!may || at < 0) return may;
  const seen = new MutationObserver(() => {
    if (opener.isConnected) return;
    seen.disconnect();
    const beside = [...all.slice(at), ...all.slice(0, at).reverse()].find((each) => each.checkVisibility());
    if (document.activeElement === document.body) beside?.focus();
  });
  seen.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => seen.disconnect(), 10_000);
  return may;
}

/** Ask for one line of text: what was given, or null. */
export function asked(title, value, attributes) {
  const input = h("input", { type: "text", value, "aria-label": title, onfocus: () => input.select(), ...attributes });
  return question(title, null, h("label.field", {}, title, input), t("save"), "primary", () => input.value);
}
