"""A kind of team of one's own, a relay: each agent works on what the one before it wrote."""

from dure import Agent, Dure, Team
from dure.teams import KINDS, Kind, Outcome, RunContext, give


async def play(team: Team, run: RunContext) -> Outcome:
    text = run.message
    for agent in team.agents:
        outcome = await give(run, agent, text, speaks=agent is team.agents[-1])
        if outcome.status != "completed":  # It failed, or a person has to be asked first.
            break
        text = f"{run.message}\n\nWritten so far:\n{outcome.answer}"
    return outcome


KINDS.add("relay", Kind(play))
writer = Agent(name="writer", description="Writes a draft", prompt="Write a draft.")
editor = Agent(name="editor", description="Shortens it", prompt="Make it half as long. Keep every fact.")
desk = Team(name="desk", kind="relay", description="Writes in two steps", agents=[writer, editor])
if __name__ == "__main__":
    with Dure(teams=[desk]).sync() as dure:
        print(dure.chat("새 휴가 정책을 알리는 글을 써줘", team="desk").response)
