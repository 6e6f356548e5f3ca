"""Markdown that models write, as it is shown."""

import pytest

from dure import Agent, Team
from dure.markdown import opened as shown
from dure.testing import ScriptedServer, say

PROSE = "# 여비\n\n한도는 **9만 원**입니다. 영수증을 냅니다."


@pytest.mark.parametrize("fence", ["```markdown\n{}\n```", "```md\n{}\n```\n", "```\n{}\n```", "~~~\n{}\n~~~"])
def test_an_answer_that_is_one_fence_around_prose_is_that_prose(fence: str) -> None:
    assert shown(fence.format(PROSE)) == PROSE


def test_a_fence_in_it_stays() -> None:
    inner = "설치합니다.\n\n```sh\npip install dure\n```\n\n끝입니다."
    assert shown(f"```markdown\n{inner}\n```") == inner


@pytest.mark.parametrize(
    "answer",
    [
        PROSE,
        '```json\n{"a": 1}\n```',
        '```\n{"a": "끝났습니다."}\n```',
        "```\npip install dure\n```",
        "```\nSELECT name FROM papers;\n```",
        "```python\nprint(1)  # Prints.\n```",
        "앞말입니다.\n```\n안쪽입니다.\n```",
        "```\n안쪽입니다.\n```\n뒷말입니다.",
        "```markdown\n# A\n```\n그리고:\n```python\nx\n```",
        "```markdown\n# A\n```sh\nls\n```",
        "```\n```",
        "```",
        "",
    ],
)
def test_code_and_answers_with_more_than_a_fence_stay(answer: str) -> None:
    assert shown(answer) == answer


async def test_a_run_shows_what_stands_in_the_fence(opened) -> None:
    agent = Agent(name="desk", description="x", prompt="Help.")
    async with ScriptedServer(say(f"```markdown\n{PROSE}\n```")) as server:
        dure = await opened(server, teams=[Team(name="desk", kind="solo", description="x", agents=[agent])])
        assert (await dure.chat("여비 한도를 알려 줘", team="desk")).response == PROSE
