// An answer while it is written: what is finished is rendered block by block, the rest grows as plain text.

import { h } from "./dom.js";
import { blockEnd, render, showHtml } from "./markdown.js";

const PAUSE = 400;

export class StreamingText {
  constructor() {
    this.element = h("div.md");
    this.clear();
  }

  clear() {
    this.id = "";
    this.text = "";
    this.parts = 0;
    this.rendered = 0;
    this.pieces = [];
    this.asked = 0;
    this.round = (this.round ?? 0) + 1;
    this.tail = document.createTextNode("");
    this.tailElement = h("div.plain", {}, this.tail);
    this.element.replaceChildren(this.tailElement);
  }

  /** Show `message` ({id, parts}): what was added to it is appended, another one takes the place of this. */
  show(message) {
    if (message.id !== this.id || message.parts.length < this.parts) {
      this.clear();
      this.id = message.id;
    }
    const added = message.parts.slice(this.parts).join("");
    this.parts = message.parts.length;
    if (!added) return;
    this.text += added;
    this.tail.appendData(added);
    this.schedule();
  }

  schedule() {
    const wait = this.asked + PAUSE - performance.now();
    if (this.timer || this.busy) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.renderFinished();
    }, Math.max(wait, 0));
  }

  async renderFinished() {
    const end = blockEnd(this.text, this.rendered);
    if (end <= this.rendered || this.done) return;
    const [block, round] = [this.text.slice(this.rendered, end), this.round];
    this.busy = true;
    this.asked = performance.now();
    try {
      const html = await render(block);
      if (round !== this.round || this.done) return;
      const piece = h("div.block");
      showHtml(piece, html);
      this.tailElement.before(piece);
      this.pieces.push(html);
      this.rendered = end;
      this.tail.data = this.text.slice(end);
    } catch {
      // It stays readable as it is; the whole is asked for at the end.
    } finally {
      this.busy = false;
      if (round === this.round && blockEnd(this.text, this.rendered) > this.rendered) this.schedule();
    }
  }

  /** The answer as it stands at the end; the whole is rendered at once, so that what goes over blocks is right. */
  async finish(text) {
    this.done = true;
    clearTimeout(this.timer);
    if (text !== this.text) {
      this.clear();
      this.tail.data = text;
      this.text = text;
    }
    const round = this.round;
    this.element.classList.add("finished");
    this.element.hidden = !text.trim();
    if (!text.trim()) return;
    try {
      const left = this.rendered && text.slice(this.rendered);
      const [html, rest] = await Promise.all([render(text), left ? render(left) : ""]);
      if (round !== this.round) return;
      // What was rendered block by block is mostly the whole: then only its end is new, and nothing moves.
      if (this.rendered && this.pieces.join("") + rest === html) {
        const piece = h("div.block");
        showHtml(piece, rest);
        this.tailElement.replaceWith(piece);
      } else showHtml(this.element, html);
    } catch {
      this.element.classList.add("unrendered");
    }
  }
}
