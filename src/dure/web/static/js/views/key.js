// The question for an API key, where the server wants one. The key is kept in this tab alone, unless one asks
// for more.

import { apiKey, here, setApiKey } from "../api.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";

/** Settled once a key was found that the server takes. */
export function askKey() {
  return new Promise((done) => {
    const input = h("input", { type: "password", autocomplete: "off", required: true, id: "api-key", "aria-describedby": "key-problem" });
    const problem = h("p.error-text", { id: "key-problem", role: "alert" }, apiKey() && t("key.wrong"));
    const keep = h("input", { type: "checkbox", id: "keep-key", "aria-describedby": "keep-about" });
    const submit = async (event) => {
      event.preventDefault();
      const key = input.value.trim();
      // What no header can carry is no key either.
      const sendable = /^[!-~]+$/.test(key);
      const ask = () => fetch(here("/v1/sessions?limit=1"), { headers: { Authorization: `Bearer ${key}` } }).catch(() => null);
      const response = sendable && (await ask());
      if (!response?.ok) {
        problem.textContent = t(response === null ? "error.offline" : "key.wrong");
        return input.select();
      }
      setApiKey(key, keep.checked);
      dialog.close();
      done();
    };
    const form = h("form.form", { onsubmit: submit }, h("div.field", {}, h("label", { htmlFor: "api-key" }, t("key.label")), input), problem,
      h("div.field.check", {}, keep, h("label", { htmlFor: "keep-key" }, t("key.keep")), h("p.hint", { id: "keep-about" }, t("key.keep_about"))),
      h("button.button.primary", { type: "submit" }, t("key.use")));
    const dialog = h("dialog.dialog", { "aria-label": t("key.title"), oncancel: (event) => event.preventDefault() },
      h("h2", {}, t("key.title")), h("p.lead", {}, t("key.about")), form);
    document.body.append(dialog);
    dialog.showModal();
    input.focus();
  });
}
