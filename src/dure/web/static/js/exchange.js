// One question and its answer: live while the run works, from the transcript afterwards.

import { Activity } from "./activity.js";
import { send } from "./api.js";
import { approvalCard } from "./approval.js";
import { artifactList } from "./artifacts.js";
import { button, fill, h, iconButton } from "./dom.js";
import { fold, newRun, shownText } from "./fold.js";
import { number, seconds, t, tOr } from "./i18n.js";
import { showHtml, render } from "./markdown.js";
import { Plan } from "./plan.js";
import { sourceList, openSource } from "./sources.js";
import { readRecord } from "./record.js";
import { StreamingText } from "./streaming.js";

/** What the user asked. `edit` puts it back into the composer. */
export function question(text, edit) {
  const copy = iconButton("copy", t("copy"), () => copyText(text, copy));
  const tools = h("div.message-tools", {}, copy, edit && iconButton("edit", t("chat.edit"), edit));
  return h("div.question", {}, h("div.bubble", {}, text), tools);
}

export class Answer {
  /** `run`: as far as it is known. `events`: {decided, again, pick}. */
  constructor(run, events = {}) {
    Object.assign(this, { run, events, dirty: new Set() });
    this.text = new StreamingText();
    this.activity = new Activity(null);
    [this.plan, this.cards] = [null, new Map()];
    [this.planHost, this.approvals, this.files] = [h("div"), h("div.approvals"), h("div")];
    this.choices = h("div.choices");
    [this.sources, this.problem, this.foot] = [h("div"), h("div"), h("footer.answer-foot")];
    this.element = h(
      "article.answer",
      { "aria-label": t("chat.answer"), onclick: (event) => this.clicked(event) },
      this.activity.element, this.planHost, this.text.element, this.problem, this.choices, this.approvals, this.files, this.sources, this.foot,
    );
  }

  /** An answer from the transcript. What was done for it is read when one asks for it. */
  static past(message) {
    const run = newRun(message.run_id);
    Object.assign(run, { status: "completed", citations: message.citations ?? [] });
    const answer = new Answer(run);
    const activity = new Activity(() => readRecord(message.run_id));
    answer.activity.element.replaceWith(activity.element);
    answer.activity = activity;
    answer.text.done = true;
    answer.text.tail.data = readable(message.content);
    answer.whole = message.content;
    answer.showSources();
    answer.showFoot();
    return answer;
  }

  /** Render the transcript's text; called when it comes into view. */
  async renderPast() {
    const text = readable(this.whole);
    try {
      showHtml(this.text.element, await render(text));
    } catch {
      this.text.element.classList.add("unrendered");
    }
  }

  heard(event, numbered) {
    const changed = fold(this.run, event, numbered);
    if (!changed) return;
    if (changed === "start" && this.text.done) this.begin();
    this.dirty.add(changed);
    if (changed === "end" || changed === "start") return this.draw();
    // One drawing a frame, however many events come.
    this.frame ??= requestAnimationFrame(() => this.draw());
  }

  begin() {
    const text = new StreamingText();
    this.text.element.replaceWith(text.element);
    this.text = text;
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = undefined;
    const dirty = this.dirty;
    this.dirty = new Set();
    const { run } = this;
    this.element.classList.toggle("working", run.status === "running");
    if (dirty.has("plan")) this.showPlan();
    if (dirty.has("text")) {
      const shown = shownText(run);
      if (shown) this.text.show(shown);
      else if (this.text.text) this.text.clear();
    }
    if (dirty.has("activity") || dirty.has("start") || dirty.has("end")) this.activity.update(run);
    if (dirty.has("files")) fill(this.files, artifactList(run.id, run.artifacts));
    if (dirty.has("start")) {
      fill(this.problem);
      this.showFoot();
    }
    if (dirty.has("end")) this.end();
  }

  showPlan() {
    if (!this.plan) {
      this.plan = new Plan();
      fill(this.planHost, this.plan.element);
    }
    this.plan.update(this.run.plan);
  }

  end() {
    const { run } = this;
    this.plan?.rest();
    const text = run.status === "waiting" ? "" : (run.result?.response ?? shownText(run)?.parts.join("") ?? "");
    this.whole = text;
    this.text.finish(readable(text));
    this.showApprovals();
    this.showChoices();
    this.showProblem();
    this.showSources();
    this.showFoot();
  }

  showApprovals() {
    const open = new Set(this.run.approvals.map((each) => each.id));
    for (const [id, card] of this.cards) if (!open.has(id) && !card.classList.contains("settled")) card.remove();
    for (const each of this.run.approvals) {
      if (this.cards.has(each.id)) continue;
      const card = approvalCard(each, (run) => this.events.decided?.(this, run));
      this.cards.set(each.id, card);
      this.approvals.append(card);
    }
  }

  /** Buttons for what the answer asks to choose from; its number is sent, as if it had been typed. */
  showChoices() {
    const { pick } = this.events;
    const choices = pick ? (this.run.result?.choices ?? []) : [];
    fill(this.choices, choices.map((each) => button(`${each.number}. ${each.text}`, () => pick(this, String(each.number)))));
  }

  showProblem() {
    const { status, error, result } = this.run;
    const reason = error?.message ?? (["stopped", "cancelled"].includes(status) ? t(`ended.${status}`) : "");
    const more = result?.reason && status === "stopped" ? ` (${tOr(`reason.${result.reason}`, result.reason)})` : "";
    fill(this.problem, reason && h("div.problem", { role: error ? "alert" : "status", class: error ? "bad" : "" },
      h("p", {}, reason + more),
      this.events.again && button(t("chat.again"), () => this.events.again(this), {}, "retry")));
  }

  showSources() {
    fill(this.sources, sourceList(this.run.citations));
  }

  showFoot() {
    const { run } = this;
    if (run.status === "running") return fill(this.foot);
    const copy = iconButton("copy", t("copy"), () => copyText(readable(this.whole ?? ""), copy));
    const tokens = run.usage && run.usage.prompt_tokens + run.usage.completion_tokens;
    const facts = [run.team, seconds(run.result?.execution_time), tokens && t("chat.tokens", { n: number(tokens) })];
    fill(this.foot, this.whole && copy, h("span.facts-line", {}, facts.filter(Boolean).join(" · ")),
      run.id && h("a", { href: `#/runs/${run.id}` }, t("chat.what_happened")));
  }

  clicked(event) {
    const cite = event.target.closest("button.cite");
    if (!cite) return;
    const found = this.run.citations.find((each) => String(each.marker) === cite.dataset.n);
    openSource(found ?? null, cite);
  }

  stop() {
    return send("POST", `/v1/runs/${this.run.id}/cancel`);
  }
}

/** An answer in the format `json` is shown as code. */
function readable(text) {
  if (!text.startsWith("{")) return text;
  try {
    return `\`\`\`json\n${JSON.stringify(JSON.parse(text), null, 2)}\n\`\`\``;
  } catch {
    return text;
  }
}

export async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https elsewhere than on this machine there is no clipboard: the old way.
    const area = h("textarea.unseen", { value: text, "aria-hidden": true });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.classList.add("done");
  setTimeout(() => button.classList.remove("done"), 1200);
}
