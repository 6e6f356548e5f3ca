"""`general`: answers directly, from what the model knows; no source is claimed."""

import re

from dure.agents.prompts import NO_ANSWER, today
from dure.errors import Text
from dure.teams.stages.method import Method
from dure.teams.stages.stage import Done, Stage

_TASK = "Answer from general knowledge and what was said. Claim no source, write no numbers such as [1]."
_FROM = "Answer the message from the results. Keep numbers such as [1]."
_MARK = re.compile(
    r"(```.*?(?:```|\Z)|`[^`\n]+`)| ?(?<![\w)\]=])(?<!= )\[[1-9]\d?\]|(?<=[가-힣])\[[1-9]\d?\]", re.DOTALL
)
"""Code, which stays as it is; or a number that claims a source. An index (`rows[1]`) and a list (`= [5]`) are none."""


async def general(stage: Stage) -> Done:
    """Answer the message; with results of stages before it, from these."""
    before = stage.before()
    stage.whole = bool(before)
    if before:
        answer = await stage.write(_FROM, f"{stage.run.message}\n\nResults:\n{before}", history=True)
    else:
        told = f"\n\n(Told already: {stage.note})" if stage.note and stage.run.way.decides else ""
        task = f"{_TASK} {today()}" if stage.run.way.decides else _TASK
        answer = unsourced(await stage.write(task, f"{stage.run.message}{told}", history=True))
    return stage.done(answer or NO_ANSWER[stage.run.language])


def unsourced(answer: str) -> str:
    """The answer without numbers of sources, of which it has none."""
    return _MARK.sub(lambda found: found[1] or "", answer)


METHOD = Method(
    general,
    Text("So this is answered from general knowledge, without a source.", ko="그래서 출처 없이 아는 대로 답합니다."),
    alone=True,
)
