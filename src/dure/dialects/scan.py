"""Reads a reply from left to right, once: what is for the reader, what is reasoning, and what are calls.

The same machine reads a whole reply and a growing one. It looks for the next place where anything but text may begin
(one compiled alternation of literals), asks the formats that know that literal, and goes on behind what they read.
"""

import re
from typing import Literal, Protocol

from dure.dialects.formats import react
from dure.dialects.formats.base import Call, Found, Region, unread_after
from dure.dialects.formats.fence import SPAN, in_code, read_fence
from dure.dialects.formats.pythonic import read_named
from dure.dialects.formats.special import MISTRAL
from dure.dialects.lenient import More
from dure.dialects.offered import Offered
from dure.dialects.source import Source, Spent
from dure.dialects.triggers import BY_MARKER, LOOSE, TAGS, TRIGGER, certain

Kind = Literal["text", "thought", "reasoning", "drop"]
Mode = Literal["content", "thought", "answer", "over"]

_QUOTES = frozenset("\"'“‘「『")
_WITHIN = frozenset("[{(,=｛")
_KINDS: dict[Mode, Kind] = {"content": "text", "answer": "text", "thought": "thought", "over": "drop"}


class Sink(Protocol):
    """Takes what is read, in order, in stretches of any size."""

    def give(self, kind: Kind, text: str) -> None: ...

    def answer(self, *, weak: bool) -> None:
        """The final answer begins here. `weak`: its label may yet turn out to be part of a thought."""

    def reset(self) -> None:
        """All that was given as text was reasoning whose opening tag stood in the prompt."""


class Reading:
    """One reply being read. within: a region that was opened in the prompt."""

    def __init__(self, tools: Offered, sink: Sink, *, repair: bool = True, within: Region | None = None) -> None:
        self.src = Source("\n", tools, final=False, repair=repair)
        self.sink = sink
        self.at = 0
        self.calls: list[Call] = []
        self.repairs: list[str] = []
        self.unfinished = ""
        self.region = within
        self.region_start = 0
        """Where the region began; only of use while the text is not cut down by `feed`."""
        self.quiet = True
        """Nothing for the reader has come since the last call."""
        self.announced = 0
        self._mode: Mode = "content"
        self._blank = True
        self._line = ""
        self._tail = ""
        self._weak = False
        self._reasoned = False
        self._lost = False
        self._held: list[Call] | None = None
        self._held_text = ""
        self._safe = 0

    # -- the text ------------------------------------------------------------------------------------------------

    def feed(self, text: str) -> None:
        """Append text and read as far as is certain."""
        keep = max(self.at - 1, 0)
        self.src.text = self.src.text[keep:] + text
        self.at -= keep
        self.src.work = 0
        self._safe = certain(self.src.text, self.at, self.src.tools)
        self._run()

    def finish(self) -> None:
        """Read what is left, now that all is there."""
        self.src.final = True
        self._safe = len(self.src.text) + 1
        self._run()
        self._accept()

    def read(self, text: str) -> None:
        """Read a text that is all there."""
        self.src.text += text
        self.finish()

    @property
    def waiting(self) -> int:
        """How many characters are held back until it is clear what they are."""
        return len(self.src.text) - self.at

    def new_names(self) -> list[str]:
        """Names of calls that became certain since this was last asked."""
        new = [self.src.tools.resolve(call.name)[0] for call in self.calls[self.announced :]]
        if self._held is None:
            new += self.src.named[max(self.announced - len(self.calls), 0) :]
        self.announced += len(new)
        return new

    def _run(self) -> None:
        try:
            while self._step():
                pass
        except Spent:
            self._lost = True
            self._give(self._kind(), self.src.text[self.at :])
            self.at = len(self.src.text)

    def _kind(self) -> Kind:
        return self.region.kind if self.region is not None else _KINDS[self._mode]

    def _step(self) -> bool:
        text = self.src.text
        if self.at >= len(text):
            return False
        if self._lost or self._mode == "over":
            self._give(self._kind(), text[self.at :])
            self.at = len(text)
            return False
        if self.region is not None:
            return self._in_region(self.region)
        match = TRIGGER.search(text, self.at)
        stop = match.start() if match else len(text)
        if stop >= self._safe:
            match, stop = None, max(self._safe, self.at)
        self._give(self._kind(), text[self.at : stop])
        self.at = stop
        if match is None:
            return False
        self.src.named = []
        try:
            found = self._try(match)
        except More:
            return False
        if found is None or not self._apply(found):
            marker = match.group()
            size = len(marker) if marker in BY_MARKER and marker not in LOOSE else 1
            self._give(self._kind(), text[stop : stop + size])
            self.at = stop + size
        self.src.named = []
        return True

    # -- regions ---------------------------------------------------------------------------------------------------

    def _in_region(self, region: Region) -> bool:
        stop, after = region.end_in(self.src.text, self.at, final=self.src.final)
        self._give(region.kind, self.src.text[self.at : stop])
        self.at = stop if after is None else after
        if after is None:
            return False
        self.region = None
        if region.kind == "reasoning":
            self._reasoned = True
        return True

    # -- what was read ---------------------------------------------------------------------------------------------

    def _give(self, kind: Kind, text: str) -> None:
        if not text:
            return
        blank = text.isspace()
        if self._held is not None and kind != "drop":
            if blank:
                self._held_text += text
                return
            held, self._held, self._held_text = self._held_text, None, ""
            self._note(kind, held)
            self.sink.give(kind, held)
        if not blank or self._tail:
            self._note(kind, text)
        self.sink.give(kind, text)

    def _note(self, kind: Kind, text: str) -> None:
        """Remember what the context of the next trigger hangs on."""
        line = text.rfind("\n")
        self._line = text[line + 1 :][-SPAN:] if line >= 0 else (self._line + text)[-SPAN:]
        core = text[-200:].rstrip() or text.rstrip()
        if core:
            self._tail = (self._tail + core)[-2:]
            if kind == "text":
                self._blank = False
                self.quiet = False

    def _accept(self) -> None:
        """The calls held back are calls: no answer came after them."""
        if self._held is not None:
            self.calls += self._held
            self._held, self._held_text = None, ""

    def _apply(self, found: Found) -> bool:
        tools = self.src.tools
        calls = [call for call in found.calls if call.certain or tools.resolve(call.name)[0] in tools]
        if found.calls and not calls:
            return False
        raw = self.src.text[self.at : found.end]
        if found.ends_reasoning:
            self._end_reasoning()
        elif found.last and calls:
            if self._mode == "answer":
                return False
            if self._held is None:
                self._held, self._held_text = [], ""
            self._held += calls
            self._held_text += raw
            if self._blank and self._mode == "content" and raw.lstrip()[:1] != "`" and raw[-1:] in "}]":
                self._accept()
            self.quiet = True
        elif calls:
            self._accept()
            self.calls += calls
            self.quiet = True
        self.repairs += found.repairs
        if found.unfinished:
            self._accept()
            self.unfinished = found.unfinished
        if found.answer:
            self.sink.answer(weak=False)
            self._weak, self._mode = False, "answer"
        if found.text:
            self._give(self._kind(), found.text)
        if found.enter is not None:
            self.region = found.enter
            self.region_start = found.end
        self.at = found.end
        return True

    def _end_reasoning(self) -> None:
        if self._reasoned:
            return
        self._reasoned = True
        self._held, self._held_text = None, ""
        self.calls.clear()
        self.repairs.clear()
        self.unfinished = ""
        self._mode, self._blank, self._tail, self._line = "content", True, "", ""
        self.sink.reset()

    # -- triggers --------------------------------------------------------------------------------------------------

    def _try(self, match: re.Match[str]) -> Found | None:
        src, at, marker = self.src, self.at, match.group()
        if match.group("label") is not None:
            if match.end() == len(src.text) and not src.final:
                raise More
            return self._label(match)
        if match.group("named") is not None:
            return self._named(match)
        if match.group("fence") is not None:
            return read_fence(
                src,
                at,
                match.start("fence"),
                answering=self._mode == "answer",
                blank=self._blank,
                thought=self._mode == "thought",
            )
        before = src.text[at - 1 : at] if at else "\n"
        if before in _QUOTES or in_code(src, at, self._line):
            return None
        if marker in LOOSE and (self._mode == "answer" or not self._free(before)):
            return None
        for each in BY_MARKER[marker]:
            found = each.read(src, at, marker)
            if found is not None:
                if found.calls:
                    unread_after(src, at, found)
                return found
        return None

    def _free(self, before: str) -> bool:
        """Whether a value that begins here stands by itself, not within another one or a word."""
        if not before.isspace() and before not in ":：>;":
            return False
        if self._tail[-1:] in _WITHIN:
            return False
        return not (self._tail[-1:] == ":" and self._tail[-2:-1] in _QUOTES)

    def _named(self, match: re.Match[str]) -> Found | None:
        """`name{…}`, `name(…)`, `name` over `{…}` at a line's start, for a tool on offer."""
        src = self.src
        if self._mode == "answer" or not src.tools.has(match.group("named")):
            return None
        if src.text.startswith("[ARGS]", match.end()):
            return MISTRAL.read(src, match.start("named"), "")
        return read_named(src, match.start("named"), match.end())

    def _label(self, match: re.Match[str]) -> Found | None:
        if match.group().count("`") % 2:
            return None  # a code span that begins with a label
        label = react.label_of(match)
        if label.no_label:
            return None
        kind = label.kind
        if kind == "thought":
            return self._thought(label)
        if kind in ("action", "tool"):
            return self._action(label)
        if kind == "delegate":
            return self._delegate(label)
        if kind == "observation":
            if self.calls or self._held is not None:
                self._accept()
                self.repairs.append("an invented observation, dropped")
                self._mode = "over"
                return Found(label.end)
            return None
        if kind in ("final", "answer", "closing"):
            return self._answer(label)
        if kind == "input" and self._mode == "thought":
            return react.read_input(self.src, label, self._line)
        return None

    def _thought(self, label: react.Label) -> Found | None:
        if self._mode == "answer" and not (label.plain and not self._weak):
            return None
        if self._mode == "content" and not self._blank and (label.bullet or not label.common):
            return None
        self._accept()
        self._mode = "thought"
        if self._tail:
            self.sink.give("thought", "\n")
        return Found(label.end)

    def _action(self, label: react.Label) -> Found | None:
        src = self.src
        if label.kind == "action" and self._mode in ("content", "thought"):
            if src.text.startswith(TAGS, src.space(label.end)):
                return Found(src.space(label.end))
            name = react.line_after(src, label)
            if react.final_name(name):
                return self._answer(label, end=react.input_after(src, label))
            if (self._mode == "thought" or self._blank) and react.no_name(name):
                return Found(src.space(label.end) + len(name))
        if self._mode == "thought" and src.space(label.end) == len(src.text):
            return Found(len(src.text), unfinished="?")
        found = react.read_action(src, label, doubtful=self._mode in ("content", "answer") and not self.calls)
        if found is None:
            return None
        if self._mode == "answer":
            if not all(src.tools.resolve(call.name)[0] in src.tools for call in found.calls):
                return None
            found.repairs = [*found.repairs, "an action beside an answer"]
        self._accept()
        if not found.answer:
            self._mode = "thought"
        return found

    def _delegate(self, label: react.Label) -> Found | None:
        found = react.read_delegate(self.src, label)
        if found is None:
            return None
        call = found.calls[0]
        if "a missing task" in call.repairs and not self.src.tools.has(call.name):
            return None
        self._accept()
        self._mode = "thought"
        return found

    def _answer(self, label: react.Label, end: int | None = None) -> Found | None:
        if label.kind == "closing" and (self._mode != "thought" or label.bullet):
            return None
        weak = label.kind == "answer"
        if weak and (self._mode == "answer" or label.bullet):
            return None
        if label.kind == "final" and self._mode == "answer" and not self._weak:
            return None
        if self.calls or self._held is not None:
            if weak and self._mode == "content":
                return None
            self._accept()
            self.repairs.append("an answer beside an action, dropped")
            self._mode = "over"
            return Found(label.end)
        self.sink.answer(weak=weak)
        if weak and self._mode == "content" and not self._blank:
            return None
        if not self._blank:
            self.sink.give("text", "\n")
        self._weak = weak
        self._mode = "answer"
        return Found(label.end if end is None else end)
