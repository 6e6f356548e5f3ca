// A form made from the JSON Schema of a tool's arguments; a mail's looks like a mail. What a form cannot show is edited
// as JSON text.

import { chipsInput } from "./chips.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { fieldName } from "./names.js";
import { html, render } from "./preact.js";
import { mailParts, Written } from "./values.js";

/** `{element, value()}`, with ids that begin with `prefix`; `value` throws FormError, having marked the field, where something does not fit. */
export function schemaForm(schema, values, prefix) {
  const properties = schema?.properties ?? {};
  const names = [...new Set([...Object.keys(properties), ...Object.keys(values ?? {})])];
  const required = new Set(schema?.required ?? []);
  const fields = names.map((name) => {
    const part = resolve(schema, Object.hasOwn(properties, name) ? properties[name] : schemaOf(values[name]));
    return field(name, part, values?.[name], required.has(name), `${prefix}-${name}`);
  });
  const mail = mailParts(names);
  const place = ({ name }) => (mail ? [...mail.heads, mail.body].indexOf(name) : -1);
  const [parts, rest] = [fields.filter((each) => place(each) >= 0), fields.filter((each) => place(each) < 0)];
  parts.sort((one, other) => place(one) - place(other));
  if (mail) parts.at(-1).element.classList.add("mail-body");
  const drawn = (some) => some.map((each) => each.element);
  const element = h("div.form", {}, mail && h("div.mail", {}, drawn(parts)), drawn(rest));
  const value = () => {
    const found = [];
    let first = null;
    for (const each of fields) {
      try {
        const given = each.value();
        if (given !== undefined) found.push([each.name, given]);
      } catch (error) {
        if (!(error instanceof FormError)) throw error;
        first ??= error;
      }
    }
    if (first) {
      first.field.focus();
      throw first;
    }
    return Object.fromEntries(found);
  };
  return { element, value };
}

export class FormError extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

/** `$ref` into the same schema, and "this or null", as the thing itself. */
function resolve(root, part, hops = 0) {
  if (typeof part?.$ref === "string" && part.$ref.startsWith("#/") && hops < 8) {
    const way = part.$ref.slice(2).split("/");
    const found = way.reduce((at, key) => (at && Object.hasOwn(at, key) ? at[key] : undefined), root);
    return resolve(root, { ...found, ...without(part, "$ref") }, hops + 1);
  }
  const branches = part?.anyOf ?? part?.oneOf;
  if (branches) {
    if (branches.every((each) => each && Object.hasOwn(each, "const"))) {
      const named = { enum: branches.map((each) => each.const), enumNames: branches.map((each) => each.title ?? each.const) };
      return { ...without(part, "anyOf", "oneOf"), ...named };
    }
    const real = branches.map((each) => resolve(root, each, hops + 1)).filter((each) => each?.type !== "null");
    if (real.length === 1) return { ...real[0], ...without(part, "anyOf", "oneOf"), nullable: real.length < branches.length };
    return { ...without(part, "anyOf", "oneOf"), type: "any" };
  }
  if (part?.items?.anyOf || part?.items?.oneOf) return { ...part, items: resolve(root, part.items, hops + 1) };
  if (Array.isArray(part?.type)) {
    const kinds = part.type.filter((each) => each !== "null");
    return { ...part, type: kinds.length === 1 ? kinds[0] : "any", nullable: kinds.length < part.type.length };
  }
  return part ?? {};
}

const without = (value, ...keys) => Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

function schemaOf(value) {
  if (Array.isArray(value)) return { type: "array" };
  if (value === null || value === undefined) return {};
  return { type: typeof value === "object" ? "object" : typeof value };
}

/** What is there to be looked at: shown as it is read, and given back as it was. */
function readOnly(name, schema, value) {
  const shown = h("div");
  render(html`<${Written} value=${value} />`, shown);
  const element = h("section.field", { hidden: value === undefined, "aria-label": fieldName(name, schema) }, h("h3", {}, fieldName(name, schema)), shown);
  return { name, element, value: () => value };
}

function field(name, schema, value, required, id) {
  if (schema.readOnly) return readOnly(name, schema, value);
  const given = value === undefined ? schema.default : value;
  const named = fieldName(name, schema);
  const { input, read, shown = input } = kindOf(schema, given)(schema, given, required && !schema.nullable, named);
  const problem = h("p.field-error", { id: `${id}-error`, role: "alert" });
  const hint = schema.description && h("p.hint", { id: `${id}-hint` }, schema.description);
  input.id = id;
  input.setAttribute("aria-describedby", [schema.description && `${id}-hint`, `${id}-error`].filter(Boolean).join(" "));
  if (required) input.setAttribute("aria-required", "true");
  else if (input.placeholder === "") input.placeholder = t("form.optional");
  const label = h("label", { htmlFor: id }, named);
  const box = schema.type === "boolean" && !schema.enum && !schema.nullable;
  const element = h(box ? "div.field.check" : "div.field", {}, box ? [input, label] : [label, shown], hint, problem);
  return {
    name,
    element,
    value() {
      problem.textContent = "";
      input.removeAttribute("aria-invalid");
      try {
        return read();
      } catch (error) {
        problem.textContent = error.message;
        input.setAttribute("aria-invalid", "true");
        throw new FormError(input, error.message);
      }
    },
  };
}

function textInput(given, attributes, long) {
  const value = given === undefined || given === null ? "" : String(given);
  if (!long) return h("input", { type: "text", value, ...attributes });
  return h("textarea", { value, rows: String(Math.min(8, Math.max(2, value.split("\n").length))), ...attributes });
}

/** What is left empty is not sent, or sent as it was: null or "". */
function empty(given, required) {
  if (required) throw new Error(t("form.required"));
  return given === null ? null : undefined;
}

function numeric(whole) {
  return (schema, given, required) => {
    const input = textInput(given, { inputmode: whole ? "numeric" : "decimal", autocomplete: "off" });
    const read = () => {
      const text = input.value.trim();
      if (!text) return empty(given, required);
      const value = Number(text);
      if (!Number.isFinite(value)) throw new Error(t("form.number"));
      if (whole && !Number.isInteger(value)) throw new Error(t("form.integer"));
      if (schema.minimum !== undefined && value < schema.minimum) throw new Error(t("form.minimum", { n: schema.minimum }));
      if (schema.maximum !== undefined && value > schema.maximum) throw new Error(t("form.maximum", { n: schema.maximum }));
      return value;
    };
    return { input, read };
  };
}

function choice(options, given, required, names = options) {
  const known = options.findIndex((each) => JSON.stringify(each) === JSON.stringify(given));
  const none = !required || known < 0;
  const input = h(
    "select",
    {},
    none && h("option", { value: "" }, t("form.none")),
    options.map((each, index) => h("option", { value: String(index), selected: index === known }, String(names[index] ?? each))),
  );
  return { input, read: () => (input.value === "" ? empty(given, required) : options[Number(input.value)]) };
}

function kindOf(schema, given) {
  if (schema.enum) return KINDS.enum;
  if (schema.type === "array" && schema.items?.enum) return KINDS.many;
  const plain = (given ?? []).every?.((each) => typeof each === "string");
  if (schema.type === "array" && plain && (schema.items?.type ?? "string") === "string") return KINDS.list;
  return KINDS[schema.type] ?? KINDS.any;
}

const KINDS = {
  list(schema, given, required, named) {
    const list = chipsInput(given ?? [], (text) => text, named);
    const read = () => {
      const found = list.values();
      if (!found.length && (required ? given?.length !== 0 : (given ?? null) === null)) return empty(given, required);
      if (found.length < (schema.minItems ?? 0)) throw new Error(t("form.few", { n: schema.minItems }));
      return found;
    };
    return { ...list, read };
  },
  string(schema, given, required) {
    const input = textInput(given, { autocomplete: "off" }, String(given ?? "").length > 60 || String(given ?? "").includes("\n"));
    const read = () => {
      const text = input.value;
      // What was given empty may stay so; what is needed is not emptied.
      if (required ? !text.trim() && text !== given : text === "" && (given ?? null) === null) return empty(given, required);
      if (schema.minLength && text.length < schema.minLength) throw new Error(t("form.short", { n: schema.minLength }));
      if (schema.maxLength && text.length > schema.maxLength) throw new Error(t("form.long", { n: schema.maxLength }));
      return text;
    };
    return { input, read };
  },
  number: numeric(false),
  integer: numeric(true),
  boolean(schema, given, required) {
    if (schema.nullable) return choice([true, false], given, required);
    const input = h("input", { type: "checkbox", checked: given === true });
    return { input, read: () => input.checked };
  },
  enum: (schema, given, required) => choice(schema.enum, given, required, schema.enumNames),
  many(schema, given, required) {
    const { enum: options, enumNames: names = options } = schema.items;
    const input = h("select", { multiple: true }, options.map((each, index) => h("option", { value: String(index), selected: (given ?? []).includes(each) }, String(names[index] ?? each))));
    const read = () => {
      const found = [...input.selectedOptions].map((each) => options[Number(each.value)]);
      if (!found.length) return empty(given, required);
      if (found.length < (schema.minItems ?? 0)) throw new Error(t("form.few", { n: schema.minItems }));
      return found;
    };
    return { input, read };
  },
  any(schema, given, required) {
    const input = textInput(given === undefined ? "" : JSON.stringify(given, null, 2), { spellcheck: "false", class: "code" }, true);
    const read = () => {
      if (!input.value.trim()) return empty(given, required);
      let value;
      try {
        value = JSON.parse(input.value);
      } catch {
        throw new Error(t("form.json"));
      }
      if (schema.type === "array" && !Array.isArray(value)) throw new Error(t("form.array"));
      if (schema.type === "object" && (value === null || typeof value !== "object" || Array.isArray(value))) {
        throw new Error(t("form.object"));
      }
      return value;
    };
    return { input, read };
  },
};
