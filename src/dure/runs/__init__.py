"""Start, stream, cancel, record and look up runs; sessions and their transcripts."""

from dure.agents import OutputFormat
from dure.runs.active import Run
from dure.runs.answer import Answer
from dure.runs.ask import Ask
from dure.runs.engine import Engine, InProcessEngine
from dure.runs.experiments import Experiment, view
from dure.runs.grouping import Group
from dure.runs.runs import Runs

__all__ = ["Answer", "Ask", "Engine", "Experiment", "Group", "InProcessEngine", "OutputFormat", "Run", "Runs", "view"]
