// One run from question to answer: where one finds out why an answer was bad.

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
import { teamName } from "../names.js";
import { readRecord } from "../record.js";
import { money, recorded, Steps } from "./steps.js";

export async function open(host, { path: [id] }) {
  const [record, gone, steps] = [await getJson(`/v1/runs/${encodeURIComponent(id)}`), new AbortController(), h("div")];
  const costs = record.cost ? (await getJson(`/v1/runs/${encodeURIComponent(id)}/experiment`)).prompts.map((each) => each.cost) : [];
  const draw = (run) => render(html`<${Steps} run=${run} record=${record} waits=${recorded(run, record, costs)} />`, steps);
  const still = record.ended_at || record.status === "waiting";
  if (still) draw(await readRecord(id, gone.signal));
  else follow(host, id, gone.signal, draw);
  fill(
    host,
    h("h1", {}, t("run.title"), " ", h("span.mark", { data: { status: record.status } }, tOr(`status.${record.status}`, record.status))),
    figures(record),
    record.options.from && beginning(record),
    h("section.run-part", {}, h("h2", {}, t("run.message")), h("p.pre", {}, record.message)),
    record.error && h("div.problem.bad", {}, h("p", {}, record.error.message ?? record.error.code)),
    h("section.run-part", {}, h("h2", {}, t("run.events")), steps),
    record.answer && h("section.run-part", {}, h("h2", {}, t("run.answer")), answered(record.answer)),
    record.artifacts?.length > 0 && h("section.run-part", {}, h("h2", {}, t("artifacts")), drawn(html`<${Artifacts} run=${record} />`)),
    rating(record),
    record.ended_at && again(record),
  );
  return () => gone.abort();
}

/** A run that works: what comes is drawn once a frame, and at its end all that is known of it then. */
async function follow(host, id, signal, draw) {
  let frame;
  const heard = (run) => (frame ??= requestAnimationFrame(() => (draw(run), (frame = undefined))));
  try {
    await readRecord(id, signal, heard);
    if (!signal.aborted) await open(host, { path: [id] });
  } catch {
    // What is known of it stands there.
  }
}

/** Whose record the beginning of a run is. */
function beginning({ id, options: { from } }) {
  const link = (href, key) => h("a", { href }, t(key));
  return h("p", {}, link(`#/runs/${from.run_id}`, "run.branch_of"), " · ", link(`#/compare/${from.run_id}/${id}`, "run.beside"));
}

const answered = ({ response, citations }) => drawn(html`<${Markdown} text=${response ?? ""} /><${Sources} citations=${citations ?? []} />`);

function drawn(nodes) {
  const host = h("div");
  render(nodes, host);
  return host;
}

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
      const { from, schedule, given, ...how } = run.options;
      const body = { ...how, message: run.message, team: team.value, model: models.value || undefined, ...place };
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
