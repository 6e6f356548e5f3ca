"""Reads a reply from left to right, once: what is for the reader, what is reasoning, and what are calls.

The same machine reads a whole reply and a growing one. It looks for the next place where anything but text may begin
(one compiled alternation of literals), asks the formats that know that literal, and goes on behind what they read.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from dure.dialects.formats import FORMATS, react
from dure.dialects.formats.base import Format, Found, Region, Source, Spent, unread_after
from dure.dialects.formats.json_call import FIRST_KEYS, past
from dure.dialects.formats.pythonic import NAME, read_named
from dure.dialects.formats.special import MISTRAL, SPAN, XML_HEAD, read_fence
from dure.dialects.labels import Gathered, Kind, Labels, Mode
from dure.dialects.lenient import More
from dure.dialects.offered import Offered
from dure.dialects.quotations import LISTED, NOTHING, QUOTES, Heard, Quotations

_WITHIN = frozenset("[{(,=｛")
_MOST_CALLS = 100
"""A model that writes more in one reply has run into a loop."""
_KINDS: dict[Mode, Kind] = {"content": "text", "answer": "text", "thought": "thought", "over": "drop"}
_INVOKE = next(each for each in FORMATS if each.name == "invoke")
_SPOKEN_OF = re.compile(r"[ \t]?\w")
"""What follows a token within a sentence."""
_BETWEEN = re.compile(r"(?:[\s,;]|[-=*_]{3,80}(?=\n|\Z))*+(?:[-=*_]{1,2}\Z)?")
_LOOSE = frozenset("{[｛")
"""Markers that are found in any text, and so only count where a value can stand."""

_PREFIXED = r"<[A-Za-z]\w{0,15}:(?:invoke|function_calls|tool_calls?)(?=[\s>])"
"""A tag of `invoke` and its wrappers, whatever stands before the colon."""
_SPECIAL = r"<\|[a-z_]{2,30}\|>(?=\s{0,4}(?:[<{\[]|\Z))"
"""A special token that nobody listed, where one may stand: before a call, or at the end of the reply."""
_PREFIX_CUT = re.compile(r"<(?:[A-Za-z]\w{0,15}(?::[a-z_]{0,14})?|\|[a-z_]{0,30}(?:\|(?:>\s{0,4})?)?)?$")


class Table(NamedTuple):
    """The formats as they are looked for."""

    pattern: re.Pattern[str]
    """Groups: `label` (and react's others), `named` (a name before its arguments), `fence`; else the match is a
    marker."""
    by_marker: dict[str, tuple[Format, ...]]
    tags: tuple[str, ...]
    """Markers that are not found in any text."""
    prefixes: frozenset[str]
    longest: int


@lru_cache(maxsize=16)
def table(own: Format | None = None) -> Table:
    """The table of formats. own: the format that was learnt of this model, tried first."""
    rows = (own, *FORMATS) if own else FORMATS
    by_marker = {
        marker: tuple(each for each in rows if marker in each.markers)
        for marker in {marker for each in rows for marker in each.markers}
    }
    quote = "[\"'“”‘’＂`]?"
    word = r"[\w.\-/]{0,99}"
    named = (
        r"[ \t]*+(?P<named>[A-Za-z_가-힣][\w.\-/]{0,63})(?::\d{1,3})?[ \t]*+:?[ \t]*+\n?[ \t]*+"
        r"(?=[{(｛]|\[(?:ARGS\]|[ARGS]{0,4}\Z))"
    )
    fence = r"[ \t]*+(?P<fence>```|~~~)"
    starts = react.tree(each[1:] for each in by_marker if each[0] == "\n")
    pattern = re.compile(
        rf"\n(?:(?P<marker>{starts})|{fence}|{react.LABEL}|{named})"
        rf"|{react.tree(each for each in by_marker if each[0] != chr(10) and each not in '{[')}"
        rf"|{_PREFIXED}|{_SPECIAL}"
        rf"|\{{(?=\s*+(?:{quote}(?:{'|'.join(sorted(FIRST_KEYS))})\b|{quote}{word}\Z))"
        rf"|\[(?=\s*+(?:[{{｛]|{NAME}[ \t]*+\(|{word}\Z))"
    )
    return Table(
        pattern,
        by_marker,
        tuple(marker for marker in by_marker if len(marker) > 2 and marker[0] != "\n"),
        frozenset(each[:size] for each in by_marker for size in range(1, len(each))),
        max(map(len, by_marker)),
    )


def certain(text: str, at: int, tools: Offered, known: Table) -> int:
    """Up to where `text`, which may go on, is sure to show its triggers from `at` on for what they are."""
    size = len(text)
    most = min(known.longest, size - at)
    safe = next((place for place in range(size - most, size) if text[place:] in known.prefixes), size)
    cut = _PREFIX_CUT.search(text, max(at, size - 40))
    safe = min(safe, cut.start()) if cut else safe
    line = text.rfind("\n", at)
    if line < 0:
        return safe
    rest = text[line + 1 :]
    named = len(rest) < 100 and tools.schemas and tools.may_begin(rest.strip(" \t:"))
    if named or react.may_become_label(rest):
        safe = min(safe, line)
    if not rest.strip():
        before = text.rfind("\n", at, line)
        if before >= 0 and text[before + 1 : line].strip(" \t:") in tools.schemas:
            safe = min(safe, before)
    return safe


class Reading(Labels):
    """One reply being read. within: a region that was opened in the prompt. heard: what the model had read before."""

    def __init__(self, tools: Offered, sink: Gathered, *, within: Region | None = None, heard: Heard = NOTHING) -> None:
        self.table = table(heard.own)
        super().__init__(Source("\n", tools, final=False), sink, Quotations(heard), self.table.tags)
        self.unfinished = ""
        self.region = within
        self.region_start = 0
        """Where the region began; only of use while the text is not cut down by `feed`."""
        self.quiet = True
        """Nothing for the reader has come since the last call."""
        self.placed = ""
        """Why what is being read is a quotation by its place."""
        self.announced = 0
        self.addressed = False
        """A part of it is said to be for the reader as it stands."""
        self._reasoned = False
        self._lost = False
        self._from = 0
        """From where on calls are looked for: past what was none, which is given with the text behind it."""
        self._safe = 0
        self._cr = ""
        self._between = ""

    # -- the text ------------------------------------------------------------------------------------------------

    def feed(self, text: str) -> None:
        """Append text and read as far as is certain."""
        keep = max(self.at - 1, 0)
        self.src.text = self.src.text[keep:] + self._lines(text)
        self.at -= keep
        self._from -= keep
        self.src.work = 0
        self._safe = certain(self.src.text, self.at, self.src.tools, self.table)
        self._run()

    def _lines(self, text: str) -> str:
        """The text with lines that end in a newline alone, without a byte order mark or spaces at its beginning."""
        if "\r" in text or self._cr:
            text = self._cr + text
            self._cr = "\r" if text.endswith("\r") else ""
            text = text.removesuffix("\r").replace("\r\n", "\n")
        return text.lstrip(" \t\ufeff") if self.src.text == "\n" else text

    def finish(self) -> None:
        """Read what is left, now that all is there."""
        self.src.text += self._cr
        self.src.final = True
        self._safe = len(self.src.text) + 1
        self._run()
        self.accept()

    def read(self, text: str) -> None:
        """Read a text that is all there."""
        self.src.text += self._lines(text)
        self.finish()

    def new_names(self) -> list[str]:
        """Names of calls that became certain since this was last asked."""
        new = [self.src.tools.resolve(call.name)[0] for call in self.calls[self.announced :]]
        if self.held is None and not self.placed and not any(map(self.quotations.heard.says, self.src.named)):
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
        return self.region.kind if self.region is not None else _KINDS[self.mode]

    def _step(self) -> bool:
        text = self.src.text
        if self.at >= len(text):
            return False
        if self._lost or self.mode == "over":
            self._give(self._kind(), text[self.at :])
            self.at = len(text)
            return False
        if self.region is not None:
            kind = self.region.kind
            stop, after = self.region.end_in(text, self.at, final=self.src.final)
            self._give(kind, text[self.at : stop])
            self.at = stop if after is None else after
            if after is not None:
                self.region = None
                self._reasoned = self._reasoned or kind == "reasoning"
            return after is not None
        match = self.table.pattern.search(text, max(self.at, self._from))
        stop = match.start() if match else len(text)
        if stop >= self._safe:
            match, stop = None, max(self._safe, self.at)
        self._give(_KINDS[self.mode], text[self.at : stop])
        self.at = stop
        if match is None:
            return False
        self.src.named, self.placed = [], ""
        try:
            found = self._find(match)
        except More:
            return False
        if found is not None:
            for call in found.calls:
                call.reader = call.reader or ("react" if match.group("label") else "json")
            found = self.quotations.judged(self.src, stop, found, self.placed)
        if found is None or not self._apply(found):
            marker = match.group()
            size = len(marker) if marker in self.table.by_marker and marker not in _LOOSE else 1
            self._from = stop + size
        self.src.named = []
        return True

    # -- what was read ---------------------------------------------------------------------------------------------

    def _give(self, kind: Kind, text: str) -> None:
        if kind == "text" and self.quiet and self.calls:
            # Commas and rules between calls are not for the reader.
            text, self._between = self._between + text, ""
            if _BETWEEN.fullmatch(text):
                text, self._between = "", text
        if not text:
            return
        blank = text.isspace()
        if self.quiet and kind == "text":
            self.quotations.follow(self.calls, text)
        self.quotations.open ^= text.count('"') % 2 == 1
        if self.held is not None and kind != "drop":
            if blank:
                self.held_text += text
                return
            held, self.held, self.held_text = self.held_text, None, ""
            self._note(kind, held)
            self.sink.give(kind, held)
        if not blank or self.tail:
            self._note(kind, text)
        self.sink.give(kind, text)

    def _note(self, kind: Kind, text: str) -> None:
        """Remember what the context of the next trigger hangs on."""
        line = text.rfind("\n")
        self.line = text[line + 1 :][-SPAN:] if line >= 0 else (self.line + text)[-SPAN:]
        if core := text.rstrip():
            self.tail = core[-2:] if len(core) > 1 else (self.tail + core)[-2:]
            if kind == "text":
                self.blank = False
                self.quiet = False

    def _apply(self, found: Found) -> bool:
        tools = self.src.tools
        calls = [call for call in found.calls if call.certain or tools.resolve(call.name)[0] in tools]
        if found.calls and not calls:
            return False
        raw = self.src.text[self.at : found.end]
        fenced = found.last and raw.lstrip()[:1] == "`"
        self.quotations.begin(calls, behind=not self.blank, line=self.line, fenced=fenced)
        for call in calls:
            call.place = len(self.sink.content)
        if found.ends_reasoning and not self._reasoned:
            self._reasoned = True
            self.held, self.held_text = None, ""
            self.calls.clear()
            self.repairs.clear()
            self.unfinished = ""
            self.mode, self.blank, self.tail, self.line = "content", True, "", ""
            self.sink.reset()
        elif found.last and calls:
            if self.held is None:
                self.held, self.held_text = [], ""
            self.held += calls
            self.held_text += raw
            if self.blank and self.mode == "content" and not fenced and raw[-1:] in "}]":
                for call in self.held:
                    call.behind = True
                self.accept()
            self.quiet = True
        elif calls:
            self.accept()
            self.calls += calls
            self.quiet, self._between = True, ""
            if len(self.calls) >= _MOST_CALLS:
                self.repairs.append(f"more than {_MOST_CALLS} calls, the rest dropped")
                self.mode = "over"
        self.repairs += found.repairs
        if found.unfinished:
            self.accept()
            self.unfinished = found.unfinished
        if found.answer:
            self.sink.answer(weak=False)
            self.weak, self.mode = False, "answer"
        if found.text:
            self._give(self._kind(), found.text)
        if found.enter is not None:
            self.region = found.enter
            self.region_start = found.end
            self.addressed = self.addressed or (found.enter.kind == "text" and not found.enter.shown)
        self.at = found.end
        return True

    # -- triggers --------------------------------------------------------------------------------------------------

    def _find(self, match: re.Match[str]) -> Found | None:
        src, at, marker, kind = self.src, self.at, match.group(), match.lastgroup
        if kind in ("close", "colon"):
            if match.end() == len(src.text) and not src.final:
                raise More
            return self.read_label(match)
        if kind == "named":
            if self.mode == "answer" or not src.tools.has(match.group("named")):
                return None
            if not self.blank and match.group()[1].isspace():
                return None  # within a block of code
            if src.text.startswith("[ARGS]", match.end()):
                return MISTRAL.read(src, match.start("named"), "")
            return read_named(src, match.start("named"), match.end())
        if kind == "fence":
            if not self.tail and self.blank and (whole := self._unfenced(match.start("fence"))):
                return whole
            return read_fence(src, at, match.start("fence"), FORMATS, self.mode, blank=self.blank)
        before = src.text[at - 1 : at] if at else "\n"
        self.placed = placed = self.quotations.placed(src, at, self.line)
        if marker in _LOOSE and (placed not in ("", LISTED) or self.mode == "answer" or not self._free(before)):
            return None
        rows = self.table.by_marker.get(marker) or (() if marker.startswith("<|") else (_INVOKE,))
        found = self._by(rows, at, marker) or (self._behind(match.end(), marker) if marker not in _LOOSE else None)
        if found is None and not rows and before != " " and not src.text[match.end() :].strip():
            found = Found(match.end())
        spoken_of = (
            before == " "
            and self.line.strip()
            and found == Found(match.end())
            and src.match(_SPOKEN_OF, match.end(), 2)
        )
        return found if found and not spoken_of and (found.calls or placed in ("", LISTED)) else None

    def _by(self, rows: Iterable[Format], at: int, marker: str) -> Found | None:
        """What the first of the formats that reads it reads at a marker."""
        found = next(filter(None, (each.read(self.src, at, marker) for each in rows)), None)
        if found is not None and found.calls:
            unread_after(self.src, at, found)
        return found

    def _behind(self, at: int, tag: str) -> Found | None:
        """The calls directly behind a tag that says nothing by itself, which goes with them, as what closes it does."""
        here = self.src.space(at)
        match = self.table.pattern.match(self.src.text, here)
        found = self._by(self.table.by_marker.get(match.group(), ()), here, match.group()) if match else None
        return past(self.src, found, f"</{tag[1:]}") if found and found.calls else None

    def _unfenced(self, at: int) -> Found | None:
        """A reply that is one fence of XML and holds calls at its end is read as if the fence were not there."""
        src = self.src
        head = src.match(XML_HEAD, at, reach=16)
        if head is None:
            return None
        end = src.text.rfind("\n```", at, src.end())
        if end < head.end() or src.text[end:].strip() != "```":
            return None
        inner = Reading(src.tools, Gathered(), heard=self.quotations.heard)
        inner.read(src.text[head.end() : end])
        if not (inner.calls and inner.quiet):
            return None
        src.text = src.text[:end]
        return Found(head.end() - 1)

    def _free(self, before: str) -> bool:
        """Whether a value that begins here stands by itself, not within another one or a word."""
        if not before.isspace() and before not in ":：>;":
            return False
        if self.tail[-1:] in _WITHIN:
            return False
        return not (self.tail[-1:] == ":" and self.tail[-2:-1] in QUOTES)
