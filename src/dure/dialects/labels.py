"""The labels of Thought / Action / Action Input as they steer the reading of a reply: what each of them does where."""

import re
from typing import Literal

from dure.dialects.formats import react
from dure.dialects.formats.base import Call, Found, Source
from dure.dialects.lenient import More
from dure.dialects.quotations import MISPLACED, NOTHING, Quotations

Kind = Literal["text", "thought", "reasoning", "drop"]
Mode = Literal["content", "thought", "answer", "over"]
_OPENS = frozenset("<[")
"""What a format's tag begins with."""


class Gathered:
    """Takes what is read, in order, in stretches of any size."""

    def __init__(self) -> None:
        self.content: list[str] = []
        self.thought: list[str] = []
        self.reasoning: list[str] = []
        self.answer_at: int | None = None
        self.weak = False
        self.was_reasoning = False

    def give(self, kind: Kind, text: str) -> None:
        if kind != "drop":
            (self.content if kind == "text" else self.thought if kind == "thought" else self.reasoning).append(text)

    def answer(self, *, weak: bool) -> None:
        """The final answer begins here. `weak`: its label may yet turn out to be part of a thought."""
        if self.answer_at is not None and self.weak:
            self.thought += ["\n", *self.content[self.answer_at :]]
            del self.content[self.answer_at :]
        elif self.answer_at is not None and weak:
            return
        self.answer_at, self.weak = len(self.content), weak

    def reset(self) -> None:
        """All that was given as text was reasoning whose opening tag stood in the prompt."""
        self.was_reasoning = True
        self.reasoning += self.thought + self.content
        self.content, self.thought, self.answer_at = [], [], None


class Labels:
    """What the labels of a reply look at and change, and what they do; `Reading` is the rest of it."""

    at = 0
    mode: Mode = "content"
    blank = True
    """Nothing for the reader has come."""
    line = ""
    """What stands before on the line."""
    tail = ""
    weak = False
    held: list[Call] | None = None
    """Calls that count if nothing but calls follows."""
    held_text = ""
    listed = False
    """Actions without an input stand in a row: a list of tools."""

    def __init__(self, src: Source, sink: Gathered, quotations: Quotations, tags: tuple[str, ...]) -> None:
        """tags: what a format's call begins with, unlike any other text."""
        self.src, self.sink, self.quotations, self.tags = src, sink, quotations, tags
        self.calls: list[Call] = []
        self.repairs: list[str] = []

    def accept(self) -> None:
        """The calls held back are calls: no answer came after them."""
        if self.held is not None:
            self.calls += self.held
            self.held, self.held_text = None, ""

    def read_label(self, match: re.Match[str]) -> Found | None:
        written, end = match.group(), match.end()
        if written.count("`") % 2:
            return None  # a code span that begins with a label
        label = react.label_of(written)
        if label.no_label:
            return None
        if label.kind == "thought":
            return self._thought(label, end)
        if label.kind in ("action", "tool", "delegate"):
            return self._action(label, end)
        if label.kind in ("final", "answer", "closing"):
            return self._answer(label, end)
        if label.kind == "observation" and (self.calls or self.held is not None):
            # A record of a call, in a text, goes on like this.
            for call in self.calls if self.quotations.heard is not NOTHING else ():
                call.refused = MISPLACED if call.behind else call.refused
            return self._over(end, "an invented observation, dropped")
        if label.kind == "input" and self.mode == "thought":
            return react.read_input(self.src, end, self.line)
        return None

    def _over(self, end: int, repair: str) -> Found:
        """The reply ends in calls: nothing from `end` on counts."""
        self.accept()
        self.repairs.append(repair)
        self.mode = "over"
        return Found(end)

    def _thought(self, label: react.Label, end: int) -> Found | None:
        if self.mode == "answer" and (self.weak or not label.plain):
            return None
        if self.mode == "content" and not self.blank and (label.bullet or not label.common):
            return None
        self.accept()
        self.mode = "thought"
        if self.tail:
            self.sink.give("thought", "\n")
        return Found(end)

    def _action(self, label: react.Label, at: int) -> Found | None:
        src = self.src
        at = src.space(at)
        if self.mode == "thought" and at == len(src.text):
            return Found(at, unfinished="?")
        if src.text[at : at + 1] in _OPENS and src.text.startswith(self.tags, at):
            return Found(at) if label.kind == "action" and self.mode in ("content", "thought") else None
        end = src.text.find("\n", at)
        if end < 0 and not src.final:
            raise More
        line = src.text[at : end if end >= 0 else None]
        src.spend(len(line))
        nothing = react.no_tool(line) if label.kind == "action" and self.mode in ("content", "thought") else ""
        if nothing == "final":
            given = react.input_at(src, at + len(line), [])
            return self._answer(label, at + len(line) if given is None else given)
        if nothing and (self.mode == "thought" or self.blank):
            return Found(at + len(line))
        doubtful = self.mode in ("content", "answer") and not self.calls
        if doubtful and label.kind == "tool" and label.bullet and not self.blank:
            return None
        found = react.read_action(src, label, at, line, doubtful=doubtful)
        if found is None:
            return None
        if doubtful and found.calls and found.calls[-1].args is None and found.end == at + len(line):
            self.listed = self.listed or react.input_at(src, found.end, [], label.kind) is not None
            if self.listed:
                return None
        if self.mode == "answer":
            if not all(src.tools.resolve(call.name)[0] in src.tools for call in found.calls):
                return None
            found.repairs = [*found.repairs, "an action beside an answer"]
        judged = self.quotations.judged(src, self.at, found)
        if judged is not found or found.last:
            return judged
        self.accept()
        if found.answer:
            return found
        call = found.calls[-1]
        amid = self.mode == "content" and not self.blank and self.quotations.heard is not NOTHING
        behind = amid and src.text[found.end : react.next_label(src, found.end)].strip() != ""
        if doubtful and isinstance(call.args, str) and (amid or react.VARIANT in call.repairs):
            # A record of a call goes on like this: with its result, or with lines that nobody labelled.
            loose = "\n" in call.args if react.VARIANT in call.repairs else "\n\n" in call.args
            behind = behind or loose or react.input_at(src, found.end, [], "closing") is not None
        call.refused = MISPLACED if behind else call.refused
        self.mode = "thought"
        return found

    def _answer(self, label: react.Label, end: int) -> Found | None:
        weak = label.kind == "answer"
        if (label.bullet and label.kind != "final") or (label.kind == "closing" and self.mode != "thought"):
            return None
        if self.mode == "answer" and (weak or (label.kind == "final" and not self.weak)):
            return None
        if self.calls or self.held is not None:
            if weak and self.mode == "content":
                return None
            return self._over(end, "an answer beside an action, dropped")
        self.sink.answer(weak=weak)
        if weak and self.mode == "content" and not self.blank:
            return None
        if not self.blank:
            self.sink.give("text", "\n")
        self.weak = weak
        self.mode = "answer"
        return Found(end)
