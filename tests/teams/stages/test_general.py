"""`general` claims no source, and leaves alone what only looks like one."""

import pytest

from dure import Agent, Team
from dure.teams.stages.general import unsourced
from dure.testing import ScriptedServer, say

CODE = """```python
import sys
name = sys.argv[1]
x = [5]
print(rows[0], x[1])
```"""


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("그렇습니다 [1].", "그렇습니다."),
        ("그렇습니다[1]. 아마도 [12]", "그렇습니다. 아마도"),
        ("It is so. [2] Or not [3].", "It is so. Or not."),
        (f"함수입니다 [1].\n\n{CODE}", f"함수입니다.\n\n{CODE}"),
        ("`x[1]` 또는 `x = [1]`을 쓰세요 [1].", "`x[1]` 또는 `x = [1]`을 쓰세요."),
        ("sys.argv[1], rows[0] and f(x)[1] with x = [5]", "sys.argv[1], rows[0] and f(x)[1] with x = [5]"),
        ("```\nleft open[1]\n[1]", "```\nleft open[1]\n[1]"),
    ],
)
def test_numbers_of_sources_go_and_code_stays(written, answer):
    assert unsourced(written) == answer


async def test_code_in_an_answer_is_whole(opened):
    own = Team(name="own", kind="router", description="-", agents=[Agent(name="a", description="-", method="general")])
    async with ScriptedServer(say(f"함수입니다 [1].\n\n{CODE}")) as server:
        dure = await opened(server, teams=[own])
        said = await dure.chat("해줘", team="own")
    assert said.response == f"함수입니다.\n\n{CODE}"
