// All runs, newest first, by status, team, time and words; two of them can be chosen for comparison.

import { teamName } from "../names.js";
import { getJson, query } from "../api.js";
import { button, fill, h } from "../dom.js";
import { number, seconds, t, tOr, when } from "../i18n.js";
import { go, replaceRoute } from "../router.js";
import { state, watch } from "../state.js";
import { toast } from "../toast.js";
import { money } from "./steps.js";

const STATUSES = ["queued", "running", "waiting", "completed", "stopped", "failed", "cancelled"];
const PAGE = 100;

export async function open(host, { query: given }) {
  const view = new RunList(host, given);
  await view.load();
  return () => view.unwatch();
}

class RunList {
  constructor(host, given) {
    this.chosen = [];
    this.status = choice(t("run.status"), [["", t("runs.any_status")], ...STATUSES.map((each) => [each, t(`status.${each}`)])], given.get("status"));
    this.team = h("select", { "aria-label": t("run.team") });
    this.since = h("input", { type: "date", "aria-label": t("runs.since"), title: t("runs.since"), value: given.get("since") ?? "" });
    this.words = h("input", { type: "search", "aria-label": t("runs.search"), placeholder: t("runs.search"), value: given.get("q") ?? "" });
    this.teams(given.get("team"));
    this.unwatch = watch("teams", () => this.teams(given.get("team")));
    for (const each of [this.status, this.team, this.since]) each.addEventListener("change", () => this.load());
    this.words.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.load(), 250);
    });
    this.compare = button(t("runs.compare"), () => go(`#/compare/${this.chosen.join("/")}`), { disabled: true });
    this.list = h("ul.rows");
    this.more = button(t("more"), () => this.load(this.next), { hidden: true });
    const filters = h("div.filters", {}, this.words, this.status, this.team, this.since, this.compare);
    fill(host, h("h1", {}, t("runs.title")), filters, this.list, this.more);
  }

  teams(kept) {
    const value = this.team.value || kept || "";
    const options = [["", t("runs.any_team")], ...state.teams.map((each) => [each.name, teamName(each.name)])];
    fill(this.team, options.map(([name, label]) => h("option", { value: name, selected: name === value }, label)));
  }

  async load(before) {
    const since = this.since.value && new Date(`${this.since.value}T00:00`).toISOString();
    const shown = { q: this.words.value.trim(), status: this.status.value, team: this.team.value };
    const wanted = query({ ...shown, since, limit: PAGE, before });
    if (location.hash.startsWith("#/runs")) replaceRoute(`#/runs${query({ ...shown, since: this.since.value })}`);
    this.asked = wanted;
    try {
      const found = await getJson(`/v1/runs${wanted}`);
      if (this.asked !== wanted) return;
      const rows = found.runs.map((each) => this.row(each));
      if (before) this.list.append(...rows);
      else fill(this.list, rows.length ? rows : h("li.empty", {}, Object.values(shown).some(Boolean) || since ? t("runs.empty") : [t("runs.none"), " ", h("a", { href: "#/" }, t("nav.new"))]));
      this.next = found.next ?? null;
      this.more.hidden = !this.next;
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  row(run) {
    const tokens = run.usage.prompt_tokens + run.usage.completion_tokens;
    const facts = [teamName(run.team), when(run.created_at), seconds(run.seconds), tokens && t("chat.tokens", { n: number(tokens) }), run.cost > 0 && money(run.cost, run.currency)];
    const pick = h("input", { type: "checkbox", checked: this.chosen.includes(run.id), "aria-label": t("runs.pick", { message: run.message.slice(0, 60) }) });
    pick.addEventListener("change", () => this.choose(run.id, pick));
    return h(
      "li.row",
      { data: { id: run.id } },
      pick,
      h("div.row-main", {},
        h("div.row-title", {}, h("a", { href: `#/runs/${run.id}` }, run.message), h("span.mark", { data: { status: run.status } }, tOr(`status.${run.status}`, run.status))),
        h("small", {}, facts.filter(Boolean).join(" · "))),
    );
  }

  choose(id, pick) {
    this.chosen = this.chosen.filter((each) => each !== id);
    if (pick.checked) this.chosen.push(id);
    if (this.chosen.length > 2) {
      // The third takes the place of the first.
      const gone = this.chosen.shift();
      const box = this.list.querySelector(`[data-id="${CSS.escape(gone)}"] input`);
      if (box) box.checked = false;
    }
    this.compare.disabled = this.chosen.length !== 2;
  }
}

function choice(label, options, value) {
  return h("select", { "aria-label": label }, options.map(([name, text]) => h("option", { value: name, selected: name === (value ?? "") }, text)));
}
