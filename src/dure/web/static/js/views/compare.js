// Two runs side by side: what differed, and how the answers differ.

import { brief, pretty } from "../tree.js";
import { getJson, query } from "../api.js";
import { fill, h } from "../dom.js";
import { number, seconds, t, tOr } from "../i18n.js";
import { agentName, names, teamName, toolName } from "../names.js";
import { money } from "./steps.js";

export async function open(host, { path: [a, b] }) {
  if (!a || !b) return void fill(host, h("h1", {}, t("compare.title")), h("p.empty", {}, t("compare.choose")));
  const found = await getJson(`/v1/runs/compare${query({ a, b })}`);
  const heads = found.runs.map((id, index) => h("th", { scope: "col" }, h("a", { href: `#/runs/${id}` }, "AB"[index])));
  const teams = found.rows.find((each) => each.name === "team").values;
  // What neither run has says nothing.
  const told = found.rows.filter((row) => row.values.some((value) => shown(row.name, value) !== NONE));
  const rows = told.map((row) => {
    const cells = row.values.map((value, index) => h("td", {}, shown(row.name, named(row.name, value, teams[index]))));
    return h("tr", { class: row.same ? "same" : "differs" }, h("th", { scope: "row" }, tOr(`compare.${row.name}`, row.name)), cells);
  });
  const table = h("table", {}, h("thead", {}, h("tr", {}, h("td"), heads)), h("tbody", {}, rows));
  const changes = found.answers[0].changes.map(([mark, text, words]) => h("p.change", { data: { mark } }, TAG[mark](words ? words.map(apart) : text)));
  fill(host, h("h1", {}, t("compare.title")),
    h("div.table-frame", { tabIndex: 0, role: "region", "aria-label": t("compare.title") }, table),
    h("h2", {}, t("compare.answers")), h("p.hint", {}, t("compare.legend")), h("div.changes", {}, changes));
}

const NONE = "–";
const apart = ([mark, text]) => (mark === "=" ? text : h("mark", {}, text));
const TAG = { "=": (text) => text, "-": (text) => h("del", {}, text), "+": (text) => h("ins", {}, text) };

/** What is known by other names to people. */
function named(row, value, team) {
  if (row === "team") return teamName(value);
  if (row === "level") return value && tOr(`level.${value}`, value);
  if (row === "agents") return value.map((each) => agentName(each, team));
  if (row === "routing") return value.map((each) => t("activity.routed", { who: names(each.agents, team), how: tOr(`routed.${each.how}`, each.how) }));
  if (row === "tools") return value.map((each) => [toolName(each.name), brief(JSON.stringify(each.args)), each.status !== "ok" && tOr(`status.${each.status}`, each.status)].filter(Boolean).join(" · "));
  if (row === "rating") return value && [t("run.rate_n", { n: value.rating }), value.comment].filter(Boolean).join(" · ");
  return value;
}

function shown(name, value) {
  if (value === null || value === "" || (Array.isArray(value) && !value.length)) return NONE;
  if (name === "seconds") return seconds(value);
  if (name === "cost") return money(value, "");
  if (name === "status") return tOr(`status.${value}`, value);
  if (typeof value === "number") return number(value);
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return h("ul", {}, value.map((each) => h("li", {}, each)));
  return typeof value === "object" ? h("pre", { tabIndex: 0 }, pretty(JSON.stringify(value))) : String(value);
}
