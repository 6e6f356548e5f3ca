"""Dialect `native`: tools go in the request's `tools`, calls come back apart from the text; and the readers of replies.

Servers and models leak calls as text all the same, so a reply without native calls is read once more for calls in the
model's own markup.
"""

from collections.abc import Callable, Sequence
from typing import Any

from dure.dialects.base import Piece, Reply, ToolDict
from dure.dialects.formats.base import Call
from dure.dialects.json_scan import clean, read
from dure.dialects.offered import Offered
from dure.dialects.parser import settle
from dure.dialects.quotations import QUOTED, Heard
from dure.dialects.stream import TextStream
from dure.messages import Delta, Message, ToolCall, Usage


class Native:
    """OpenAI's `tools` parameter; the messages stay as they are."""

    def request(self, messages: list[Message], tools: Sequence[ToolDict]) -> dict[str, Any]:
        body: dict[str, Any] = {"messages": messages}
        if tools:
            body["tools"] = list(tools)
        return body

    def reader(self, tools: Sequence[ToolDict], *, repair: bool = True, reasoning: bool = False) -> "NativeReader":
        return NativeReader(Offered(tools), repair=repair, reasoning=reasoning)


class _Fragments:
    """One native call, being gathered."""

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []
        self.announced = False


class NativeReader:
    """Gathers native calls and text, which `text` reads."""

    def __init__(
        self, offered: Offered, *, repair: bool = True, reasoning: bool = False, text: TextStream | None = None
    ) -> None:
        self._offered = offered
        self._repair = repair
        self._text = text or TextStream(offered, repair=repair, reasoning=reasoning)
        self._reasoning: list[str] = []
        self._calls: dict[int, _Fragments] = {}
        self._finish_reason: str | None = None
        self._usage = Usage()

    def mind(self, heard: Heard) -> None:
        """Take calls that stand in what the model had read for quotations; to be called before any text."""
        self._text.mind(heard)

    def feed(self, delta: Delta) -> list[Piece]:
        pieces = []
        if delta.finish_reason:
            self._finish_reason = delta.finish_reason
        if delta.usage is not None:
            self._usage = delta.usage
        if delta.reasoning:
            self._reasoning.append(delta.reasoning)
            pieces.append(Piece("reasoning", delta.reasoning))
        for fragment in delta.tool_calls:
            gathered = self._calls.setdefault(fragment.index, _Fragments())
            gathered.id = gathered.id or fragment.id
            if fragment.name and fragment.name != gathered.name:
                gathered.name += fragment.name
            gathered.arguments.append(fragment.arguments)
            if gathered.name and fragment.arguments and not gathered.announced:
                gathered.announced = True
                pieces.append(Piece("call", self._offered.resolve(gathered.name)[0]))
        return pieces + self._text.feed(delta.text)

    def finish(self) -> Reply:
        cut_off = self._finish_reason == "length"
        reply = self._text.finish(cut_off=cut_off)
        if native := [each for _, each in sorted(self._calls.items()) if each.name]:
            reply.repairs = []
            reply.tool_calls = [self._settled(each, reply.repairs, cut_off) for each in native]
            for call in reply.tool_calls if reply.content else ():
                # Some servers take calls out of prose that quotes them.
                if call.error is None and self._text.heard.holds(call.name, call.args):
                    call.error = f"The call of '{call.name}' {QUOTED}."
            reply.final_answer = None
            reply.unfinished = ""
            reply.rest = [piece for piece in reply.rest if piece.kind != "call"]
            for each, call in zip(native, reply.tool_calls, strict=True):
                if not each.announced:
                    reply.rest.append(Piece("call", call.name))
        reply.reasoning = "\n".join(part for part in ("".join(self._reasoning).strip(), reply.reasoning) if part)
        reply.finish_reason = self._finish_reason
        reply.usage = self._usage
        return reply

    def _settled(self, gathered: _Fragments, repairs: list[str], cut_off: bool) -> ToolCall:
        text = clean("".join(gathered.arguments).strip())
        call = Call(gathered.name, text or None, reader="native")
        found = read(text, 0) if text[:1] == "{" else None
        if found is not None:
            behind = text[found.end :].strip()
            call.args, call.unread = found.value, behind.strip(" \t\r\n}")
            call.repairs += [*found.repairs, *(["a bracket too many"] if behind else [])]
        elif text in ("null", '""'):
            call.args = None
        elif text:
            call.repairs.append("arguments that are no JSON object")
        made = settle(call, self._offered, repair=self._repair, cut_off=cut_off)
        if found is not None and found.inside and made.error is None:
            made.error = f"The arguments of '{made.name}' break off in the middle. Write the call again."
        made.id = gathered.id or made.id
        if self._repair:
            repairs += [note for note in dict.fromkeys(call.repairs) if note not in repairs]
        return made


Read = Callable[[str], tuple[str, Sequence[Call]]]


class Whole:
    """Gathers a reply and shows nothing of it before its end.

    read: takes the text, without what the model thinks before it, and gives what is left for the reader and the calls,
    their arguments as dict or as text. Names and arguments are then checked and mended as in every dialect.
    """

    def __init__(self, tools: Sequence[ToolDict], read: Read, *, repair: bool = True) -> None:
        self._offered = Offered(tools)
        self._read = read
        self._repair = repair
        self._text: list[str] = []
        self._reply = Reply()

    def feed(self, delta: Delta) -> list[Piece]:
        self._text.append(delta.text)
        self._reply.reasoning += delta.reasoning
        self._reply.finish_reason = delta.finish_reason or self._reply.finish_reason
        self._reply.usage = delta.usage or self._reply.usage
        return []

    def finish(self) -> Reply:
        reply, cut_off = self._reply, self._reply.finish_reason == "length"
        thought, mark, text = "".join(self._text).rpartition("</think>")
        reply.reasoning += thought.replace("<think>", "").strip() if mark else ""
        reply.content, calls = self._read(text)
        reply.tool_calls = [settle(call, self._offered, repair=self._repair, cut_off=cut_off) for call in calls]
        if self._repair:
            reply.repairs = list(dict.fromkeys(note for call in calls for note in call.repairs))
        reply.final_answer = None if calls else reply.content or None
        said = [Piece("text", reply.content)] if reply.content else []
        reply.rest = [*said, *(Piece("call", call.name) for call in reply.tool_calls)]
        return reply
