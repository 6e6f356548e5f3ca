"""What an agent is: a name, what it is for, how it should behave, which tools it has, how long it may work."""

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from dure.errors import InvalidInput, Language, Text, wrong
from dure.language import in_language
from dure.tooling import Tool
from dure.toolsets import listed, parts

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,47}")


class Definition(BaseModel):
    """What is written in Python or in a file. In Python it raises InvalidInput, which names the first wrong key;
    files have places of their own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def __init__(self, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            told = wrong(first, type(self).model_fields)
            place = ".".join([type(self).__name__, *map(str, first["loc"])])
            raise InvalidInput(reason=Text(f"{place}: {told}", f"{place}: {told.ko}"), key=place) from None

    # Else pydantic would come here for what stands within another, too, or in a file.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]


class Agent(Definition):
    """An agent as data: written in Python or in a team file.

    Agent(name="rates", description="Knows exchange rates", prompt="…", tools=["exchange_rate"])
    """

    name: str
    """Letters, digits, `_` and `-`; models call the agent by it."""
    title: str = ""
    """What people call it, perhaps in two languages: "문서 담당 · Documents". Without one: its name."""
    description: str = Field(min_length=1)
    """What it can do; read by whoever routes. Perhaps in two languages, as the title: models read the English."""
    prompt: str = ""
    tools: list[Any] = []
    """Names of tools, or what can be one: functions, tools of any kind, toolsets (`Tool` and `Toolset` once the agent
    is made). `mcp` stands for all MCP tools, `mcp:NAME` for one server's. Raises InvalidTool for anything else."""
    allow: list[str] = []
    """Of its tools with effects (write, external): those it may use without asking a person, until something from
    outside (a page, a document, an MCP result) has come into the run."""
    examples: list[str] = []
    """Questions it should get; routing compares new questions with them."""
    changes: bool = False
    """It is chosen only where a message's own words ask for a change. So are agents all of whose tools have effects."""
    search: str | None = None
    """The tool that finds its passages. A small model is spared the call: passages are fetched for it."""
    short: str | None = None
    """The short way on which a small model does its work (`dure.agents.short`): fixed tools in a fixed order, with one
    small form for the model to fill in. It needs the tools of that kind."""
    max_iterations: int | None = Field(None, ge=1, le=100)
    """Model calls on one task; default: the setting."""
    model: str | None = None
    """The name of the model that it works with, of the settings' `models`; default: the team's."""
    method: str = "loop"
    """In a router team, its method (`dure.teams.stages`): `loop` (it calls tools until it answers) or another."""
    fallback: str | None = None
    """In a router team, who takes over where it finds nothing."""

    @field_validator("name")
    @classmethod
    def _a_name(cls, value: str) -> str:
        if not _NAME.fullmatch(value):
            raise ValueError("a name is 1 to 48 letters, digits, '_' or '-', beginning with a letter")
        return value

    @field_validator("tools")
    @classmethod
    def _tools(cls, value: list[Any]) -> list[Any]:
        given = iter(parts(each for each in value if not isinstance(each, str)))
        return [each if isinstance(each, str) else next(given) for each in value]

    def called(self, language: Language) -> str:
        """What people call it."""
        return in_language(self.title, language) or self.name

    @property
    def purpose(self) -> str:
        """The description that models read."""
        return in_language(self.description, "en")

    @property
    def own(self) -> dict[str, Tool]:
        """Those of its tools that were given to it as such, by name."""
        return {n: t for each in self.tools if not isinstance(each, str) for n, t in listed(each).items()}
