"""The agent loop and what an agent is."""

from dure.agents.context import Level, RunContext, Sources, Speech
from dure.agents.definition import Agent
from dure.agents.grounded import Prefetched, prefetch
from dure.agents.loop import Work, work
from dure.agents.outcome import Outcome

__all__ = ["Agent", "Level", "Outcome", "Prefetched", "RunContext", "Sources", "Speech", "Work", "prefetch", "work"]
