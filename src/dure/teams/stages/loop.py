"""`loop`: the agent's model calls its tools in turn until it answers, as in the other kinds of team."""

from dure.agents import Work, work
from dure.agents.short import Waits
from dure.teams.stages.method import Method
from dure.teams.stages.stage import Done, Stage


async def loop(stage: Stage) -> Done:
    """Let the agent work on the message, with what the stages before found."""
    run = stage.run
    before = stage.before()
    stage.whole = bool(before)
    job = Work(run, stage.agent, stage.tools, stage.work_id, speaks=False)
    outcome = await work(job, run.said(f"{run.message}\n\nResults so far:\n{before}" if before else run.message))
    if outcome.status == "waiting":
        raise Waits
    if outcome.status == "failed":
        return Done(agent=stage.agent.name, status="failed", text="", error=outcome.error)
    return stage.done(outcome.answer, reason=outcome.reason)


METHOD = Method(loop)
