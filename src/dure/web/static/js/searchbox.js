// A box to search in.

import { Component, html } from "./preact.js";

/** `look(words)` is called a moment after the last letter. */
export class SearchBox extends Component {
  typed(words) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.props.look(words.trim()), 250);
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
  }

  render({ label, words }) {
    return html`<input type="search" aria-label=${label} placeholder=${label} value=${words} onInput=${(event) => this.typed(event.currentTarget.value)} />`;
  }
}
