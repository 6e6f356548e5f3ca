// What the server found: model, dialect, stores, MCP servers, and how to mend what is amiss; the API key of this tab.

import { apiKey, getJson, setApiKey } from "../api.js";
import { button, fill, h } from "../dom.js";
import { t, tOr } from "../i18n.js";

export async function open(host) {
  const list = h("ul.findings", { "aria-live": "polite" });
  const load = async () => {
    fill(list, h("li.note", {}, t("start.checking")));
    try {
      const found = await getJson("/v1/status");
      fill(list, found.findings.map(finding));
    } catch (error) {
      fill(list, h("li.error-text", {}, error.message));
    }
  };
  const forget = apiKey() && button(t("key.forget"), () => (setApiKey(""), location.reload()));
  fill(host, h("h1", {}, t("start.title")), h("p.lead", {}, t("start.about")), list, h("div.actions", {}, button(t("start.again"), load, {}, "retry"), forget));
  // Not awaited: asking the model may take a while, and the page is usable meanwhile.
  load();
}

function finding(each) {
  const mark = h("span.mark", { data: { status: each.state } }, tOr(`status.${each.state}`, each.state));
  return h("li.finding", { data: { state: each.state } }, h("div.row-title", {}, h("strong", {}, each.part), mark), h("p", {}, each.detail), each.mend && h("p.mend", {}, each.mend));
}
