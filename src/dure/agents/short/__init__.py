"""The short ways in which a small model does an agent's work: it fills in one form, rules do the rest."""

from dure.agents.short.way import Short as Short
from dure.agents.short.way import take as take
