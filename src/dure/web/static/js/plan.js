// The planner's steps as a graph: columns by dependency depth, lines from what a step needs. On narrow screens, and to
// screen readers, it is the list that it is made of.

import { fill, h, svg } from "./dom.js";
import { seconds, t, tOr } from "./i18n.js";

const [WIDTH, HEIGHT, ACROSS, DOWN] = [208, 84, 40, 14];

export class Plan {
  constructor() {
    this.edges = svg("svg", { class: "plan-edges", "aria-hidden": "true" });
    this.list = h("ol.plan-steps");
    this.count = h("span.plan-count");
    const canvas = (this.canvas = h("div.plan-canvas", {}, this.edges, this.list));
    const frame = h("div.plan-frame", { tabIndex: 0, role: "region", "aria-label": t("plan.title") }, canvas);
    this.element = h("section.plan", {}, h("h3", {}, t("plan.title"), " ", this.count), frame);
    this.nodes = new Map();
    this.began = new Map();
  }

  update(plan) {
    const steps = plan.steps ?? [];
    const shape = JSON.stringify(steps.map((each) => [each.step, each.agent, each.task, each.depends_on]));
    if (shape !== this.shape) {
      this.shape = shape;
      this.lay(steps);
    }
    for (const step of steps) this.show(step);
    const done = steps.filter((each) => each.status === "done").length;
    this.count.textContent = t("plan.count", { done, all: steps.length });
    const working = steps.some((each) => each.status === "working");
    if (working && !this.timer) this.timer = setInterval(() => this.tick(), 1000);
    if (!working) this.rest();
  }

  /** Stop counting seconds; when the run has ended or the page shows something else. */
  rest() {
    clearInterval(this.timer);
    this.timer = 0;
  }

  lay(steps) {
    const depth = depths(steps);
    const filled = [];
    const places = new Map();
    for (const step of steps) {
      const column = depth.get(step.step);
      const row = (filled[column] = (filled[column] ?? 0) + 1) - 1;
      places.set(step.step, { x: column * (WIDTH + ACROSS), y: row * (HEIGHT + DOWN) });
    }
    const [columns, rows] = [filled.length, Math.max(0, ...filled.map((each) => each ?? 0))];
    const size = { width: columns * (WIDTH + ACROSS) - ACROSS, height: rows * (HEIGHT + DOWN) - DOWN };
    this.canvas.style.setProperty("--plan-width", `${size.width}px`);
    this.canvas.style.setProperty("--plan-height", `${size.height}px`);
    this.edges.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    this.nodes.clear();
    fill(this.list, steps.map((step) => this.node(step, places.get(step.step))));
    this.lines = [];
    for (const step of steps) {
      for (const needed of step.depends_on ?? []) {
        if (places.has(needed)) this.lines.push({ from: needed, to: step.step, path: line(places.get(needed), places.get(step.step)) });
      }
    }
    this.edges.replaceChildren(...this.lines.map((each) => each.path));
  }

  node(step, place) {
    const needs = (step.depends_on ?? []).join(", ");
    const [mark, took] = [h("span.mark"), h("span.took")];
    const element = h(
      "li.plan-step",
      { title: step.task },
      h("div.plan-head", {}, h("span.plan-number", {}, step.step), h("strong", {}, step.agent), mark, took),
      h("p", {}, step.task),
      needs && h("small", {}, t("plan.after", { steps: needs })),
    );
    element.style.setProperty("--x", `${place.x}px`);
    element.style.setProperty("--y", `${place.y}px`);
    this.nodes.set(step.step, { element, mark, took, step });
    return element;
  }

  show(step) {
    const node = this.nodes.get(step.step);
    node.step = step;
    node.element.dataset.status = step.status;
    node.mark.dataset.status = step.status;
    node.mark.textContent = tOr(`status.${step.status}`, step.status);
    if (step.status === "working" && !this.began.has(step.step)) this.began.set(step.step, performance.now());
    if (step.status !== "working") this.began.delete(step.step);
    this.time(node);
    for (const each of this.lines) {
      if (each.from === step.step) each.path.classList.toggle("reached", step.status === "done");
    }
  }

  time({ step, took }) {
    const began = this.began.get(step.step);
    const past = began === undefined ? step.seconds : Math.round((performance.now() - began) / 1000);
    took.textContent = past === null || past === undefined ? "" : seconds(past);
  }

  tick() {
    if (!this.element.isConnected) this.rest();
    for (const node of this.nodes.values()) this.time(node);
  }
}

/** The column of each step: one more than the deepest that it needs. Steps that need each other end somewhere. */
export function depths(steps) {
  const known = new Map(steps.map((each) => [each.step, each]));
  const depth = new Map();
  const find = (number, above) => {
    if (depth.has(number)) return depth.get(number);
    if (above.has(number)) return 0;
    const needs = (known.get(number).depends_on ?? []).filter((each) => known.has(each));
    const found = Math.max(-1, ...needs.map((each) => find(each, new Set(above).add(number)))) + 1;
    depth.set(number, found);
    return found;
  };
  for (const step of steps) find(step.step, new Set());
  return depth;
}

function line(from, to) {
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
  const middle = Math.max(ACROSS / 2, (x2 - x1) / 2);
  return svg("path", { d: `M${x1} ${y1}C${x1 + middle} ${y1} ${x2 - middle} ${y2} ${x2} ${y2}`, class: "plan-edge" });
}
