// Icons as nodes: decorative, so that the name stands on what holds them.

import { t } from "./i18n.js";
import { Component, html } from "./preact.js";

// Drawn for Dure, on a grid of 24, as strokes.
export const PATHS = {
  plus: "M12 5v14M5 12h14",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  copy: "M9 9h10v10H9zM5 15V5h10",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4 4",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12l5 5 9-10",
  chevron: "M9 6l6 6-6 6",
  chat: "M4 5h16v11H10l-5 4v-4H4z",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  list: "M9 6h11M9 12h11M9 18h11M4 6h1M4 12h1M4 18h1",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2",
  hand: "M12 3l9 16H3zM12 10v4M12 16.5v.5",
  pulse: "M3 12h4l3-7 4 14 3-7h4",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  moon: "M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z",
  globe: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  external: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  down: "M12 5v14M6 13l6 6 6-6",
  good: "M7 11v9H4v-9zM7 11l4-8c2 0 3 1 2.5 3.5L13 9h5.5c1.5 0 2 1 1.7 2.3l-1.7 7c-.3 1.1-1 1.7-2 1.7H7",
  poor: "M17 13V4h3v9zM17 13l-4 8c-2 0-3-1-2.5-3.5L11 15H5.5c-1.5 0-2-1-1.7-2.3l1.7-7C5.800 4.600 6.500 4 7.500 4H17",
  book: "M5 5h6a2 2 0 0 1 2 2v13a2 2 0 0 0-2-2H5zM21 5h-6a2 2 0 0 0-2 2v13a2 2 0 0 1 2-2h6z",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 19.500a2 2 0 0 0 4 0",
  folder: "M4 6h6l2 3h8v10H4z",
  tag: "M4 4h8l8 8-8 8-8-8zM8 8v.5",
  pin: "M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v5",
  bookmark: "M7 4h10v16l-5-4-5 4z",
  retry: "M5 12a7 7 0 1 0 2-5M7 3v4h4",
};

export const icon = (name) => html`<svg viewBox="0 0 24 24" class="icon" aria-hidden="true" focusable="false">
  <path d=${PATHS[name]} fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" />
</svg>`;

/** A button that shows an icon only; `label` is its name. */
export const IconButton = ({ name, label, ...rest }) =>
  html`<button type="button" class="icon-button" aria-label=${label} title=${label} ...${rest}>${icon(name)}</button>`;

export const Button = ({ name, label, kind = "", ...rest }) =>
  html`<button type="button" class=${`button ${kind}`.trim()} ...${rest}>${name && icon(name)}<span>${label}</span></button>`;

/** Lines in the place of what is on its way. */
export const Skeleton = () => html`<div class="skeleton" role="status"><span class="unseen">${t("loading")}</span></div>`;

/** An element that was made elsewhere and stays as it is. */
export class Hosted extends Component {
  shouldComponentUpdate() {
    return false;
  }

  render({ element }) {
    return html`<div ref=${(host) => host?.replaceChildren(element)}></div>`;
  }
}

/** A view that is loaded when first wanted: `from()` gives its module, `name` is its name there; the rest is the view's.
    Where the server cannot be reached, that is said. */
export class Lazy extends Component {
  componentDidMount() {
    this.props.from().then((found) => this.setState({ View: found[this.props.name] }), () => this.setState({ lost: true }));
  }

  render({ from, name, ...rest }, { View, lost }) {
    if (lost) return html`<p class="note" role="alert">${t("error.offline")}</p>`;
    return View && html`<${View} ...${rest} />`;
  }
}
