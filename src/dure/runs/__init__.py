"""The life of a run: start, follow, decide, resume, cancel, look up; sessions and their transcripts."""

from dure.runs.active import Run
from dure.runs.answer import AnswerRecord
from dure.runs.ask import Ask, How
from dure.runs.engine import ENGINES, Engine, InProcessEngine
from dure.runs.runs import Runs

__all__ = ["ENGINES", "AnswerRecord", "Ask", "Engine", "How", "InProcessEngine", "Run", "Runs"]
