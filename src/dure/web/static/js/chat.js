// The view of one conversation: its transcript, the answer that is being written, and where one asks.

import { ApiError, getJson, query, request } from "./api.js";
import { Composer } from "./composer.js";
import { fill, h, iconButton } from "./dom.js";
import { Answer, question } from "./exchange.js";
import { newRun } from "./fold.js";
import { t } from "./i18n.js";
import { replaceRoute } from "./router.js";
import { state, tell, tellTabs, watch } from "./state.js";
import { follow } from "./stream.js";
import { toast } from "./toast.js";
import { cutFrom, questionOf, readMessages } from "./transcript.js";
import { welcome } from "./welcome.js";

const PAGE = 40;
const OPEN = new Set(["queued", "running", "waiting"]);

export function openChat(host, sessionId) {
  const chat = new Chat(host, sessionId);
  if (sessionId) chat.load();
  else chat.showWelcome();
  return () => chat.close();
}

class Chat {
  constructor(host, sessionId) {
    Object.assign(this, { session: sessionId, live: null, editing: null, oldest: null, gone: new AbortController() });
    this.answers = new Map();
    this.composer = new Composer({ ask: (asked) => this.sent(asked), stop: () => this.stop() });
    this.composer.onchoice = (team) => this.welcomed?.(team);
    this.log = h("div.log");
    this.older = h("button.button.older", { type: "button", hidden: true, onclick: () => this.loadOlder() }, t("chat.older"));
    this.jump = iconButton("down", t("chat.latest"), () => this.toEnd(), { hidden: true });
    this.scroller = h("div.scroller", { onscroll: () => this.scrolled(), tabIndex: 0, role: "region", "aria-label": t("chat.title") },
      h("div.scrolled", {}, this.older, this.log));
    this.said = h("p.unseen", { role: "status", "aria-live": "polite" });
    fill(host, h("div.chat", {}, this.scroller, h("div.jump", {}, this.jump), this.composer.element, this.said));
    this.seen = new IntersectionObserver((entries) => this.cameIntoView(entries), { root: this.scroller, rootMargin: "600px" });
    this.unwatch = [
      watch("asked", (told) => told.session === this.session && !this.answers.has(told.run) && this.load()),
      watch("decided", (told) => this.resume(told.run)),
      watch("waiting", () => this.checkWaiting()),
    ];
    document.addEventListener("visibilitychange", () => this.returned(), { signal: this.gone.signal });
    state.session = sessionId ?? "";
    if (!matchMedia("(pointer: coarse)").matches) this.composer.focus();
  }

  close() {
    this.gone.abort();
    this.seen.disconnect();
    this.composer.unwatch();
    for (const each of this.unwatch) each();
  }

  showWelcome() {
    const choose = (team, example) => {
      this.composer.chooseTeam(team);
      if (example === undefined) return;
      this.composer.set(example);
      this.composer.focus();
    };
    const host = h("div");
    const draw = () => {
      fill(host, welcome(this.composer.team.input.value, choose));
      // Read from its beginning, where a conversation is read from its end.
      this.scroller.scrollTop = -this.scroller.scrollHeight;
    };
    this.welcomed = draw;
    this.unwatch.push(watch("teams", draw));
    fill(this.log, host);
    draw();
  }

  /** `from`: a question that is taken out before, with all after it; fails where it cannot be. */
  async load(from) {
    const { signal } = this.gone;
    if (from) await cutFrom(this.session, from);
    try {
      const [messages, { runs }] = await Promise.all([
        readMessages(this.session, { limit: PAGE }, { signal }),
        getJson(`/v1/runs${query({ session_id: this.session, limit: 1 })}`, { signal }),
      ]);
      this.answers.clear();
      fill(this.log, this.drawn(messages, runs[0]));
      this.oldest = messages[0]?.id;
      this.older.hidden = messages.length < PAGE;
      const latest = runs[0] && this.answers.get(runs[0].id);
      if (latest?.unread) this.follow(latest);
      tell("opened", this.session);
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(this.log, h("p.problem", {}, error.code === "not_found" ? t("chat.gone") : error.message));
    }
  }

  async loadOlder() {
    try {
      const messages = await readMessages(this.session, { limit: PAGE, before: this.oldest });
      this.log.prepend(...this.drawn(messages));
      this.oldest = messages[0]?.id ?? this.oldest;
      this.older.hidden = messages.length < PAGE;
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  /** Messages as elements. A question without an answer gets what its run's record tells. */
  drawn(messages, latest) {
    const answered = new Set(messages.filter((each) => each.role === "assistant").map((each) => each.run_id));
    if (latest && OPEN.has(latest.status)) answered.delete(latest.id);
    return messages.flatMap((each) => {
      if (each.role === "assistant") {
        return answered.has(each.run_id) ? this.keep(Answer.past(each), each.run_id).element : [];
      }
      const asked = question(each.content, () => this.edit(each));
      if (answered.has(each.run_id) || each.run_id === "-") return asked;
      const answer = this.keep(this.answer(newRun(each.run_id, this.session)), each.run_id);
      answer.unread = true;
      return [asked, answer.element];
    });
  }

  keep(answer, runId) {
    this.answers.set(runId, answer);
    answer.element.answer = answer;
    this.seen.observe(answer.element);
    return answer;
  }

  answer(run) {
    return new Answer(run, {
      decided: (answer) => this.resume(answer.run.id),
      again: (answer) => this.again(answer),
      pick: (answer, message) => !this.live && this.sent({ message, team: answer.run.team }),
    });
  }

  cameIntoView(entries) {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      this.seen.unobserve(target);
      const { answer } = target;
      if (answer.unread) this.follow(answer, { live: false });
      else if (answer.whole !== undefined && answer.run.last === 0) answer.renderPast();
    }
  }

  /** From the composer: a question, or one instead of the question that is being edited and all after it. */
  async sent(asked) {
    const from = this.editing;
    this.editing = null;
    this.composer.tell();
    try {
      if (from) await this.load(from);
      await this.ask(asked);
    } catch (error) {
      this.composer.giveBack(asked.message);
      toast(error.message, "bad");
    }
  }

  async ask(asked) {
    if (!this.session) this.begin();
    const answer = this.answer(newRun("", this.session));
    answer.run.team = asked.team ?? "";
    const shown = question(asked.message, () => this.edit(questionOf(this.session, answer.run.id)));
    this.log.append(shown, answer.element);
    answer.activity.update(answer.run);
    this.toEnd();
    this.setLive(answer);
    try {
      const body = { ...asked, session_id: this.session, stream: true };
      const first = await request("/v1/chat", { method: "POST", body, accept: "text/event-stream" });
      answer.run.id = first.headers.get("X-Run-Id");
      this.answers.set(answer.run.id, answer);
      tellTabs("asked", { session: this.session, run: answer.run.id });
      await this.follow(answer, { first });
    } catch (error) {
      this.refused(error, asked, [shown, answer.element], answer);
    }
  }

  /** A session of a new name, made here, so that a reload before the first event finds its way back. */
  begin() {
    const bytes = crypto.getRandomValues(new Uint8Array(10));
    this.session = `s-${Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("")}`;
    state.session = this.session;
    this.welcomed = null;
    fill(this.log);
    replaceRoute(`#/s/${this.session}`);
  }

  /** A message that did not count: what was written goes back to where it can be sent again. */
  refused(error, asked, elements, answer) {
    if (this.live === answer) this.setLive(null);
    if (this.gone.signal.aborted) return;
    for (const each of elements) each.remove();
    this.composer.giveBack(asked.message);
    toast(error.message, "bad");
    if (error instanceof ApiError && ["session_busy", "session_waiting"].includes(error.code)) this.load();
  }

  /** Hear a run to its end, or to where it waits. `live`: what is written to now waits for it. */
  async follow(answer, { first, live = true } = {}) {
    answer.unread = false;
    if (live) this.setLive(answer);
    const { run } = answer;
    try {
      await follow({
        runId: run.id, after: run.last, first, signal: this.gone.signal,
        heard: (event, number) => answer.heard(event, number),
        lost: (failures) => failures === 0 && toast(t("chat.lost")),
      });
    } catch (error) {
      answer.heard({ type: "RUN_ERROR", message: error.message, code: error.code });
    }
    if (this.gone.signal.aborted || !live) return;
    if (this.live === answer) this.setLive(null);
    this.say(t(run.status === "waiting" ? "chat.waits" : "chat.answered"));
    tell("ended", run.id);
    if (run.status === "waiting") this.prune(answer);
  }

  /** The record tells what was asked; some of it may be decided by now. */
  async prune(answer) {
    try {
      const { approvals } = await getJson("/v1/approvals", { signal: this.gone.signal });
      const open = new Set(approvals.map((each) => each.id));
      answer.run.approvals = answer.run.approvals.filter((each) => open.has(each.id));
      answer.showApprovals();
    } catch {
      // A decision that comes too late is answered as such.
    }
  }

  /** Go on with a run that waited, once somebody decided. */
  resume(runId) {
    const answer = this.answers.get(runId);
    if (answer && answer.run.status === "waiting" && this.live !== answer) this.follow(answer);
  }

  checkWaiting() {
    const open = new Set(state.waiting.map((each) => each.id));
    for (const { run } of this.answers.values()) {
      if (run.status === "waiting" && run.approvals.some((each) => !open.has(each.id))) this.resume(run.id);
    }
  }

  /** Back from elsewhere, where the conversation may have gone on. */
  async returned() {
    if (document.hidden || this.live || !this.session) return;
    try {
      const { runs } = await getJson(`/v1/runs${query({ session_id: this.session, limit: 1 })}`, { signal: this.gone.signal });
      if (runs[0] && !this.answers.has(runs[0].id) && !this.live) await this.load();
    } catch {
      // What is shown stays.
    }
  }

  setLive(answer) {
    this.live = answer;
    this.composer.setWorking(Boolean(answer));
  }

  async stop() {
    if (!this.live?.run.id) return;
    try {
      await this.live.stop();
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  /** Put a question into the composer, to be sent in its place. `asked`: the message, or a promise of it. */
  async edit(asked) {
    try {
      const { id, content } = (await asked) ?? {};
      if (this.live) return toast(t("chat.busy"));
      if (!id) return;
      this.editing = id;
      this.composer.tell(t("chat.editing"), () => (this.editing = null));
      this.composer.set(content);
      this.composer.focus();
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  /** Ask once more what a run was asked, of the same team: in the place of the last question, but after an earlier
      one, of which nothing is taken away. */
  async again(answer) {
    if (this.live) return toast(t("chat.busy"));
    this.setLive(answer);
    try {
      const { message, team, options } = await getJson(`/v1/runs/${answer.run.id}`);
      const asked = await questionOf(this.session, answer.run.id);
      if (asked?.last) await this.load(asked.id);
      await this.ask({ message, team, ...options });
    } catch (error) {
      toast(error.message, "bad");
    } finally {
      if (this.live === answer) this.setLive(null);
    }
  }

  toEnd() {
    // The scroller is reversed: its end is where it begins.
    this.scroller.scrollTop = 0;
  }

  scrolled() {
    this.jump.hidden = this.scroller.scrollTop > -200;
  }

  say(text) {
    this.said.textContent = text;
  }
}
