// What a call was given, to be read: a mail as a mail, a list as chips, the rest as names with values.

import { t } from "./i18n.js";
import { fieldName } from "./names.js";
import { html } from "./preact.js";

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
  const rows = (names) => html`<dl class="facts">${names.map((name) => html`<dt>${labels(name)}</dt><dd><${Value} value=${values[name]} /></dd>`)}</dl>`;
  if (!mail) return rows(there.map(([name]) => name));
  const rest = there.map(([name]) => name).filter((name) => !mail.heads.includes(name) && name !== mail.body);
  return html`<div class="mail">${rows(mail.heads)}<div class="mail-body"><${Value} value=${values[mail.body]} /></div>${rest.length > 0 && rows(rest)}</div>`;
}

const isEmpty = (value) => value === null || value === undefined || value === "" || (Array.isArray(value) && !value.length);

function Value({ value }) {
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return html`<ul class="chips">${value.map((each) => html`<li class="chip">${String(each)}</li>`)}</ul>`;
  if (Array.isArray(value)) return html`<ol>${value.map((each) => html`<li><${Value} value=${each} /></li>`)}</ol>`;
  if (value !== null && typeof value === "object") return html`<${Values} values=${value} />`;
  return html`<span class="pre">${String(value)}</span>`;
}
