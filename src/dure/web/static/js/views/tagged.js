// Tags, authors and states of documents: shown, chosen to see those alone that have them; tags are edited.

import { query, send } from "../api.js";
import { fill, h, iconButton } from "../dom.js";
import { t, tOr } from "../i18n.js";
import { replaceRoute } from "../router.js";
import { asked, toast } from "../toast.js";

const sorted = (names) => [...new Set(names)].filter(Boolean).sort((a, b) => a.localeCompare(b));

/** What they are called, and what stands for all of them. */
const CALLED = { status: ["run.status", "runs.any_status"], tag: ["documents.tag", "documents.any_tag"], author: ["documents.author", "documents.any_author"] };

export class Tagged {
  /** `given`: what the address asks for; `changed()`: other documents are to be shown. */
  constructor(given, changed) {
    this.changed = changed;
    this.wanted = Object.fromEntries(Object.keys(CALLED).map((key) => [key, given.get(key) ?? ""]));
    this.shown = h("div.filters", { hidden: true });
  }

  /** Those of the documents that are wanted; the choices are what all of them have. */
  of(documents) {
    const { status, tag, author } = this.wanted;
    const states = sorted(documents.map((each) => each.status));
    const choices = { status: states.length > 1 ? states : [], tag: sorted(documents.flatMap((each) => each.tags)), author: sorted(documents.map((each) => each.author)) };
    const selects = Object.entries(choices).filter(([key, names]) => names.length || this.wanted[key]).map(([key, names]) => this.select(key, names));
    this.shown.hidden = !selects.length;
    const focused = this.shown.contains(document.activeElement) && document.activeElement.name;
    fill(this.shown, selects);
    if (focused) this.shown.querySelector(`[name=${focused}]`)?.focus();
    return documents.filter((each) => (!status || each.status === status) && (!tag || each.tags.includes(tag)) && (!author || each.author === author));
  }

  get any() {
    return Object.values(this.wanted).some(Boolean);
  }

  select(key, names) {
    const value = this.wanted[key];
    // What was asked for and is no more stays to be seen, and to be put away.
    const all = names.includes(value) ? ["", ...names] : ["", ...names, value].filter((each, index) => !index || each);
    const [name, any] = CALLED[key].map((word) => t(word));
    return h("select", { name: key, "aria-label": name, onchange: (event) => this.choose(key, event.currentTarget.value) },
      all.map((each) => h("option", { value: each, selected: each === value }, each ? tOr(`status.${each}`, each) : any)));
  }

  choose(key, value) {
    this.wanted[key] = value;
    if (location.hash.startsWith("#/documents")) replaceRoute(`#/documents${query(this.wanted)}`);
    this.changed();
  }

  /** A document's tags; one leads to all that have it. */
  chips({ tags, name }) {
    if (!tags.length) return null;
    return h("ul.chips", { "aria-label": t("documents.tags", { name }) }, tags.map((tag) => h("li", {}, h("button.chip", { type: "button", "aria-pressed": tag === this.wanted.tag, onclick: () => this.choose("tag", tag === this.wanted.tag ? "" : tag) }, tag))));
  }

  /** Change a document's tags: `done()` when the server has them. */
  edit({ id, name, tags }, done) {
    return iconButton("tag", t("documents.tags", { name }), async () => {
      const given = await asked(t("documents.tags_title"), tags.join(", "));
      if (given === null) return;
      try {
        await send("PATCH", `/v1/documents/${id}`, { tags: given.split(",") });
        await done();
      } catch (error) {
        toast(error.message, "bad");
      }
    });
  }
}
