"""`general`: answers directly, from what the model knows; no source is claimed."""

import re

from dure.agents.prompts import NO_ANSWER
from dure.teams.stages.stage import Done, Stage

_TASK = "Answer from general knowledge and what was said. Claim no source, write no numbers such as [1]."
_MARK = re.compile(r" ?\[\d{1,3}\]")


async def general(stage: Stage) -> Done:
    """Answer the message; with results of stages before it, from these."""
    stage.whole = bool(stage.before())
    if stage.whole:
        task, material = "Answer the message from the results. Keep numbers such as [1].", _with(stage)
    else:
        task, material = _TASK, stage.run.message
    answer = await stage.write(task, material, history=True)
    if not stage.whole:
        answer = _MARK.sub("", answer)
    return stage.done(answer or NO_ANSWER[stage.run.language])


def _with(stage: Stage) -> str:
    return f"{stage.run.message}\n\nResults:\n{stage.before()}"
