// A run's record as spans of time. Pure: no elements, no requests.

/** `[{kind, name, from, to, data…}]` in order of beginning; times in milliseconds. */
export function spans(events) {
  const found = [];
  const calls = new Map();
  let waits = null;
  for (const { kind, at, data } of events) {
    const time = Date.parse(at);
    switch (kind) {
      case "model_called":
        found.push({ kind: "model", from: time - data.seconds * 1000, to: time, status: data.error ? "error" : "ok", ...without(data) });
        break;
      case "tool_started": {
        const call = { kind: "tool", from: time, to: time, status: "running", ...without(data), result: null };
        calls.set(data.call_id, call);
        found.push(call);
        break;
      }
      case "tool_finished": {
        const call = calls.get(data.call_id) ?? { kind: "tool", from: time - data.seconds * 1000, name: data.name, agent: data.agent, args: {} };
        if (!calls.has(data.call_id)) found.push(call);
        Object.assign(call, { to: time, status: data.status, seconds: data.seconds, result: data.text, passages: data.passages });
        calls.delete(data.call_id);
        break;
      }
      case "run_waiting":
        waits = { kind: "wait", from: time, to: time, status: "waiting", approvals: data.approvals, decisions: [] };
        found.push(waits);
        break;
      case "run_resumed":
        if (waits) Object.assign(waits, { to: time, status: "done", decisions: data.decisions });
        else found.push({ kind: "note", from: time, to: time, name: "resumed", data });
        waits = null;
        break;
      case "run_failed":
        found.push({ kind: "failed", from: time, to: time, status: "failed", message: data.message, code: data.code });
        break;
      case "routed":
      case "notice":
      case "planned":
      case "artifact":
        found.push({ kind: "note", from: time, to: time, name: kind, data });
        break;
    }
  }
  return found.sort((a, b) => a.from - b.from);
}

const without = ({ seconds, ...data }) => ({ seconds, ...data });

/** How much of the line a wait for people takes, however long it was: days of waiting leave room for the work. */
const WAIT = 0.06;

/** A function from a time to its place on the line, 0 to 1. */
export function scale(all) {
  if (!all.length) return () => 0;
  const start = all[0].from;
  const end = Math.max(...all.map((each) => each.to));
  const waits = all.filter((each) => each.kind === "wait" && each.to > each.from);
  const idle = waits.reduce((sum, each) => sum + each.to - each.from, 0);
  const work = Math.max(1, end - start - idle);
  const room = Math.min(0.5, waits.length * WAIT);
  return (time) => {
    let [worked, waited] = [Math.min(time, end) - start, 0];
    for (const each of waits) {
      const past = Math.max(0, Math.min(time, each.to) - each.from);
      worked -= past;
      waited += (past / (each.to - each.from)) * (room / waits.length);
    }
    return Math.min(1, (worked / work) * (1 - room) + waited);
  };
}
