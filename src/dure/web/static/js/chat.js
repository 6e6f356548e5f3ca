// The view of one conversation: its questions with their answers, and where one asks. What is drawn is drawn from
// `entries`; each holds the run that answers it, past or live.

import { getJson, query, request, send } from "./api.js";
import { Exchange } from "./branches.js";
import { Composer } from "./composer.js";
import { fold } from "./fold.js";
import { t } from "./i18n.js";
import { Button, IconButton } from "./icons.js";
import { notify } from "./notify.js";
import { Component, html, render } from "./preact.js";
import { readRecord } from "./record.js";
import { replaceRoute } from "./router.js";
import { state, tell, tellTabs, watch } from "./state.js";
import { follow } from "./stream.js";
import { toast } from "./toast.js";
import { entriesOf, instead, newEntry, newSession, pastEntry, prune, questionOf, readMessages, sessionOf, upTo, walkTo } from "./transcript.js";
import { lead, meanwhile } from "./waits.js";
import { Welcome } from "./welcome.js";

const PAGE = 40;
const OPEN = new Set(["queued", "running", "waiting"]);

/** Where work fails one is told why. */
const told = (work) => work.catch((error) => toast(error.message, "bad"));

export function openChat(host, session) {
  render(html`<${Chat} session=${session} />`, host);
  return () => render(null, host);
}

class Chat extends Component {
  constructor({ session }) {
    super();
    Object.assign(this, { session, entries: [], live: null, editing: null, newest: "", oldest: null, gone: new AbortController() });
    this.state = { older: false, away: false, lost: false, problem: "", said: "", team: "" };
    this.acts = {
      seen: (element, entry) => this.seen(element, entry),
      // Where nothing waits any more one reads on at the end.
      decided: (entry) => (entry.run.approvals.every((each) => each.decision) && this.toEnd(), this.resume(entry.run.id)),
      again: (entry) => this.again(entry),
      anew: (entry) => this.again(entry, this.state),
      goOn: (entry) => !this.live && this.sent({ message: t("chat.go_on_please"), team: entry.run.team || undefined }),
      pick: (entry, message) => !this.live && this.sent({ message, team: entry.run.team }),
    };
    this.held = (element) => (this.scroller = element);
    this.box = (composer) => (this.composer = composer ?? this.composer);
    state.session = session ?? "";
  }

  componentDidMount() {
    this.views = new IntersectionObserver((found) => found.forEach((each) => each.isIntersecting && this.load(each.target.entry)), { root: this.scroller, rootMargin: "600px" });
    for (const { element } of this.entries) if (element) this.views.observe(element);
    this.unwatch = [
      watch("asked", (told) => told.session === this.session && !this.entryOf(told.run) && this.read()),
      watch("walked", (told) => told === this.session && !this.live && this.read()),
      watch("decided", (told) => this.resume(told.run)),
      watch("waiting", () => this.checkWaiting()),
      // Names may have come.
      watch("teams", () => this.entries.forEach((each) => each.changed?.())),
    ];
    document.addEventListener("visibilitychange", () => this.returned(), { signal: this.gone.signal });
    if (this.session) this.read();
    if (!matchMedia("(pointer: coarse)").matches) this.composer.focus();
  }

  componentWillUnmount() {
    this.gone.abort();
    this.views.disconnect();
    for (const each of this.unwatch) each();
  }

  render(_, { older, away, lost, problem, said, team }) {
    const scrolled = (event) => event.currentTarget.scrollTop < -200 !== this.state.away && this.setState({ away: !this.state.away });
    const blocked = !this.live && this.entries.at(-1)?.run.status === "waiting" && meanwhile(this.entries.at(-1), () => this.composer);
    const walk = !this.live && !blocked && ((id) => told(this.walk(id)));
    return html`<div class="chat">
      ${this.session && html`<h1 class="unseen">${t("chat.title")}</h1>`}
      <div class=${this.session ? "scroller" : "scroller begins"} tabindex="0" role="region" aria-label=${t("chat.title")} onScroll=${scrolled} ref=${this.held}>
        <div class="scrolled">
          ${older && html`<button type="button" class="button older" onClick=${() => told(this.readOlder())}>${t("chat.older")}</button>`}
          <div class="log">
            ${this.session && html`<a class="read-link" href=${`#/read/${encodeURIComponent(this.session)}`}>${t("read.title")}</a>`}
            ${problem && html`<p class="problem">${problem}</p>`}
            ${!this.session && html`<${Welcome} chosen=${team} choose=${(...chosen) => this.choose(...chosen)} attach=${() => this.composer.attachments.choose()} />`}
            ${this.entries.map((each) => html`<${Exchange} key=${each.key} entry=${each} acts=${this.acts} edit=${() => this.edit(each)} walk=${walk} />`)}
            ${lost && html`<div class="problem bad" role="alert"><p>${t("chat.deleted")}</p><${Button} name="plus" label=${t("nav.new")} onClick=${() => this.composer.moveOn()} /></div>`}
          </div>
        </div>
      </div>
      <div class="jump">${away && html`<${IconButton} name="down" label=${t("chat.latest")} onClick=${() => this.toEnd()} />`}</div>
      <${Composer} ref=${this.box} session=${this.session} working=${Boolean(this.live)} blocked=${blocked}
        ask=${(asked) => this.sent(asked)} stop=${() => told(this.stop())} chosen=${(team, model) => this.setState({ team, model })} />
      <p class="unseen" role="status" aria-live="polite">${said}</p>
    </div>`;
  }

  choose(team, example) {
    this.composer.choose({ team });
    if (example === undefined) return;
    this.composer.set(example);
    this.composer.focus();
  }

  entryOf(runId) {
    return this.entries.find(({ run }) => run?.id === runId);
  }

  /** Called with each answer's element. */
  seen(element, entry) {
    if (entry.element === element) return;
    entry.element = element;
    element.entry = entry;
    this.views?.observe(element);
  }

  /** Read the transcript's end, and go on with what works or waits. */
  async read() {
    const before = this.entries;
    try {
      const [messages, { runs }] = await Promise.all([readMessages(this.session, { limit: PAGE }, { signal: this.gone.signal }), this.runs(PAGE / 2)]);
      const latest = runs[0] && OPEN.has(runs[0].status) ? runs[0].id : null;
      const ratings = new Map(runs.map((each) => [each.id, each.rating]));
      const read = entriesOf(messages, latest).map((each) => this.known(each, ratings));
      // What was asked meanwhile stands behind it.
      this.entries = instead(before, [...read, ...this.entries.filter((each) => !before.includes(each) && !read.includes(each))]);
      [this.newest, this.oldest] = [runs[0]?.id, messages[0]?.id];
      this.setState({ older: messages.length === PAGE, problem: "" });
      const last = runs.find((each) => each.id === this.entries.at(-1)?.run.id);
      if (last) this.composer.goOn({ team: last.team, model: last.options?.model ?? "" });
      const open = latest && this.entryOf(latest);
      if (open && open !== this.live) this.follow(open);
      tell("opened", this.session);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.setState({ problem: error.code === "not_found" ? t("chat.gone") : error.message });
    }
  }

  runs(limit) {
    return getJson(`/v1/runs${query({ session_id: this.session, limit })}`, { signal: this.gone.signal });
  }

  async readOlder() {
    const messages = await readMessages(this.session, { limit: PAGE, before: this.oldest });
    this.entries = [...entriesOf(messages).map((each) => this.known(each)), ...this.entries];
    this.oldest = messages[0]?.id ?? this.oldest;
    this.setState({ older: messages.length === PAGE });
  }

  /** A question with its answer, from the transcript; its record is read when it comes into view. */
  known({ asked, answer }, ratings = new Map()) {
    const id = (answer ?? asked).run_id;
    const there = id !== "-" && this.entryOf(id);
    if (there && !(answer && OPEN.has(there.run.status))) return Object.assign(there, { asked });
    return pastEntry({ asked, answer }, this.session, ratings.get(id));
  }

  async load(entry) {
    if (entry.recorded || entry === this.live) return;
    entry.recorded = true;
    try {
      entry.run = await readRecord(entry.run.id, this.gone.signal);
      entry.changed?.();
    } catch {
      // The text stands there; what was done for it is asked for again when one comes by again.
      entry.recorded = false;
    }
  }

  /** From the composer: a question, or one instead of the question that is being edited and all after it. */
  async sent(asked) {
    const from = this.editing;
    this.editing = null;
    this.composer.tell();
    try {
      const { images } = (await from) ?? {};
      await this.ask({ ...(images && { images }), ...asked }, await from);
    } catch (error) {
      this.composer.giveBack(asked.message);
      toast(error.message, "bad");
    }
  }

  /** `from`: the question in whose place it is asked. */
  async ask(asked, from) {
    if (!this.session) this.begin();
    const [before, entry] = [this.entries, newEntry(asked, this.session, from)];
    this.entries = instead(before, [...upTo(before, from), entry]);
    this.setLive(entry);
    this.toEnd();
    try {
      // One deleted elsewhere would be made anew, with nothing in it of what is shown.
      if (before.length) await sessionOf(this.session).catch((error) => this.lose(error));
      const body = { ...asked, session_id: this.session, stream: true, ...(from && { instead_of: from.id }) };
      const first = await request("/v1/chat", { method: "POST", body, accept: "text/event-stream" });
      entry.run.id = this.newest = first.headers.get("X-Run-Id");
      tellTabs("asked", { session: this.session, run: this.newest });
      if (entry.stopped) told(this.stop());
      await this.follow(entry, { first });
    } catch (error) {
      this.refused(error, asked, entry, from && before);
    }
  }

  lose(error) {
    if (error.code === "not_found") this.setState({ lost: (error.lost = true) });
    if (error.lost) tell("sessions");
    throw error;
  }

  begin() {
    this.session = state.session = newSession();
    replaceRoute(`#/s/${this.session}`);
  }

  /** A message that did not count: what was written goes back to where it can be sent again. */
  refused(error, asked, entry, before) {
    if (this.live === entry) this.setLive(null);
    if (this.gone.signal.aborted) return;
    this.entries = before ?? this.entries.filter((each) => each !== entry);
    this.setState({});
    this.composer.giveBack(asked.message);
    // What stands in the conversation says it already.
    if (!error.lost && error.code !== "session_waiting") toast(error.message, "bad");
    if (["session_busy", "session_waiting"].includes(error.code)) this.read().then(() => error.code === "session_waiting" && lead(this.entries.at(-1)));
  }

  /** Hear a run to its end, or to where it waits. */
  async follow(entry, { first } = {}) {
    entry.recorded = true;
    this.setLive(entry);
    const heard = (event, number) => fold(entry.run, event, number) && entry.changed?.();
    try {
      await follow({ runId: entry.run.id, after: entry.run.last, first, signal: this.gone.signal, heard, lost: (back) => toast(t("chat.lost"), "", back) });
    } catch (error) {
      heard({ type: "RUN_ERROR", message: error.message, code: error.code }, null);
    }
    if (this.gone.signal.aborted) return;
    if (this.live === entry) this.setLive(null);
    const said = t({ waiting: "chat.waits", completed: "chat.answered" }[entry.run.status] ?? "chat.unanswered");
    this.setState({ said });
    tell("ended", entry.run.id);
    // What waits is told of by whoever looks after all that waits.
    if (entry.run.status === "waiting") prune(entry.run, this.gone.signal).then(() => entry.changed?.(), () => {});
    else notify(said, `#/s/${this.session}`);
  }

  /** Go on with a run that waited, once somebody decided. */
  resume(runId) {
    const entry = this.entryOf(runId);
    if (entry && entry.run.status === "waiting" && this.live !== entry) this.follow(entry);
  }

  /** Go on from another question that was asked in a place, with what followed it; one step after another. */
  walk(id) {
    const steps = [() => walkTo(this.session, id), () => this.read(), () => tellTabs("walked", this.session)];
    return (this.walked = steps.reduce((done, step) => done.then(step), Promise.allSettled([this.walked])));
  }

  checkWaiting() {
    const open = new Set(state.waiting.map((each) => each.id));
    for (const { run } of this.entries) if (run.approvals.some((each) => !each.decision && !open.has(each.id))) this.resume(run.id);
  }

  /** Back from elsewhere, where the conversation may have gone on. */
  async returned() {
    if (document.hidden || this.live || !this.session) return;
    try {
      const { runs } = await this.runs(1);
      if (runs[0] && runs[0].id !== this.newest && !this.live) await this.read();
    } catch {
      // What is shown stays.
    }
  }

  setLive(entry) {
    this.live = entry;
    // What is said twice in a row is heard once.
    this.setState({ said: "" });
  }

  async stop() {
    const { live } = this;
    if (live?.run.id) await send("POST", `/v1/runs/${live.run.id}/cancel`);
    // What was asked just now has no run yet: it is stopped when it has.
    else if (live) live.stopped = true;
  }

  /** Put a question into the composer, to be sent in its place. */
  edit({ asked, run }) {
    if (this.live) return toast(t("chat.busy"));
    // What was asked just now gets its id while one writes.
    this.editing = asked.id ? asked : questionOf(this.session, run.id);
    this.composer.tell(t("chat.editing"), () => (this.editing = null));
    this.composer.set(asked.content);
    this.composer.focus();
  }

  /** Ask once more, in its place, what a run was asked: of the same team, or of the team and model given. */
  async again(entry, { team: other, model } = {}) {
    if (this.live) return toast(t("chat.busy"));
    this.setLive(entry);
    try {
      const { message, team, options } = await getJson(`/v1/runs/${entry.run.id}`);
      const asked = await questionOf(this.session, entry.run.id);
      await this.ask({ message, team: other || team, ...options, ...(model && { model }) }, asked);
    } catch (error) {
      toast(error.message, "bad");
    } finally {
      if (this.live === entry) this.setLive(null);
    }
  }

  /** The scroller is reversed: its end is where it begins. */
  toEnd() {
    this.scroller.scrollTop = 0;
  }
}
