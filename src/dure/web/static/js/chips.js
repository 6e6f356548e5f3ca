// A list as chips: each with its own button to take it out, and a box for more.

import { fill, h, iconButton } from "./dom.js";
import { t } from "./i18n.js";

/** `{shown, input, values()}`; `read(text)` makes a value of what was typed, or throws what is wrong with it. */
export function chipsInput(given, read, label) {
  const values = [...given];
  const input = h("input", { type: "text", autocomplete: "off", placeholder: t("form.add") });
  const chips = h("ul.chips", { "aria-label": label });
  const shown = h("div.chips-input", {}, chips, input);
  const draw = () => {
    chips.hidden = !values.length;
    fill(chips, values.map((each, index) => h("li.chip", {}, h("span", {}, String(each)), iconButton("close", t("form.take_out", { value: String(each) }), () => take(index)))));
  };
  const changed = () => {
    draw();
    shown.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const take = (index) => {
    values.splice(index, 1);
    changed();
    input.focus();
  };
  const add = () => {
    const text = input.value.trim();
    if (!text) return;
    values.push(read(text));
    input.value = "";
    changed();
  };
  /** What cannot be a value stays where it was typed; whoever approves is told. */
  const tried = () => {
    try {
      add();
    } catch {
      input.setAttribute("aria-invalid", "true");
    }
  };
  input.addEventListener("blur", tried);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" || event.key === ",") {
      event.preventDefault();
      tried();
    }
    if (event.key === "Backspace" && !input.value && values.length) take(values.length - 1);
  });
  draw();
  return { shown, input, values: () => (add(), [...values]) };
}
