"""Dialect `native`: tools go in the request's `tools`, calls come back apart from the text; and the readers of replies.

Servers and models leak calls as text all the same, so a reply without native calls is read once more for calls in the
model's own markup.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from dure.dialects.base import Piece, Reply, ToolDict
from dure.dialects.formats.base import PREFILLED, Call
from dure.dialects.json_scan import clean, read
from dure.dialects.labels import Gathered, Kind
from dure.dialects.offered import Offered
from dure.dialects.parser import read_reply, settle
from dure.dialects.quotations import NOTHING, QUOTED, Heard
from dure.dialects.scan import Reading
from dure.messages import Delta, Message, ToolCall, Usage

_SMALL = 256
"""So many characters that wait until it is clear what they are, are looked at again with every fragment; more, only
when they grew by a quarter."""


class TextStream(Gathered):
    """Feed it text; it gives pieces as soon as they are certain.

    The reply is read from the whole text, so that no cutting into fragments can change it. Costs time linear in the
    text, however small the fragments.

    reasoning: the text begins inside reasoning whose opening tag stands in the prompt.
    """

    def __init__(self, offered: Offered, *, repair: bool = True, reasoning: bool = False) -> None:
        super().__init__()
        self.offered = offered
        self.repair = repair
        self._reasoning = reasoning
        self._all: list[str] = []
        self._backlog: list[str] = []
        self._size = 0
        self._pieces: list[Piece] = []
        self._shown: list[str] = []
        self._space: dict[str, str | None] = {"text": None, "reasoning": None}
        self._announced = 0
        self.heard = NOTHING
        """What stands there is taken for quotations."""

    @cached_property
    def _reading(self) -> Reading:
        return Reading(self.offered, self, within=PREFILLED if self._reasoning else None, heard=self.heard)

    def thought_apart(self) -> None:
        """The reasoning comes apart from the text, which therefore begins behind it."""
        self._reasoning = self._reasoning and bool(self._all)

    def feed(self, text: str) -> list[Piece]:
        """Take the next fragment; give what may be shown now."""
        if not text:
            return []
        self._all.append(text)
        self._backlog.append(text)
        self._size += len(text)
        waiting = len(self._reading.src.text) - self._reading.at
        if waiting > _SMALL and self._size * 4 < waiting:
            return []
        self._read_backlog()
        return self._taken()

    def finish(self, *, cut_off: bool = False) -> Reply:
        """The whole reply, with what was held back in `rest`."""
        reply = read_reply(
            "".join(self._all),
            self.offered,
            repair=self.repair,
            cut_off=cut_off,
            prefilled=self._reasoning,
            heard=self.heard,
        )
        self._read_backlog(final=True)
        self._pieces += [Piece("call", call.name) for call in reply.tool_calls[self._announced :]]
        shown = "".join(self._shown)
        if len(reply.content) > len(shown) and reply.content.startswith(shown):
            self._pieces.append(Piece("text", reply.content[len(shown) :]))
        reply.rest = self._taken()
        return reply

    def _read_backlog(self, *, final: bool = False) -> None:
        self._reading.feed("".join(self._backlog))
        self._backlog, self._size = [], 0
        if final:
            self._reading.finish()
        names = [name for name in self._reading.new_names() if name]
        self._announced += len(names)
        self._pieces += [Piece("call", name) for name in names]

    def _taken(self) -> list[Piece]:
        pieces, self._pieces = self._pieces, []
        return pieces

    # -- what the reading gives -------------------------------------------------------------------------------------

    def give(self, kind: Kind, text: str) -> None:
        """Pass text on, without white space at the beginning and, until more follows, at the end."""
        if kind == "drop":
            return
        to: Literal["text", "reasoning"] = "text" if kind == "text" else "reasoning"
        held = self._space[to]
        text = text.lstrip() if held is None else held + text
        core = text.rstrip()
        if core or held is not None:
            self._space[to] = text[len(core) :]
        if core:
            self._pieces.append(Piece(to, core))
            self._shown += [core] * (to == "text")


class Native:
    """OpenAI's `tools` parameter; the messages stay as they are."""

    def request(self, messages: list[Message], tools: Sequence[ToolDict]) -> dict[str, Any]:
        body: dict[str, Any] = {"messages": messages}
        if tools:
            body["tools"] = list(tools)
        return body

    def reader(self, tools: Sequence[ToolDict], *, repair: bool = True, reasoning: bool = False) -> "NativeReader":
        return NativeReader(TextStream(Offered(tools), repair=repair, reasoning=reasoning))


@dataclass(slots=True)
class _Fragments:
    """One native call, being gathered."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    announced: bool = False


class NativeReader:
    """Gathers native calls and text, which `text` reads."""

    def __init__(self, text: TextStream) -> None:
        self._text = text
        self._offered, self._repair = text.offered, text.repair
        self._reasoning: list[str] = []
        self._calls: dict[int, _Fragments] = {}
        self._finish_reason: str | None = None
        self._usage = Usage()

    def mind(self, heard: Heard) -> None:
        """Take calls that stand in what the model had read for quotations; to be called before any text."""
        self._text.heard = heard

    def feed(self, delta: Delta) -> list[Piece]:
        pieces = []
        if delta.finish_reason:
            self._finish_reason = delta.finish_reason
        if delta.usage is not None:
            self._usage = delta.usage
        if delta.reasoning:
            self._reasoning.append(delta.reasoning)
            self._text.thought_apart()
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
            named = zip(native, reply.tool_calls, strict=True)
            reply.rest += [Piece("call", call.name) for each, call in named if not each.announced]
        reply.reasoning = "\n".join(part for part in ("".join(self._reasoning).strip(), reply.reasoning) if part)
        reply.finish_reason = self._finish_reason
        reply.usage = self._usage
        return reply

    def _settled(self, gathered: _Fragments, repairs: list[str], cut_off: bool) -> ToolCall:
        text = clean("".join(gathered.arguments).strip())
        call = Call(gathered.name, text if text not in ("", "null", '""') else None, reader="native")
        found = read(text, 0) if text[:1] == "{" else None
        if found is not None:
            behind = text[found.end :].strip()
            call.args, call.unread = found.value, behind.strip(" \t\r\n}")
            call.repairs += [*found.repairs, *(["a bracket too many"] if behind else [])]
        elif call.args:
            call.repairs.append("arguments that are no JSON object")
        made = settle(call, self._offered, repair=self._repair, cut_off=cut_off)
        made.id = gathered.id or made.id
        if self._repair:
            repairs += [note for note in dict.fromkeys(call.repairs) if note not in repairs]
        return made


Read = Callable[[str], tuple[str, Sequence[Call]]]


class Whole(NativeReader):
    """Gathers a reply and shows nothing of it before its end.

    read: takes the text, without what the model thinks before it, and gives what is left for the reader and the calls,
    their arguments as dict or as text. Names and arguments are then checked and mended as in every dialect.
    """

    def __init__(self, tools: Sequence[ToolDict], read: Read, *, repair: bool = True) -> None:
        super().__init__(_AtOnce(Offered(tools), read, repair=repair))


class _AtOnce(TextStream):
    def __init__(self, offered: Offered, read: Read, *, repair: bool) -> None:
        super().__init__(offered, repair=repair)
        self._read = read

    def feed(self, text: str) -> list[Piece]:
        self._all.append(text)
        return []

    def finish(self, *, cut_off: bool = False) -> Reply:
        thought, mark, text = "".join(self._all).rpartition("</think>")
        content, calls = self._read(text)
        made = [settle(call, self.offered, repair=self.repair, cut_off=cut_off) for call in calls]
        notes = list(dict.fromkeys(note for call in calls for note in call.repairs)) if self.repair else []
        rest = [*([Piece("text", content)] if content else []), *(Piece("call", call.name) for call in made)]
        final = None if made else content or None
        reasoning = thought.replace("<think>", "").strip() if mark else ""
        return Reply(content, made, final, reasoning=reasoning, repairs=notes, rest=rest)
