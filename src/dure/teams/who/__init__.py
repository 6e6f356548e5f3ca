"""Who works on a message, for teams of every kind: a model that can decide does; else example questions, a small
model's choice among the likeliest, and in doubt the person."""

from dure.teams.who.alone import written_out
from dure.teams.who.choosing import Choice, choose, name_of
from dure.teams.who.examples import Chances, Key
from dure.teams.who.learning import DIRECT, chances, prepare
from dure.teams.who.model import hints
from dure.teams.who.question import ask

__all__ = [
    "DIRECT",
    "Chances",
    "Choice",
    "Key",
    "ask",
    "chances",
    "choose",
    "hints",
    "name_of",
    "prepare",
    "written_out",
]
