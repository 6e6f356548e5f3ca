"""Teams and results in others' shapes: a team as a tool or a LangChain Runnable, an answer as a type."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import orjson
from pydantic import PydanticUserError, TypeAdapter

from dure.answer import Answer
from dure.errors import InvalidInput, NoResult, phrase
from dure.messages import short
from dure.runs.ask import check_kinds
from dure.teams import Team, team_named
from dure.tooling import Effect, Tool, ToolContext, ToolResult

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable


class Chats(Protocol):
    """What is asked of a `Dure` here."""

    teams: dict[str, Team]

    async def chat(self, message: str, *, team: str | None = None, owner: str = ...) -> Answer: ...


class Shape:
    """The type that a result is to have: a Python type, or a JSON Schema of an object. Raises InvalidInput for what is
    neither."""

    def __init__(self, wanted: Any) -> None:
        self._wanted = wanted
        try:
            self._adapter = None if isinstance(wanted, dict) else TypeAdapter(wanted)
            schema = wanted if self._adapter is None else self._adapter.json_schema()
        except (PydanticUserError, NameError, SyntaxError, TypeError):
            raise InvalidInput(reason=phrase("adapted.schema", schema=short(repr(wanted))), key="schema") from None
        self._wrapped = schema.get("type") != "object" and "$ref" not in schema
        if self._wrapped:
            # Servers take only objects for a whole reply.
            inner = {key: value for key, value in schema.items() if key != "$defs"}
            shared = {"$defs": schema["$defs"]} if "$defs" in schema else {}
            schema = {"type": "object", "properties": {"value": inner}, "required": ["value"], **shared}
        self.json_schema: dict[str, Any] = schema

    def fill(self, answer: Answer) -> Answer:
        """The answer with its result as that type, where it has one: not while it waits. Raises NoResult for one that
        the type itself refuses."""
        answer = replace(answer, schema=self._wanted)
        if answer.status not in ("completed", "stopped"):
            return answer
        try:
            return replace(answer, value=self._value(answer.response))
        except ValueError as error:
            if answer.status == "stopped":
                # It ended before there was one: the answer is as far as it came.
                return answer
            raise NoResult(reason=str(error)) from None

    def _value(self, text: str) -> Any:
        value = orjson.loads(text)
        value = value["value"] if self._wrapped else value
        return value if self._adapter is None else self._adapter.validate_python(value)


def team_tool(dure: Chats, name: str, effect: Effect) -> Tool:
    """A team as a tool. Raises UnknownTeam."""
    check_kinds({"team": str}, {"team": name})
    team = team_named(dure.teams, name)
    message = {"type": "string", "minLength": 1, "description": "what to ask, understood without the conversation"}
    parameters = {"type": "object", "properties": {"message": message}, "required": ["message"]}

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        answer = await dure.chat(args["message"], team=name, owner=context.owner)
        if answer.status == "waiting":
            return ToolResult(f"{answer.response}\n(run {answer.run_id} waits for a decision)", is_error=True)
        return ToolResult(answer.response, data={"run_id": answer.run_id, "citations": len(answer.citations)})

    return Tool(team.name, team.description, parameters, run, effect, timeout=600.0, untrusted=True)


def team_runnable(dure: Chats, name: str) -> "Runnable[str, Answer]":
    """A team as a LangChain Runnable. Raises UnknownTeam."""
    from langchain_core.runnables import RunnableLambda

    check_kinds({"team": str}, {"team": name})
    team_named(dure.teams, name)

    async def ask(message: str) -> Answer:
        return await dure.chat(message, team=name)

    def wait(message: str) -> Answer:
        raise RuntimeError("a Dure is asked with ainvoke, or through Dure().sync()")

    return RunnableLambda(wait, afunc=ask, name=name)
