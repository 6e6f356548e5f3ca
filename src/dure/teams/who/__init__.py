"""Who works on a message, for teams of every kind: a model that can decide does; else example questions, a small
model's choice among the likeliest, and in doubt the person."""

from dure.teams.who.alone import written_out
from dure.teams.who.choosing import Choice, choose, name_of
from dure.teams.who.examples import Key
from dure.teams.who.learning import DIRECT, chances, prepare
from dure.teams.who.question import ask

__all__ = ["DIRECT", "Choice", "Key", "ask", "chances", "choose", "name_of", "prepare", "written_out"]
