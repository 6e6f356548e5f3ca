"""Teams and results in others' shapes: a team as a tool or a LangChain Runnable, an answer as a type."""

from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

import orjson
from pydantic import PydanticUserError, TypeAdapter

from dure.answer import Answer
from dure.errors import AlreadyDecided, InvalidInput, NoResult, phrase
from dure.messages import short
from dure.runs.ask import check_kinds
from dure.teams import team_named
from dure.texts import TEXTS
from dure.tooling import Asks, Effect, InRun, Tool, ToolContext, ToolResult
from dure.toolsets.arguments import refused

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable

_TEXT = TEXTS["adapted"]


class Shape:
    """The type of a result: a Python type, or a JSON Schema of an object. Raises InvalidInput for what is neither."""

    def __init__(self, wanted: Any) -> None:
        self._wanted = wanted
        try:
            self._adapter = None if isinstance(wanted, dict) else TypeAdapter(wanted)
            schema = wanted if self._adapter is None else self._adapter.json_schema()
            if self._adapter is None and (fault := refused(schema)):
                raise TypeError(fault)
        except (PydanticUserError, NameError, SyntaxError, TypeError) as error:
            why = short(str(error).partition("\n")[0])
            raise InvalidInput(
                reason=phrase("adapted.schema", schema=short(repr(wanted)), why=why), key="schema"
            ) from None
        self._wrapped = schema.get("type") != "object" and "$ref" not in schema
        if self._wrapped:
            # Servers take only objects for a whole reply.
            inner = {key: value for key, value in schema.items() if key != "$defs"}
            shared = {"$defs": schema["$defs"]} if "$defs" in schema else {}
            schema = {"type": "object", "properties": {"value": inner}, "required": ["value"], **shared}
        self.json_schema: dict[str, Any] = schema

    def fill(self, answer: Answer) -> Answer:
        """The answer with its result as that type, once it has one. Raises NoResult for what the type refuses."""
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


def team_tool(dure: Any, name: str, effect: Effect) -> Tool:
    """A team of a `Dure` as a tool. Raises UnknownTeam."""
    check_kinds({"team": str}, {"team": name})
    team = team_named(dure.teams, name)
    message = {"type": "string", "minLength": 1, "description": "what to ask, understood without the conversation"}
    parameters = {"type": "object", "properties": {"message": message}, "required": ["message"]}

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        owner = context.owner
        # Once people have decided the call is made again: by its key its run is found.
        session = f"s-{sha256(context.key.encode()).hexdigest()[:20]}" if context.run_id else None
        begun = await dure.runs.list(owner, session_id=session, limit=1) if session else []
        if begun and begun[0]["status"] != "cancelled":
            answer = Answer.of(await dure.runs.answer(owner, begun[0]["id"]))
        else:
            answer = await dure.chat(args["message"], team=name, owner=owner, session_id=session)
        while answer.status == "waiting" and context.run is not None:
            decisions = _decisions(context.run, answer)
            # They may have been decided where the team's own run is seen.
            with suppress(AlreadyDecided):
                await dure.runs.decide(owner, answer.run_id, decisions)
            answer = Answer.of(await dure.runs.answer(owner, answer.run_id))
        data = {"run_id": answer.run_id, "citations": len(answer.citations)}
        if answer.status == "waiting":
            waits = _TEXT.say("waits", context.language, run_id=answer.run_id)
            return ToolResult(f"{answer.response}\n\n{waits}", is_error=True, data=data)
        return ToolResult(answer.response, data=data)

    async def verify(key: str) -> Literal["not done"]:
        # It may always be made again, since it finds what it began.
        return "not done"

    about = team.name, team.description, parameters
    return Tool(*about, run, effect, timeout=600.0, untrusted=True, verify=verify)


def _decisions(run: InRun, answer: Answer) -> list[dict[str, Any]]:
    """What people decided in `run` about all that an answer waits for. Raises Asks while something is open."""
    decisions = []
    for each in answer.approvals:
        with suppress(Asks):
            said = run.ask(each.id, each.title, *each.actions, args=each.args, schema=each.schema)
            action = "reject" if said.action == "expire" else said.action
            decisions.append({"approval_id": each.id, "action": action, "args": said.args, "message": said.message})
    if len(decisions) < len(answer.approvals):
        raise Asks
    return decisions


def team_runnable(dure: Any, name: str) -> "Runnable[str, Answer]":
    """A team of a `Dure` as a LangChain Runnable. Raises UnknownTeam."""
    from langchain_core.runnables import RunnableConfig, RunnableLambda

    check_kinds({"team": str}, {"team": name})
    team_named(dure.teams, name)

    async def ask(message: str, config: RunnableConfig) -> Answer:
        given = config.get("configurable", {})
        how = {key: given[key] for key in ("session_id", "owner") if key in given}
        answer: Answer = await dure.chat(message, team=name, **how)
        return answer

    def wait(message: str) -> Answer:
        raise InvalidInput(reason=phrase("adapted.sync"))

    return RunnableLambda(wait, afunc=ask, name=name)
