"""How well teams do on a set of one's own: routing, tool arguments, retrieval, answers."""

from dure.evaluation.cases import Case, read_cases
from dure.evaluation.evaluate import Evaluated, Evaluation, evaluate
from dure.evaluation.measures import Measure, wilson

__all__ = ["Case", "Evaluated", "Evaluation", "Measure", "evaluate", "read_cases", "wilson"]
