"""The agent loop and what an agent is."""

from dure.agents.approvals import Decision, Question
from dure.agents.context import Earlier, Level, OutputFormat, RunContext, Sources, Speech
from dure.agents.definition import Agent
from dure.agents.grounded import Prefetched, prefetch
from dure.agents.journal import FORMAT, Journal
from dure.agents.loop import Work, work
from dure.agents.outcome import Outcome
from dure.agents.ways import WAYS, Way, way_of

__all__ = [
    "FORMAT",
    "WAYS",
    "Agent",
    "Decision",
    "Earlier",
    "Journal",
    "Level",
    "Outcome",
    "OutputFormat",
    "Prefetched",
    "Question",
    "RunContext",
    "Sources",
    "Speech",
    "Way",
    "Work",
    "prefetch",
    "way_of",
    "work",
]
