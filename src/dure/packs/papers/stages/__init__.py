"""How the agents of team `papers` work, and what they say in their own words."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from dure.packs.papers import TEXTS, data

if TYPE_CHECKING:
    from jinja2 import Template

    from dure.agents import RunContext

text = TEXTS["stages_texts.text"].say
"""`text(key, language, **values)`: a text with its values filled in."""


@cache
def _template(place: str) -> "Template":
    from jinja2 import StrictUndefined, Template

    stage, _, name = place.partition(".")
    made: Template = Template(data("prompts")[stage][name], undefined=StrictUndefined)
    return made


def prompt(place: str, **values: Any) -> str:
    """What a model is told, with its values: `prompt("read.compare")`."""
    return _template(place).render(values)


def ours(run: "RunContext", key: str, **values: Any) -> str:
    """A text in the run's language, for an answer: words of Dure's own, of which no source is asked."""
    return run.own(text(key, run.language, **values))


def lying(run: "RunContext", documents: Sequence[str]) -> list[str]:
    """A sentence about PDFs that lie under Documents, if any, and how the library gets them."""
    return [ours(run, "under_documents", names=", ".join(documents))] if documents else []
