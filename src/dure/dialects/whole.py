"""A reader for markup that is read once all of a reply is there: the least that a dialect of one's own needs."""

from collections.abc import Callable, Sequence

from dure.dialects.base import Piece, Reply, ToolDict
from dure.dialects.formats.base import Call
from dure.dialects.offered import Offered
from dure.dialects.parser import settle
from dure.messages import Delta

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
