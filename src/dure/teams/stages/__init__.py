"""How agents of a router team work: methods, by the names that team files use; what a team's messages are about."""

from collections.abc import Iterable

from dure.registry import Registry
from dure.teams.stages.method import Method, Subject
from dure.teams.stages.stage import Done, Stage

METHODS: Registry[Method] = Registry(
    "method", {"loop": "dure.teams.stages.loop:METHOD", "general": "dure.teams.stages.general:METHOD"}
)
SUBJECTS: Registry[type[Subject]] = Registry("subject", {"": Subject})


def subject_of(methods: Iterable[str]) -> Subject:
    """What messages to a team are about whose agents work by these methods."""
    return SUBJECTS[next(filter(None, (METHODS[name].subject for name in methods)), "")]()


__all__ = ["METHODS", "SUBJECTS", "Done", "Method", "Stage", "Subject", "subject_of"]
