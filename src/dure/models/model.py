"""`Model`: what agents ask. It picks the dialect, changes it where the server refuses, and reads the reply."""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from dure.dialects import DIALECTS, Piece, Reply, ReplyReader, ToolDict, Whole
from dure.dialects.learnt import READER, own_format
from dure.dialects.native import NativeReader
from dure.dialects.quotations import Heard
from dure.errors import ContextExceeded, DureError, ModelError, phrase
from dure.messages import Message, Usage
from dure.models import facts as kept
from dure.models.bundled import loops
from dure.models.facts import Client, Facts
from dure.models.json_reply import asking_for, json_in, least
from dure.models.refusals import DIALECTAL, IMAGES, UNSEEN, changed, find_out, may_be_form, too_long
from dure.pictures import replaced, shown
from dure.settings import AUTO
from dure.storage import Database

DEFAULT_CONTEXT = 8192
"""Tokens, where neither the settings nor the server tell."""

_PREFILLED = "</think>"
"""Stands among the forms of a model whose last reply began inside reasoning that its prompt opened (1), or did not,
though one before it had or its template says so (0)."""
_LARGE = 64 * 1024
"""Characters of a reply beyond which it is read in a thread, so that no other run waits for it."""

OnPiece = Callable[[Piece], None]


@dataclass(slots=True)
class Asked:
    """One exchange with the model, for the caller and the record."""

    reply: Reply
    request: dict[str, Any]
    """The body as it was sent, `stream` and its options apart."""
    dialect: str
    seconds: float
    unseen: bool = False
    """There were pictures, and the model was told that it cannot see them."""


class Model:
    """A model behind a client.

    dialect: how tools are offered, one of `DIALECTS`; `auto` finds out and changes it when the server refuses.
    context: tokens; None: what the server tells. small: a model of one or two thousand million parameters, which
    wants short prompts and the dialect `schema`. repair: read malformed calls all the same. sees: whether it reads
    pictures; None: found out.
    options: `temperature` instead of what is asked for, the most `max_tokens`, and what else every request holds.
    place and database: under which name, and where, what was found out is kept between starts. Raises UnknownName.
    """

    def __init__(
        self,
        client: Client,
        *,
        dialect: str = AUTO,
        context: int | None = None,
        small: bool = False,
        repair: bool = True,
        sees: bool | None = None,
        options: Mapping[str, Any] | None = None,
        place: str = "",
        database: Database | None = None,
    ) -> None:
        if dialect != AUTO:
            DIALECTS.check(dialect)
        self.client = client
        self.small = small
        self._wanted = dialect
        self._context = context
        self._repair = repair
        self._sees = sees
        self._options = dict(options or {})
        self._place = place
        self._database = database
        self._facts: Facts | None = None
        self.met: DureError | None = None
        """What the last question of a run met here; None once one was answered."""
        self._follows_schema = True
        self._finding = asyncio.Lock()
        self._forms: tuple[str, dict[str, int]] = ("", {})

    @property
    def name(self) -> str:
        """The model's name on its server; empty until the server was asked, where none was given."""
        return self.client.model

    @property
    def context(self) -> int:
        """The context window in tokens."""
        return self.window or DEFAULT_CONTEXT

    @property
    def window(self) -> int | None:
        """The same, None while nobody has told it."""
        return self._context or (self._facts.context if self._facts else None)

    async def forms(self) -> dict[str, int]:
        """How often this model's calls came in which form: `native`, `schema`, or a format of text."""
        if self._forms[0] != self.client.model:
            known = {}
            if self._database is not None:
                known = await self._database.read(kept.forms, self._place, self.client.model)
            self._forms = (self.client.model, known)
        return self._forms[1]

    async def _note(self, reply: Reply, dialect: str) -> None:
        """Remember in which form calls came, and mark those whose form was neither asked for nor seen before."""
        forms, calls = await self.forms(), reply.tool_calls
        before, known = dict(forms), (*forms, "native", "schema", READER, "react" if dialect == "text" else "")
        for call in calls:
            call.unfamiliar = call.reader not in known
            if call.error is None:
                forms[call.reader] = forms.get(call.reader, 0) + 1
        if reply.prefilled or self._thinks(forms):
            forms[_PREFILLED] = int(reply.prefilled)
        if self._database is not None and (
            set(forms) != set(before)
            or forms.get(_PREFILLED) != before.get(_PREFILLED)
            or sum(forms.values()) // 64 != sum(before.values()) // 64
        ):
            await self._database.write(kept.keep, f"{kept.FORMS}{self._place}", self.client.model, forms)

        if self._facts is not None and self._facts.written and _wrong(self._facts.written["head"], reply):
            self._facts = replace(self._facts, written=None)
            await self._keep()

    def _thinks(self, forms: Mapping[str, int]) -> bool:
        """Whether replies are taken to begin inside reasoning: as the last one did, else as the template says."""
        return bool(forms.get(_PREFILLED, self._facts is not None and self._facts.thinks))

    async def ready(self) -> None:
        """Start what has to be started. Raises the error that a question would meet."""
        await self.client.ready()

    async def close(self) -> None:
        await self.client.close()

    async def facts(self, *, fresh: bool = False) -> Facts:
        """What the server can do: found out once, then kept; `fresh` finds out anew. Raises what `ask` raises."""
        async with self._finding:
            if self._facts is None and not fresh and self._database is not None:
                # Without a name in the settings it is not known yet whose facts these are.
                self._facts = await self._database.read(kept.load, self._place, await self.client.resolve())
            if self._facts is None or fresh:
                self._facts = await self.client.facts()
                await self._keep()
        return self._facts

    async def ask(
        self,
        messages: list[Message],
        tools: Sequence[ToolDict] = (),
        *,
        schema: dict[str, Any] | None = None,
        on_piece: OnPiece | None = None,
        max_tokens: int | None = None,
        fixed: Sequence[Message] = (),
    ) -> Asked:
        """One turn of the model.

        messages: OpenAI-shaped, one system message first. tools: what it may call. schema: ask for JSON of this JSON
        Schema instead; `reply.content` is then the JSON text and nothing is streamed. on_piece is called with what may
        be shown, as it comes. max_tokens bounds the reply. fixed: what the messages begin with that is the same each
        time and holds nothing of a user's, the last of these perhaps in part; an engine of our own keeps what it has
        read of them. A model that does not see the `images` of messages, data URLs here, is told that they are missing.

        What a server refuses of the request's form it is asked without: in the next dialect (only with the dialect
        `auto`), for JSON in words, not streamed …; that is remembered, and nothing of it is shown.
        Raises ModelUnavailable, ModelTimeout, ModelRefused (ContextExceeded) or ModelError.
        """
        options: dict[str, Any] = {"temperature": 0.0, **self._options}
        if max_tokens is not None:
            options["max_tokens"] = min(max_tokens, self._options.get("max_tokens", max_tokens))
        if self.small and not tools:
            # How sure it is of what it says.
            options |= {"logprobs": True, "top_logprobs": 1}
        if fixed:
            await self.client.read(fixed)
        if schema is not None:
            return await self._ask_json(messages, schema, options)
        kept = {*(() if self._wanted == AUTO else DIALECTAL), *((IMAGES,) if self._sees else ())}
        while True:
            chosen = await self._dialect(messages, tools)
            dialect = DIALECTS[chosen]
            body = {**self._shown(dialect.request(messages, tools), messages), **options}
            forms = await self.forms()
            reader = dialect.reader(tools, repair=self._repair, reasoning=self._thinks(forms))
            if isinstance(reader, NativeReader):
                read = (message["content"] for message in messages if message["role"] != "system")
                own = own_format(self._facts.written if self._facts else None)
                seen = {*forms} - {_PREFILLED} if tools else set()
                asked_for = {READER, "react" if chosen == "text" else "schema"}
                reader.mind(Heard(read, seen and seen | asked_for, own))
            try:
                asked = await self._read(chosen, body, reader, on_piece)
                await self._note(asked.reply, chosen)
                return asked
            except ModelError as error:
                await self._change(body, error, kept)

    def _shown(self, body: dict[str, Any], asked: list[Message]) -> dict[str, Any]:
        if not any(each.get("images") for each in asked):
            return body
        turns = shown(body["messages"], asked)
        return {**body, "messages": replaced(turns, UNSEEN) if self._sees is False else turns}

    async def _read(
        self, chosen: str, body: dict[str, Any], reader: ReplyReader, on_piece: OnPiece | None, schema: Any = None
    ) -> Asked:
        started = time.perf_counter()
        body = changed(body, self._without.keys() - DIALECTAL)
        used = Usage()
        said, looked, size = "", 0, 0
        tokens: list[tuple[str, float]] = []
        async with aclosing(self.client.stream(body)) as fragments:
            async for delta in fragments:
                if delta.usage is not None:
                    used = delta.usage
                size += len(delta.text)
                tokens += delta.tokens
                for piece in await asyncio.to_thread(reader.feed, delta) if size > _LARGE else reader.feed(delta):
                    if on_piece is not None:
                        on_piece(piece)
                if self.small:
                    said += delta.text
                    if len(said) - looked >= loops.EVERY:
                        looked = len(said)
                        if loops.loop_start(said) is not None:
                            break
        reply = await asyncio.to_thread(reader.finish) if size > _LARGE else reader.finish()
        if self.small and (start := loops.loop_start(reply.content)) is not None:
            reply.content = reply.content[:start].rstrip()
        if on_piece is not None:
            for piece in reply.rest:
                on_piece(piece)
        reply.usage, reply.least = replace(used, model_calls=1), least(tokens, schema)
        request = {"model": self.client.model, **{k: v for k, v in body.items() if not k.startswith("stream")}}
        request["messages"] = replaced(body["messages"], "[image]")
        unseen = any(UNSEEN in (each["content"] or "") for each in body["messages"])
        return Asked(reply, request, chosen, time.perf_counter() - started, unseen)

    async def _dialect(self, messages: list[Message], tools: Sequence[ToolDict]) -> str:
        if self._wanted != AUTO:
            return self._wanted
        plain = not tools and not any(m["role"] == "tool" or m.get("tool_calls") or m.get("images") for m in messages)
        if self._facts is None and plain:
            # Without tools all dialects send the same; no need to find out yet.
            return "native"
        return (await self.facts()).dialect

    @property
    def _without(self) -> dict[str, str]:
        found = self._facts.without if self._facts else {}
        return {name: why for name, why in found.items() if name != IMAGES} if self._sees else found

    async def _change(self, body: dict[str, Any], error: ModelError, kept: Collection[str]) -> None:
        """Choose the form in which the same turn may go better. kept: what of `body` is not to be changed. Raises
        `error` where no other form mends it, as what it is where that is known."""
        sent, found = changed(body, self._without.keys() - kept), dict[str, str]()
        with suppress(DureError):
            if may_be_form(error):
                facts = await self.facts()
                without = facts.without.keys() - kept
                if changed(body, without) != sent:
                    return
                found = await find_out(self.client, body, str(error.details["reason"]), without, kept)
        if not found:
            if not too_long(error):
                raise error from None
            told = {"tokens": f"{self.context:,}", "characters": f"{self.context // 2:,}"}
            raise ContextExceeded(**error.details, **told) from None
        facts = replace(facts, without={**facts.without, **found})
        for dialect, form, next_one in (("native", "tools", "schema"), ("schema", "response_format", "text")):
            if facts.dialect == dialect and form in facts.without:
                why = phrase("models_probe.refused", form=form, told=facts.without[form])
                facts = replace(facts, dialect=next_one, why=why)
        self._facts = facts
        await self._keep()

    async def _ask_json(self, messages: list[Message], schema: dict[str, Any], options: dict[str, Any]) -> Asked:
        chosen = await self._dialect(messages, ())
        wanted = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}
        while True:
            by_form = self._follows_schema and "response_format" not in self._without
            said = messages if by_form else asking_for(messages, schema)
            body = {**self._shown(DIALECTS[chosen].request(said, ()), messages), **options}
            if by_form:
                body["response_format"] = wanted
            try:
                # No tools are offered, and nothing is shown.
                asked = await self._read(chosen, body, Whole((), lambda text: (text, ())), None, schema)
            except ModelError as error:
                await self._change(body, error, {IMAGES} if self._sees else ())
                continue
            array, empty = schema.get("type") == "array", not schema.get("required")
            found = json_in(asked.reply.content, array=array, empty=empty)
            if found is not None:
                asked.reply.content = found
                return asked
            if not by_form:
                raise ModelError(reason=phrase("models_model.json", reply=repr(asked.reply.content[:120])))
            self._follows_schema = False

    async def _keep(self) -> None:
        if self._database is not None and self._facts is not None:
            await self._database.write(kept.keep, self._place, self._facts.model, asdict(self._facts))


def _wrong(head: str, reply: Reply) -> bool:
    """Whether a call as the model's template was taken to write it did not come out."""
    shown = head in reply.content and not reply.quotations
    return shown or any(call.error and not call.args for call in reply.tool_calls if call.reader == READER)
