// A formula: as it is written until the library that draws it is there, and where it cannot be drawn.

import { Component, h } from "./preact.js";

let loading = null;

/** temml, loaded with the first formula. It is no module: it leaves its name behind. */
function library() {
  loading ??= new Promise((done, failed) => {
    const src = new URL("./temml.js", import.meta.url).href;
    document.head.append(Object.assign(document.createElement("script"), { src, onload: () => done(globalThis.temml), onerror: failed }));
  });
  return loading;
}

/** `text` with its marks: `$x$`, `$$x$$`, `\(x\)`, `\[x\]`. `tag`: what it stands in. */
export class Formula extends Component {
  async componentDidMount() {
    const { text } = this.props;
    const wide = text.startsWith("$$") || text.startsWith("\\[");
    const inner = text.slice(wide || text.startsWith("\\") ? 2 : 1, text.startsWith("$") && !wide ? -1 : -2);
    try {
      const { render } = await library();
      const made = document.createElement("span");
      render(inner, made, { displayMode: wide, throwOnError: true, annotate: true });
      this.base.replaceChildren(...made.childNodes);
    } catch {
      // It stays as it is written.
    }
  }

  // Its nodes are the library's; one of another text has another key.
  shouldComponentUpdate() {
    return false;
  }

  render({ tag, text }) {
    return h(tag, { class: "math", ...(tag === "div" && { tabIndex: 0 }) }, text);
  }
}

export const formula = (tag, text) => h(Formula, { key: text, tag, text });
