// The planner's steps as a graph: columns by dependency depth, lines from what a step needs. On narrow screens, and to
// screen readers, it is the list that it is made of.

import { seconds, t, tOr } from "./i18n.js";
import { agentName, hueOf } from "./names.js";
import { Component, html } from "./preact.js";

const [WIDTH, HEIGHT, ACROSS, DOWN] = [208, 84, 40, 14];

/** The plan of a run. Where the run waits, a step that was at work waits; where it ended, it was left off. */
export function Plan({ run }) {
  const unfinished = { running: "working", waiting: "waiting" }[run.status] ?? "cancelled";
  const steps = (run.plan.steps ?? []).map((each) => (each.status === "working" ? { ...each, status: unfinished } : each));
  const { places, width, height } = laid(steps);
  const done = steps.filter((each) => each.status === "done").length;
  const lines = steps.flatMap((step) => (step.depends_on ?? []).filter((each) => places.has(each)).map((from) => line(steps, places, from, step.step)));
  return html`<section class="plan">
    <h2>${t("plan.title")} <span class="plan-count">${t("plan.count", { done, all: steps.length })}</span></h2>
    <div class="plan-frame" tabindex="0" role="group" aria-label=${t("plan.title")}>
      <div class="plan-canvas" style=${{ "--plan-width": `${width}px`, "--plan-height": `${height}px` }}>
        <svg class="plan-edges" aria-hidden="true" viewBox=${`0 0 ${width} ${height}`}>${lines}</svg>
        <ol class="plan-steps">${steps.map((step) => html`<${Step} key=${step.step} step=${step} team=${run.team} place=${places.get(step.step)} />`)}</ol>
      </div>
    </div>
  </section>`;
}

/** Where each step stands, in pixels, and how large the whole is. */
function laid(steps) {
  const depth = depths(steps);
  const filled = [];
  const places = new Map();
  for (const { step } of steps) {
    const column = depth.get(step);
    const row = (filled[column] = (filled[column] ?? 0) + 1) - 1;
    places.set(step, { x: column * (WIDTH + ACROSS), y: row * (HEIGHT + DOWN) });
  }
  const rows = Math.max(0, ...filled.map((each) => each ?? 0));
  return { places, width: filled.length * (WIDTH + ACROSS) - ACROSS, height: rows * (HEIGHT + DOWN) - DOWN };
}

/** A step; while it works its seconds are counted. */
class Step extends Component {
  componentDidMount() {
    this.componentDidUpdate();
  }

  componentDidUpdate() {
    const working = this.props.step.status === "working";
    if (working && !this.timer) {
      this.began = performance.now();
      this.timer = setInterval(() => this.setState({}), 1000);
    } else if (!working) this.componentWillUnmount();
  }

  componentWillUnmount() {
    clearInterval(this.timer);
    this.timer = 0;
  }

  render({ step, team, place }) {
    const needs = (step.depends_on ?? []).join(", ");
    const past = step.status === "working" && this.timer ? Math.round((performance.now() - this.began) / 1000) : step.seconds;
    return html`<li class="plan-step" title=${step.task} data-status=${step.status} style=${{ "--x": `${place.x}px`, "--y": `${place.y}px` }}>
      <div class="plan-head">
        <span class="plan-number">${step.step}</span><strong data-hue=${hueOf(step.agent, team)}>${agentName(step.agent, team)}</strong>
        <span class="mark" data-status=${step.status}>${tOr(`status.${step.status}`, step.status)}</span><span class="took">${past > 0 && seconds(past)}</span>
      </div>
      <p>${step.task}</p>
      ${needs && html`<small>${t("plan.after", { steps: needs })}</small>`}
    </li>`;
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

function line(steps, places, from, to) {
  const [start, end] = [places.get(from), places.get(to)];
  const [x1, y1, x2, y2] = [start.x + WIDTH, start.y + HEIGHT / 2, end.x, end.y + HEIGHT / 2];
  const middle = Math.max(ACROSS / 2, (x2 - x1) / 2);
  const reached = steps.find((each) => each.step === from).status === "done";
  return html`<path d=${`M${x1} ${y1}C${x1 + middle} ${y1} ${x2 - middle} ${y2} ${x2} ${y2}`} class=${reached ? "plan-edge reached" : "plan-edge"} />`;
}
