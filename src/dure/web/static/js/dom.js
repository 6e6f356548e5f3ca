// Elements without markup: text is always a text node, so no data can become a tag or a script.

import { PATHS } from "./icons.js";

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "open", "selected", "htmlFor", "tabIndex"]);

/** An element. `tag` may carry classes: "div.card.wide". `props`: attributes, properties, `onclick` and its like. */
export function h(tag, props, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(props ?? {})) set(element, key, value);
  append(element, children);
  return element;
}

function set(element, key, value) {
  if (value === undefined || value === null || value === false) {
    if (key.startsWith("aria-") && value === false) element.setAttribute(key, "false");
    return;
  }
  if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
  else if (key === "class") element.classList.add(...value.split(" ").filter(Boolean));
  else if (key === "data") Object.assign(element.dataset, value);
  else if (PROPERTIES.has(key)) element[key] = value;
  else element.setAttribute(key, value === true ? (key.startsWith("aria-") ? "true" : "") : value);
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** Put `children` in the place of what `element` holds. */
export function fill(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes ?? {})) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const made = new Map();

/** A decorative icon; the name stands on what holds it. */
export function icon(name) {
  // Lists show hundreds of the same: copying is quicker than making.
  if (!made.has(name)) made.set(name, draw(name));
  return made.get(name).cloneNode(true);
}

function draw(name) {
  const path = svg("path", { d: PATHS[name], fill: "none", stroke: "currentColor", "stroke-width": "1.8" });
  path.setAttribute("stroke-linecap", "round");
  path.setAttribute("stroke-linejoin", "round");
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" }, path);
}

/** A button that shows an icon only; `label` is its name. */
export function iconButton(name, label, onclick, props) {
  return h("button.icon-button", { type: "button", "aria-label": label, title: label, onclick, ...props }, icon(name));
}

export function button(label, onclick, props, iconName) {
  return h("button.button", { type: "button", onclick, ...props }, iconName && icon(iconName), h("span", {}, label));
}
