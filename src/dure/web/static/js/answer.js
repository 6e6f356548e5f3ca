// One question and its answer, drawn from the run alone: while it works, from its record afterwards, the same.

import { Activity, worked } from "./activity.js";
import { send } from "./api.js";
import { Artifacts } from "./artifacts.js";
import { wordsOf } from "./asked.js";
import { copyText } from "./copy.js";
import { answerText } from "./fold.js";
import { number, problemText, seconds, t, tOr } from "./i18n.js";
import { Button, IconButton, Lazy } from "./icons.js";
import { Markdown } from "./markdown.js";
import { teamName } from "./names.js";
import { Component, html } from "./preact.js";
import { savePrompt } from "./prompts.js";
import { openBeside, openSource, showCard, Sources } from "./sources.js";
import { asked, toast } from "./toast.js";

const long = () => import("./long.js");

export const Question = ({ text, edit }) => html`<div class="question">
  <div class="bubble">${text.length > 1000 ? html`<${Lazy} from=${long} name="Long" text=${wordsOf(text)} />` : wordsOf(text)}</div>
  <div class="message-tools">
    <${IconButton} name="copy" label=${t("copy")} onClick=${(event) => copyText(text, event.currentTarget)} />
    ${edit && html`<${IconButton} name="edit" label=${t("chat.edit")} onClick=${edit} />`}
    <${IconButton} name="bookmark" label=${t("prompts.save")} onClick=${() => (savePrompt(text), toast(t("prompts.saved")))} />
  </div>
</div>`;

/** `entry`: {run, changed()}, drawn anew when it says so, once a frame at most. `acts`: {again, goOn, pick, decided, seen}.
    What was asked of people stands before the text: while one of it waits there is none, and then it is read last. */
export class Answer extends Component {
  constructor({ entry }) {
    super();
    entry.changed = () => {
      this.frame ??= requestAnimationFrame(() => {
        this.frame = undefined;
        this.forceUpdate();
        entry.beside?.();
      });
    };
  }

  shouldComponentUpdate() {
    return false;
  }

  componentWillUnmount() {
    cancelAnimationFrame(this.frame);
    this.props.entry.changed = () => {};
  }

  render({ entry, acts }) {
    const { run } = entry;
    const working = run.status === "running";
    const text = readable(answerText(run));
    const cited = (event) => {
      const cite = event.target.closest("button.cite");
      return cite && { cite, citation: run.citations.find((each) => String(each.marker) === cite.dataset.n) };
    };
    const clicked = (event) => {
      const found = cited(event);
      if (!found) return;
      showCard(null);
      openSource(found.citation, found.cite, entry);
    };
    const pointed = (event) => {
      const found = cited(event);
      if (found) showCard(found.citation, found.cite);
    };
    const left = (event) => cited(event) && showCard(null);
    return html`<article class=${working ? "answer working" : "answer"} aria-label=${t("chat.answer")} onClick=${clicked} onMouseOver=${pointed} onMouseOut=${left} onFocusIn=${pointed} onFocusOut=${left} ref=${(element) => element && acts.seen(element, entry)}>
      <${Activity} run=${run} />
      ${run.plan && html`<${Lazy} from=${plans} name="Plan" run=${run} />`}
      ${run.approvals.length > 0 && html`<div class="approvals">${run.approvals.map((each) => html`<${Lazy} from=${approvals} name="Approval" key=${each.id} approval=${each} decided=${() => acts.decided(entry)} />`)}</div>`}
      ${text && html`<${Markdown} text=${text} open=${working} />`}
      <${Problem} run=${run} text=${text} again=${acts.again && (() => acts.again(entry))} goOn=${acts.goOn && (() => acts.goOn(entry))} />
      ${acts.pick && html`<${Choices} run=${run} pick=${(n) => acts.pick(entry, n)} />`}
      <${Artifacts} run=${run} />
      <${Notices} run=${run} />
      ${!working && html`<${Checked} run=${run} />`}
      ${!working && html`<${Sources} citations=${run.citations} entry=${entry} />`}
      ${!working && html`<${Foot} run=${run} text=${text} entry=${entry} anew=${acts.anew && (() => acts.anew(entry))} />`}
    </article>`;
  }
}

// Not every answer has one.
const approvals = () => import("./approval.js");
const plans = () => import("./plan.js");
const checks = () => import("./checks.js");

/** What a run tells of itself, but why it stopped: another model was asked, one does not see. */
function Notices({ run: { items } }) {
  const told = items.filter(({ kind, code }) => kind === "notice" && !tOr(`reason.${code}`, ""));
  return told.map(({ text }) => html`<p class="told">${text}</p>`);
}

/** What was held against the sources, where that is told. */
function Checked({ run: { result } }) {
  if (!result?.checks) return null;
  if (result.checks.length) return html`<${Lazy} from=${checks} name="Checks" checks=${result.checks} />`;
  return html`<p class="checked">${t("checks.none")}</p>`;
}

/** Why there is no whole answer, and what can be done about it. */
function Problem({ run: { status, error, result }, text, again, goOn }) {
  const reason = (error && problemText(error)) ?? (["stopped", "cancelled"].includes(status) ? t(`ended.${status}`) : "");
  if (!reason) return null;
  const why = status === "stopped" && tOr(`reason.${result?.reason}`, "");
  const more = why ? ` (${why})` : "";
  return html`<div class=${error ? "problem bad" : "problem"} role=${error ? "alert" : "status"}>
    <p>${reason}${more}</p>
    ${text && goOn && html`<${Button} name="chevron" label=${t("chat.go_on")} onClick=${goOn} />`}
    ${again && error?.code !== "context_exceeded" && html`<${Button} name="retry" label=${t("chat.again")} onClick=${again} />`}
  </div>`;
}

/** Buttons for what the answer asks to choose from; its number is sent, as if it had been typed. */
function Choices({ run, pick }) {
  const choices = run.result?.choices ?? [];
  if (!choices.length) return null;
  return html`<div class="choices">${choices.map((each) => html`<${Button} label=${`${each.number}. ${each.text}`} onClick=${() => pick(String(each.number))} />`)}</div>`;
}

function Foot({ run, text, entry, anew }) {
  const tokens = run.usage && run.usage.prompt_tokens + run.usage.completion_tokens;
  const facts = [teamName(run.team), run.models.join(", "), seconds(run.result?.execution_time), tokens && t("chat.tokens", { n: number(tokens) })];
  return html`<footer class="answer-foot">
    ${text && html`<${IconButton} name="copy" label=${t("copy")} onClick=${(event) => copyText(text, event.currentTarget)} />`}
    ${text && run.id && run.id !== "-" && html`<${Thumbs} run=${run.id} entry=${entry} />`}
    ${text && anew && html`<${IconButton} name="retry" label=${t("chat.anew")} onClick=${anew} />`}
    <span class="facts-line">${facts.filter(Boolean).join(" · ")}</span>
    ${worked(run) && html`<button type="button" class="link" onClick=${(event) => openBeside({ entry, tab: "work" }, event.currentTarget)}>${t("side.work")}</button>`}
    ${run.id && run.id !== "-" && html`<a href=${`#/runs/${run.id}`}>${t("chat.what_happened")}</a>`}
  </footer>`;
}

/** Whether the answer was good; where it was not, why. `entry.rating`: {rating: 1 to 5, comment} or null. */
function Thumbs({ run, entry }) {
  const given = entry.rating?.rating ?? 0;
  const rate = async (rating) => {
    const comment = rating > 3 ? "" : await asked(t("rate.why"), entry.rating?.comment ?? "", { maxlength: "4000" });
    if (comment === null) return;
    try {
      entry.rating = (await send("POST", `/v1/runs/${run}/rating`, { rating, comment: comment || null })).rating;
      entry.changed();
    } catch (error) {
      toast(error.message, "bad");
    }
  };
  return html`<${IconButton} name="good" label=${t("rate.good")} aria-pressed=${String(given > 3)} onClick=${() => rate(5)} />
    <${IconButton} name="poor" label=${t("rate.poor")} aria-pressed=${String(given > 0 && given < 3)} onClick=${() => rate(1)} />`;
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
