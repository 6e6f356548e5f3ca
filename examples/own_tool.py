"""A tool and a team of one's own.

python examples/own_tool.py "김하늘의 남은 연차는 며칠이야?"
"""

import asyncio
import sys

from dure import Agent, Dure, Team, tool

# Stands for the company's HR system: days of annual leave in a year, days used.
LEAVE = {"김하늘": (20, 13.5), "이도윤": (20, 4), "박서진": (15, 9), "최유나": (15, 2.5)}


@tool
def leave_balance(employee: str) -> dict[str, str | float]:
    """How many days of annual leave an employee has this year, has used and has left. employee: the full name."""
    if employee not in LEAVE:
        # The model reads this and can mend its call or say so.
        raise ValueError(f"no employee named {employee!r}; known: {', '.join(LEAVE)}")
    total, used = LEAVE[employee]
    return {"employee": employee, "total_days": total, "used_days": used, "days_left": total - used}


hr_desk = Team(
    name="hr_desk",
    kind="solo",
    description="남은 연차를 알려 주는 인사 도우미 · Tells colleagues how much leave they have left",
    agents=[
        Agent(
            name="hr_clerk",
            description="Looks up how much annual leave somebody has left",
            prompt="You answer questions about colleagues' annual leave. Look the numbers up; never guess them.",
            tools=[leave_balance],
        )
    ],
)


async def main(question: str) -> None:
    async with Dure(teams=[hr_desk]) as dure:
        answer = await dure.chat(question, team="hr_desk")
    print(answer.response)
    for call in answer.tool_calls:
        print(f"  {call['name']}({call['args']}): {call['status']}")


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "김하늘의 남은 연차는 며칠이야?"))
