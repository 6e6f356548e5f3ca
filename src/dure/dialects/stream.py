"""A reply's text as it comes: what may be shown at once, and the whole in the end.

What is shown early comes from the same machine that reads the whole; the reply itself is always read from the whole
text, so that no cutting into fragments can change it.
"""

from dure.dialects.base import Piece, Reply
from dure.dialects.formats.base import PREFILLED
from dure.dialects.labels import Kind
from dure.dialects.offered import Offered
from dure.dialects.parser import read_reply
from dure.dialects.quotations import NOTHING, Heard
from dure.dialects.scan import Reading

_SMALL = 256
"""So many characters held back are looked at again with every fragment; more, only when they grew by a quarter."""


class TextStream:
    """Feed it text; it gives pieces. Costs time linear in the text, however small the fragments.

    reasoning: the text begins inside reasoning whose opening tag stands in the prompt.
    """

    def __init__(self, offered: Offered, *, repair: bool = True, reasoning: bool = False) -> None:
        self._offered = offered
        self._repair = repair
        self._reasoning = reasoning
        self._all: list[str] = []
        self._backlog: list[str] = []
        self._size = 0
        self._pieces: list[Piece] = []
        self._shown: list[str] = []
        self._space = {"text": "", "reasoning": ""}
        self._begun = {"text": False, "reasoning": False}
        self._announced: list[str] = []
        self.mind(NOTHING)

    def mind(self, heard: Heard) -> None:
        """Take what stands in `heard` for quotations."""
        self.heard = heard
        self._reading = Reading(
            self._offered, self, repair=self._repair, within=PREFILLED if self._reasoning else None, heard=heard
        )

    def feed(self, text: str) -> list[Piece]:
        """Take the next fragment; give what may be shown now."""
        if not text:
            return []
        self._all.append(text)
        self._backlog.append(text)
        self._size += len(text)
        waiting = self._reading.waiting
        if waiting > _SMALL and self._size * 4 < waiting:
            return []
        self._read_backlog()
        return self._taken()

    def finish(self, *, cut_off: bool = False) -> Reply:
        """The whole reply, with what was held back in `rest`."""
        prefilled = self._reasoning and cut_off
        text = "".join(self._all)
        reply = read_reply(
            text, self._offered, repair=self._repair, cut_off=cut_off, prefilled=prefilled, heard=self.heard
        )
        self._read_backlog()
        self._reading.finish()
        self._announce(self._reading.new_names())
        for call in reply.tool_calls[len(self._announced) :]:
            self._pieces.append(Piece("call", call.name))
        shown = "".join(self._shown)
        if len(reply.content) > len(shown) and reply.content.startswith(shown):
            self._pieces.append(Piece("text", reply.content[len(shown) :]))
        reply.rest = self._taken()
        return reply

    def _read_backlog(self) -> None:
        self._reading.feed("".join(self._backlog))
        self._backlog, self._size = [], 0
        self._announce(self._reading.new_names())

    def _announce(self, names: list[str]) -> None:
        for name in names:
            if name:
                self._announced.append(name)
                self._pieces.append(Piece("call", name))

    def _taken(self) -> list[Piece]:
        pieces, self._pieces = self._pieces, []
        return pieces

    # -- what the reading gives -------------------------------------------------------------------------------------

    def give(self, kind: Kind, text: str) -> None:
        """Pass text on, without white space at the beginning and, until more follows, at the end."""
        if kind == "drop":
            return
        to = "text" if kind == "text" else "reasoning"
        if not self._begun[to]:
            text = text.lstrip()
        if not text:
            return
        core = text.rstrip()
        if not core:
            self._space[to] += text
            return
        self._begun[to] = True
        out = self._space[to] + core
        self._space[to] = text[len(core) :]
        if to == "text":
            self._shown.append(out)
            self._pieces.append(Piece("text", out))
        else:
            self._pieces.append(Piece("reasoning", out))

    def answer(self, *, weak: bool) -> None:
        """Where the answer begins makes no difference to what is shown."""

    def reset(self) -> None:
        """What was shown cannot be taken back; the reply tells it from the answer."""
