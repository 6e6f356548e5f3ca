// Who works and what is called: one line while it goes on, everything behind it when opened.

import { fill, h } from "./dom.js";
import { seconds, t, tOr } from "./i18n.js";
import { workingNow } from "./fold.js";

const MOST = 20_000;

export class Activity {
  /** `load`: fetches a past run's events when the line is opened first. */
  constructor(load) {
    this.line = h("span.activity-line");
    this.body = h("div.activity-body");
    const summary = h("summary", {}, h("span.dot", { "aria-hidden": true }), this.line);
    this.element = h("details.activity", { hidden: !load, ontoggle: () => this.toggled() }, summary, this.body);
    this.load = load;
    this.drawn = new Map();
    if (load) this.line.textContent = t("activity.past");
  }

  async toggled() {
    if (!this.element.open) return;
    if (this.load) {
      const load = this.load;
      this.load = null;
      this.body.textContent = t("loading");
      try {
        this.run = await load();
        this.body.textContent = "";
      } catch (error) {
        this.load = load;
        this.body.textContent = error.message;
        return;
      }
    }
    if (this.run) this.draw();
  }

  /** Show the run as it stands. What is folded is not drawn. */
  update(run) {
    this.run = run;
    const working = run.status === "running";
    this.element.hidden = !working && run.items.length === 0;
    this.element.classList.toggle("working", working);
    this.line.textContent = working ? nowLine(run) : doneLine(run);
    if (this.element.open) this.draw();
  }

  draw() {
    this.items(this.body, this.run.items, "");
  }

  items(host, items, path) {
    items.forEach((item, index) => {
      const key = `${path}/${index}`;
      const stamp = [item.status, item.text?.length, item.parts?.length, item.retracted, item.args?.length].join();
      let drawn = this.drawn.get(key);
      if (!drawn) {
        drawn = MAKE[item.kind](item);
        this.drawn.set(key, drawn);
        host.append(drawn.element);
      }
      if (drawn.stamp !== stamp) {
        drawn.stamp = stamp;
        drawn.update(item);
      }
      if (item.items) this.items(drawn.host, item.items, key);
    });
  }
}

function nowLine(run) {
  const { agents, calls } = workingNow(run);
  if (calls.length) return t("activity.calling", { who: agents.join(", ") || run.team, what: calls.join(", ") });
  return agents.length ? t("activity.working", { who: agents.join(", ") }) : t("activity.thinking");
}

function doneLine(run) {
  const agents = new Set([...run.agents.values()].map((each) => each.name));
  const facts = [[...agents].join(", "), run.calls.size && t("activity.calls", { n: run.calls.size })];
  if (run.models) facts.push(t("activity.models", { n: run.models }));
  return facts.filter(Boolean).join(" · ") || t("activity.past");
}

const statusMark = (status) => h("span.mark", { data: { status } }, tOr(`status.${status}`, status));

const MAKE = {
  agent(item) {
    const [mark, error, host] = [h("span"), h("p.error-text"), h("div.activity-items")];
    // A task carries the results of those before it; its first line says what it is.
    const [first, ...rest] = item.task.trim().split("\n");
    const task = rest.length ? h("details.task", {}, h("summary", {}, first), rest.join("\n").trim()) : h("p.task", {}, first);
    const element = h("section.activity-agent", {}, h("h4", {}, item.name, " ", mark), task, error, host);
    return { element, host, update: (now) => (fill(mark, statusMark(now.status)), fill(error, now.error)) };
  },
  call(item) {
    const [mark, took, args, result] = [h("span"), h("span.took"), h("pre"), h("pre")];
    for (const each of [args, result]) each.tabIndex = 0;
    const summary = h("summary", {}, h("code", {}, item.name), " ", mark, " ", took);
    const body = [h("h5", {}, t("activity.arguments")), args, h("h5", {}, t("activity.result")), result];
    const update = (now) => {
      fill(mark, statusMark(now.status));
      took.textContent = now.seconds === null ? "" : seconds(now.seconds);
      args.textContent = pretty(now.args);
      result.textContent = now.result === null ? "…" : shorten(now.result);
    };
    return { element: h("details.activity-call", {}, summary, body), update };
  },
  said() {
    const text = h("p.thought");
    const element = h("details.activity-call", {}, h("summary", {}, t("activity.said")), text);
    const update = (now) => {
      element.hidden = Boolean(now.retracted);
      text.textContent = shorten(now.parts.join(""));
    };
    return { element, update };
  },
  thought() {
    const text = h("p.thought");
    const element = h("details.activity-call", {}, h("summary", {}, t("activity.thought")), text);
    return { element, update: (now) => (text.textContent = now.text) };
  },
  routed: (item) => note(t("activity.routed", { who: item.agents.join(", "), how: tOr(`routed.${item.how}`, item.how) })),
  notice: (item) => note(item.text),
  resumed: (item) => note(tOr(`resumed.${item.why}`, t("resumed.recovered"))),
};

const note = (text) => ({ element: h("p.note", {}, text), update() {} });

/** JSON as people read it; what is no JSON stays as it is. */
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export const shorten = (text) => (text.length > MOST ? `${text.slice(0, MOST)}\n… (${text.length})` : text);
