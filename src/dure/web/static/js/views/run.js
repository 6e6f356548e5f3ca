// One run from question to answer: where one finds out why an answer was bad.

import { pretty, shorten } from "../activity.js";
import { getJson, send } from "../api.js";
import { Artifacts } from "../artifacts.js";
import { button, fill, h } from "../dom.js";
import { fullTime, number, seconds, t, tOr } from "../i18n.js";
import { Markdown } from "../markdown.js";
import { html, render } from "../preact.js";
import { Sources } from "../sources.js";
import { go } from "../router.js";
import { state, tell } from "../state.js";
import { toast } from "../toast.js";
import { questionOf } from "../transcript.js";
import { agentName, noticeText, teamName, toolName } from "../names.js";
import { scale, spans } from "./timeline.js";

export async function open(host, { path: [id] }) {
  const run = await getJson(`/v1/runs/${encodeURIComponent(id)}`);
  const entries = spans(run.events);
  if (run.cost) await addCosts(id, entries);
  fill(
    host,
    h("h1", {}, t("run.title"), " ", h("span.mark", { data: { status: run.status } }, tOr(`status.${run.status}`, run.status))),
    figures(run),
    h("section.run-part", {}, h("h2", {}, t("run.message")), h("p.pre", {}, run.message)),
    run.error && h("div.problem.bad", {}, h("p", {}, run.error.message ?? run.error.code)),
    h("section.run-part", {}, h("h2", {}, t("run.events")), timeline(entries, run.currency)),
    run.answer && h("section.run-part", {}, h("h2", {}, t("run.answer")), answered(run.answer)),
    run.artifacts?.length > 0 && h("section.run-part", {}, h("h2", {}, t("artifacts")), drawn(html`<${Artifacts} run=${run} />`)),
    rating(run),
    run.ended_at && again(run),
  );
}

const answered = ({ response, citations }) => drawn(html`<${Markdown} text=${response ?? ""} /><${Sources} citations=${citations ?? []} />`);

function drawn(nodes) {
  const host = h("div");
  render(nodes, host);
  return host;
}

/** What each model call cost: the same calls, in the same order. */
async function addCosts(id, entries) {
  const { prompts } = await getJson(`/v1/runs/${encodeURIComponent(id)}/experiment`);
  const byTime = new Map(prompts.map((each) => [Date.parse(each.at), each.cost]));
  for (const each of entries) if (each.kind === "model") each.cost = byTime.get(each.to);
}

export const money = (value, currency) =>
  value === null || value === undefined ? "–" : `${value < 1 ? value.toPrecision(2) : value.toFixed(2)} ${currency ?? ""}`;

function figures(run) {
  const { usage } = run;
  const facts = [
    ["run.team", teamName(run.team)], ["run.created", fullTime(run.created_at)], ["run.time", seconds(run.seconds)],
    ["run.model_calls", number(usage.model_calls)],
    ["run.tokens", `${number(usage.prompt_tokens)} / ${number(usage.completion_tokens)}`], ["run.cost", money(run.cost, run.currency)],
  ];
  const go = h("a.button", { href: `#/s/${encodeURIComponent(run.session_id)}` }, t("run.session"));
  return h("div.figures", {}, h("dl", {}, facts.map(([key, value]) => value && h("div", {}, h("dt", {}, t(key)), h("dd", {}, value)))), go);
}

function timeline(entries, currency) {
  const place = scale(entries);
  return h("ol.timeline", {}, entries.map((each) => {
    const bar = h("span.bar", { "aria-hidden": true, data: { kind: each.kind, status: each.status ?? "" } });
    bar.style.setProperty("--from", place(each.from).toFixed(4));
    bar.style.setProperty("--to", place(each.to).toFixed(4));
    return h("li", {}, ENTRIES[each.kind](each, h("span.lane", {}, bar), currency));
  }));
}

const line = (name, lane, ...facts) => [h("span.entry-name", {}, name), lane, h("span.entry-facts", {}, facts.filter(Boolean).join(" · "))];

/** Folded until opened; what is within is made then: prompts are long. */
function folded(summary, make) {
  const body = h("div.entry-body");
  const filled = () => body.childElementCount || fill(body, make());
  return h("details.entry", { ontoggle: (event) => event.target.open && filled() }, h("summary", {}, summary), body);
}

const part = (title, text) => text && [h("h3", {}, title), h("pre", { tabIndex: 0 }, shorten(text))];

const ENTRIES = {
  model(each, lane, currency) {
    const tokens = t("chat.tokens", { n: number(each.prompt_tokens + each.completion_tokens) });
    const name = t("run.model_call", { purpose: [tOr(`purpose.${each.purpose}`, each.purpose), each.agent && agentName(each.agent)].filter(Boolean).join(", ") });
    const cost = each.cost === undefined ? "" : money(each.cost, currency);
    const facts = [each.error && t("status.error"), seconds(each.seconds), tokens, cost, each.repaired && t("run.repaired")];
    return folded(line(name, lane, ...facts), () => [
      h("p.note", {}, `${t("run.model")}: ${each.model} · ${t("run.dialect")}: ${each.dialect}`),
      each.error && h("p.error-text", {}, each.error),
      h("h3", {}, t("run.prompt")),
      (each.request.messages ?? []).map(message),
      part(t("run.tools_offered"), (each.request.tools ?? []).map((tool) => tool.function?.name ?? tool.name).join(", ")),
      part(t("run.reply"), reply(each.reply)),
    ]);
  },
  tool(each, lane) {
    const status = each.status === "ok" ? "" : tOr(`status.${each.status}`, each.status);
    return folded(line(t("run.tool_call", { name: toolName(each.name) }), lane, each.agent && agentName(each.agent), status, seconds(each.seconds)), () => [
      part(t("activity.arguments"), pretty(JSON.stringify(each.args))),
      part(t("activity.result"), each.result),
      (each.passages ?? []).map((passage) => part(`${passage.title}${passage.page ? `, ${t("source.page", { page: passage.page })}` : ""}`, passage.text)),
    ]);
  },
  wait(each, lane) {
    const past = each.status === "done" ? seconds((each.to - each.from) / 1000) : t("status.waiting");
    return folded(line(t("run.waited"), lane, past), () => each.approvals.map((approval) => {
      const decision = each.decisions.find((found) => found.approval_id === approval.id);
      const did = decision && t("run.decided", { action: tOr(`approval.did.${decision.action}`, decision.action) });
      return h("div.decided", {}, h("p", {}, approval.title), part(t("activity.arguments"), pretty(JSON.stringify(approval.args ?? {}))),
        did && h("p.note", {}, did), decision?.message && h("p", {}, decision.message),
        decision?.args && part(t("approval.did.edit"), pretty(JSON.stringify(decision.args))));
    }));
  },
  failed: (each, lane) => h("div.entry.flat", {}, line(t("run.failed"), lane, each.code), h("p.error-text", {}, each.message)),
  note(each, lane) {
    const { data } = each;
    if (each.name === "planned") return folded(line(t("plan.title"), lane), () => part(t("plan.title"), pretty(JSON.stringify(data.plan))));
    const text = {
      routed: () => t("activity.routed", { who: data.agents.map(agentName).join(", "), how: tOr(`routed.${data.how}`, data.how) }),
      notice: () => noticeText(data),
      artifact: () => t("artifacts.save", { name: data.artifact.name }),
      resumed: () => tOr(`resumed.${data.why}`, t("resumed.recovered")),
    }[each.name]();
    return h("div.entry.flat", {}, line(text, lane));
  },
};

function message(each) {
  const text = typeof each.content === "string" ? each.content : pretty(JSON.stringify(each.content ?? ""));
  const calls = each.tool_calls && pretty(JSON.stringify(each.tool_calls));
  return h("div.prompt", {}, h("span.role", {}, tOr(`run.role.${each.role}`, each.role)), h("pre", { tabIndex: 0 }, shorten([text, calls].filter(Boolean).join("\n"))));
}

function reply(value) {
  const { content, reasoning, tool_calls: calls, ...rest } = value ?? {};
  const parts = [reasoning && `${t("activity.thought")}: ${reasoning}`, content, calls?.length && pretty(JSON.stringify(calls))];
  return parts.filter(Boolean).join("\n\n") || pretty(JSON.stringify(rest));
}

function rating(run) {
  let chosen = run.rating?.rating ?? 0;
  const comment = h("input", { type: "text", value: run.rating?.comment ?? "", "aria-label": t("run.comment"), placeholder: t("run.comment"), maxlength: "4000" });
  const stars = [1, 2, 3, 4, 5].map((n) => {
    return h("button.button.rate", { type: "button", onclick: () => ((chosen = n), draw()) }, t("run.rate_n", { n }));
  });
  const draw = () => {
    stars.forEach((each, index) => each.setAttribute("aria-pressed", String(index < chosen)));
    store.disabled = chosen === 0;
  };
  const store = button(t("save"), async () => {
    try {
      await send("POST", `/v1/runs/${run.id}/rating`, { rating: chosen, comment: comment.value || null });
      toast(t("run.rated"));
    } catch (error) {
      toast(error.message, "bad");
    }
  });
  draw();
  return h("section.run-part", {}, h("h2", {}, t("run.rate")), h("div.actions.rating", {}, stars, comment, store));
}

/** The question once more, of the same team and model or of others; then both runs side by side. */
function again(run) {
  const choice = (label, chosen, options) => h("select", { "aria-label": label }, options.map(([value, name]) => h("option", { value, selected: value === chosen }, name)));
  const team = choice(t("run.team"), run.team, state.teams.map((each) => [each.name, teamName(each.name)]));
  const models = choice(t("run.model"), run.options?.model ?? "", [["", t("model.usual")], ...state.models.map((each) => [each, each])]);
  const start = button(t("run.again"), async () => {
    start.disabled = true;
    start.querySelector("span").textContent = t("run.again_working");
    try {
      // Where it still stands in its conversation, in its place: as one asks anew there.
      const asked = await questionOf(run.session_id, run.id).catch(() => null);
      const place = asked ? { session_id: run.session_id, instead_of: asked.id } : {};
      const body = { ...run.options, message: run.message, team: team.value, model: models.value || undefined, ...place };
      const { status, metadata } = await send("POST", "/v1/chat", body);
      tell("ended", metadata.run_id);
      if (start.isConnected) go(status === "waiting" ? `#/s/${encodeURIComponent(metadata.thread_id)}` : `#/compare/${run.id}/${metadata.run_id}`);
    } catch (error) {
      toast(error.message, "bad");
      start.disabled = false;
      start.querySelector("span").textContent = t("run.again");
    }
  }, { class: "primary" }, "retry");
  return h("section.run-part", {}, h("h2", {}, t("run.again")), h("p.hint", {}, t("run.again_about")),
    h("div.actions.rating", {}, team, state.models.length > 1 && models, start));
}
