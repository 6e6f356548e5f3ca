"""The agent loop and what an agent is."""

from dure.agents.approvals import Decision as Decision
from dure.agents.approvals import Question as Question
from dure.agents.context import Level as Level
from dure.agents.context import OutputFormat as OutputFormat
from dure.agents.context import RunContext as RunContext
from dure.agents.context import Speech as Speech
from dure.agents.definition import Agent as Agent
from dure.agents.found import Earlier as Earlier
from dure.agents.found import Sources as Sources
from dure.agents.grounded import Prefetched as Prefetched
from dure.agents.grounded import prefetch as prefetch
from dure.agents.journal import FORMAT as FORMAT
from dure.agents.journal import Journal as Journal
from dure.agents.loop import Work as Work
from dure.agents.loop import work as work
from dure.agents.outcome import Outcome as Outcome
from dure.agents.ways import WAYS as WAYS
from dure.agents.ways import Way as Way
from dure.agents.ways import way_of as way_of
