// A run's AG-UI events folded into what the page shows of it. Pure: no elements, no requests.

/** A run before its first event. `items` hold what was done, in order: agents with theirs, calls, thoughts, notices;
    `asked` the calls of models among them. */
export function newRun(id = "", session = "") {
  return {
    id, session, team: "", status: "running", last: 0, items: [], agents: new Map(), calls: new Map(),
    thoughts: new Map(), texts: new Map(), plan: null, approvals: [], citations: [], artifacts: [],
    asked: [], models: [], error: null, result: null, usage: null,
  };
}

/** Fold one event in; what it changed: "text", "activity", "plan", "approvals", "files", "end" or "". */
export function fold(run, event, number = null) {
  if (number !== null) run.last = number;
  const change = FOLDS[event.type];
  return change ? (change(run, event) ?? "") : "";
}

const at = (run, event) => run.agents.get(event.subagentRunId)?.items ?? run.items;

const FOLDS = {
  RUN_STARTED(run, event) {
    Object.assign(run, { id: event.runId, session: event.threadId, status: "running", error: null, result: null });
    run.team = event.metadata?.team || run.team;
    settle(run, event.metadata?.decisions ?? []);
    return "start";
  },
  RUN_FINISHED(run, event) {
    run.result = event.result;
    run.status = event.result?.status ?? "completed";
    run.citations = event.result?.citations ?? run.citations;
    run.usage = event.result?.usage ?? run.usage;
    const interrupts = event.outcome?.type === "interrupt" ? event.outcome.interrupts : [];
    if (run.status !== "waiting") settle(run, []);
    const asked = interrupts.filter((each) => each.metadata).map((each) => approvalOf(run, each));
    const known = new Set(run.approvals.map((each) => each.id));
    for (const each of interrupts) if (each.metadata && !known.has(each.id)) at(run, each).push({ kind: "approval", id: each.id });
    run.approvals = [...run.approvals.filter((each) => !asked.some(({ id }) => id === each.id)), ...asked];
    return "end";
  },
  RUN_ERROR(run, event) {
    run.status = "failed";
    run.error = { code: event.code ?? "", message: event.message };
    settle(run, []);
    return "end";
  },
  SUBAGENT_STARTED(run, event) {
    // One that waited goes on.
    const waited = [...run.agents.values()].find((each) => each.status === "waiting" && each.id === event.subagentRunId.split("~")[0]);
    if (waited) {
      waited.status = "working";
      run.agents.set(event.subagentRunId, waited);
      return "activity";
    }
    const agent = { kind: "agent", id: event.subagentRunId, name: event.name, team: run.team, task: event.metadata?.task ?? "" };
    Object.assign(agent, { status: "working", error: "", items: [] });
    run.agents.set(agent.id, agent);
    run.items.push(agent);
    return "activity";
  },
  SUBAGENT_FINISHED(run, event) {
    const agent = run.agents.get(event.subagentRunId);
    if (agent) agent.status = event.outcome?.type === "suspended" ? "waiting" : "done";
    return "activity";
  },
  SUBAGENT_ERROR(run, event) {
    const agent = run.agents.get(event.subagentRunId);
    if (agent) Object.assign(agent, { status: "failed", error: event.message });
    return "activity";
  },
  TEXT_MESSAGE_START(run, event) {
    const agent = event.subagentRunId ?? "";
    const text = { kind: "said", id: event.messageId, parts: [], agent };
    run.texts.set(event.messageId, text);
    if (agent) at(run, event).push(text);
    return "text";
  },
  TEXT_MESSAGE_CONTENT(run, event) {
    run.texts.get(event.messageId)?.parts.push(event.delta);
    return "text";
  },
  REASONING_MESSAGE_START(run, event) {
    const thought = { kind: "thought", id: event.messageId, text: "" };
    run.thoughts.set(thought.id, thought);
    at(run, event).push(thought);
    return "activity";
  },
  REASONING_MESSAGE_CONTENT(run, event) {
    const thought = run.thoughts.get(event.messageId);
    if (thought) thought.text += event.delta;
    return "activity";
  },
  TOOL_CALL_START(run, event) {
    const call = { kind: "call", id: event.toolCallId, name: event.toolCallName, args: "", result: null };
    // Of a team's one agent, which does not begin a work of its own.
    Object.assign(call, { status: "working", seconds: null, agent: event.subagentRunId ? undefined : run.asked.at(-1)?.agent });
    run.calls.set(call.id, call);
    at(run, event).push(call);
    return "activity";
  },
  TOOL_CALL_ARGS(run, event) {
    const call = run.calls.get(event.toolCallId);
    if (call) call.args += event.delta;
    return "activity";
  },
  TOOL_CALL_RESULT(run, event) {
    const call = run.calls.get(event.toolCallId);
    if (call) Object.assign(call, { result: event.content }, event.metadata);
    return "activity";
  },
  ACTIVITY_SNAPSHOT(run, event) {
    if (event.activityType !== "PLAN") return "";
    run.plan = structuredClone(event.content);
    return "plan";
  },
  ACTIVITY_DELTA(run, event) {
    if (event.activityType !== "PLAN" || !run.plan) return "";
    for (const { path, value } of event.patch) patch(run.plan, path, value);
    return "plan";
  },
  CUSTOM(run, { name, value, ...event }) {
    switch (name) {
      case "dure.text_retracted":
        if (run.texts.has(value.messageId)) run.texts.get(value.messageId).retracted = true;
        run.texts.delete(value.messageId);
        return "text";
      case "dure.citations":
        run.citations = value.citations;
        return "text";
      case "dure.artifact":
        // A step that is tried again makes its file once more.
        run.artifacts = [...run.artifacts.filter((each) => each.id !== value.id), value];
        return "files";
      case "dure.model_call":
        run.asked.push({ kind: "model", ...value });
        at(run, event).push(run.asked.at(-1));
        if (!value.error && !run.models.includes(value.model)) run.models.push(value.model);
        return "activity";
      case "dure.tool_told":
        if (run.calls.has(value.toolCallId)) run.calls.get(value.toolCallId).told = value.text;
        return "activity";
      case "dure.routed":
      case "dure.notice":
      case "dure.resumed":
        at(run, event).push({ kind: name.slice(5), team: run.team, ...value });
        return "activity";
    }
    return "";
  },
};

/** Note what was decided; what the run no longer waits for was decided by nobody. */
function settle(run, decisions) {
  const known = new Map(decisions.map((each) => [each.approval_id, each]));
  for (const each of run.approvals) each.decision = known.get(each.id) ?? each.decision ?? { action: "none" };
}

/** RFC 6902's "add" on a path, which is all that plans are sent. */
function patch(target, path, value) {
  const way = path.split("/").slice(1);
  const last = way.pop();
  // A path comes from the server, yet nothing in it may reach beyond the plan.
  const place = way.reduce((here, key) => (here && Object.hasOwn(here, key) ? here[key] : null), target);
  if (place && last !== "__proto__") place[last] = value;
}

function approvalOf(run, interrupt) {
  const schema = interrupt.responseSchema?.properties?.args ?? null;
  const known = { id: interrupt.id, run_id: run.id, session_id: run.session, team: run.team, title: interrupt.message };
  return { ...known, ...interrupt.metadata, schema, expires_at: interrupt.expiresAt, decision: null };
}

/**
 * The text that stands as the answer now: a draft of no agent's before an agent's, later before earlier. What the
 * workers of a plan say is no draft of it.
 */
export function shownText(run) {
  const texts = [...run.texts.values()].filter((each) => each.parts.length);
  const planned = (run.plan?.steps.length ?? 0) > 1;
  return texts.findLast((each) => !each.agent) ?? (planned ? undefined : texts.at(-1));
}

/** The answer's text as it stands. */
export function answerText(run) {
  if (run.status === "waiting") return "";
  return run.result?.response || shownText(run)?.parts.join("") || "";
}

/** What goes on, in names: who works, and on which call. */
export function workingNow(run) {
  const agents = [...run.agents.values()].filter((each) => each.status === "working").map((each) => each.name);
  const calls = [...run.calls.values()].filter((each) => each.status === "working");
  const told = calls.findLast((each) => each.told)?.told ?? "";
  return { agents: [...new Set(agents)], calls: [...new Set(calls.map((each) => each.name))], told };
}
