// What a call was given, to be read: a mail as a mail, a list as chips, the rest as names with values.

import { h } from "./dom.js";
import { t } from "./i18n.js";
import { Markdown } from "./markdown.js";
import { fieldName } from "./names.js";
import { Component, html } from "./preact.js";

const MAIL = ["to", "cc", "bcc", "subject"];
const BODIES = ["body", "text", "message", "content"];

/** Where a mail's parts stand among `names`, in the order in which mails have them; null where it is none. */
export function mailParts(names) {
  const body = BODIES.find((each) => names.includes(each));
  if (!body || !names.includes("to") || !names.includes("subject")) return null;
  return { heads: MAIL.filter((each) => names.includes(each)), body };
}

/** `values` by the properties of `schema`. */
export function Values({ values, schema = null }) {
  const there = Object.entries(values).filter(([, value]) => !isEmpty(value));
  const mail = mailParts(there.map(([name]) => name));
  const labels = (name) => fieldName(name, schema?.properties?.[name]);
  const kind = (name) => (schema?.properties?.[name]?.readOnly ? Written : Value);
  const rows = (names) => html`<dl class="facts">${names.map((name) => html`<dt>${labels(name)}</dt><dd><${kind(name)} value=${values[name]} /></dd>`)}</dl>`;
  if (!mail) return rows(there.map(([name]) => name));
  const rest = there.map(([name]) => name).filter((name) => !mail.heads.includes(name) && name !== mail.body);
  return html`<div class="mail">${rows(mail.heads)}<div class="mail-body"><${Value} value=${values[mail.body]} /></div>${rest.length > 0 && rows(rest)}</div>`;
}

/** What agents wrote, to be looked at: part by part as answers are, but that numbers of sources lead nowhere from here. */
export class Written extends Component {
  shouldComponentUpdate() {
    return false;
  }

  componentDidMount() {
    for (const each of this.base.querySelectorAll("button.cite")) each.replaceWith(h("span.cite", {}, each.textContent));
  }

  render({ value }) {
    const parts = value !== null && typeof value === "object" ? Object.entries(value) : [["", value]];
    const shown = (part) => (typeof part === "string" ? html`<div tabindex="0"><${Markdown} text=${part} /></div>` : html`<pre tabindex="0">${JSON.stringify(part, null, 2)}</pre>`);
    return html`<div class="written">${parts.filter(([, part]) => part !== undefined).map(([key, part]) => [key && html`<h4>${key}</h4>`, shown(part)])}</div>`;
  }
}

/** What came as JSON, to be read; null for other texts, and for what is one word or number. */
export function parsed(text) {
  try {
    const found = JSON.parse(text);
    return found !== null && typeof found === "object" ? html`<${Value} value=${found} />` : null;
  } catch {
    return null;
  }
}

const isRow = (value) => value !== null && typeof value === "object" && !Array.isArray(value) && Object.values(value).every((each) => each === null || typeof each !== "object");

function Table({ rows }) {
  const names = [...new Set(rows.flatMap(Object.keys))];
  return html`<div class="table-frame" tabindex="0" role="group" aria-label=${t("artifacts.table")}><table>
    <thead><tr>${names.map((each) => html`<th scope="col">${fieldName(each)}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${names.map((each) => html`<td>${isEmpty(row[each]) ? "" : html`<${Value} value=${row[each]} />`}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

const isEmpty = (value) => value === null || value === undefined || value === "" || (Array.isArray(value) && !value.length);

function Value({ value }) {
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return html`<ul class="chips">${value.map((each) => html`<li class="chip">${String(each)}</li>`)}</ul>`;
  if (Array.isArray(value) && value.every(isRow)) return html`<${Table} rows=${value} />`;
  if (Array.isArray(value)) return html`<ol>${value.map((each) => html`<li><${Value} value=${each} /></li>`)}</ol>`;
  if (value !== null && typeof value === "object") return html`<${Values} values=${value} />`;
  return html`<span class="pre">${String(value)}</span>`;
}
