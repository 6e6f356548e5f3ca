"""What a dialect is: tools offered to a model, and its calls read back.

A dialect has two halves, both pure: `request` makes the part of the request body that depends on the tools, and
`reader` takes the reply's fragments, says what may be shown at once, and in the end gives the whole reply.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from dure.messages import Delta, Message, ToolCall, Usage

ToolDict = dict[str, Any]
"""A tool in OpenAI's shape: `{"type": "function", "function": {"name", "description", "parameters"}}`."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What may be shown now. `call`: a call's name became certain; its text is that name."""

    kind: Literal["text", "reasoning", "call"]
    text: str


@dataclass(slots=True)
class Reply:
    """A model's reply, read."""

    content: str = ""
    """What is left for the reader: the answer, without any markup."""
    tool_calls: list[ToolCall] = field(default_factory=list)
    """In the order written. One with `.error` must not run: the sentence goes back to the model."""
    final_answer: str | None = None
    """The answer where the reply is one (what follows its label, else all of `content`); None beside calls, also one
    that is cut off."""
    thought: str = ""
    """What was labelled `Thought:`."""
    reasoning: str = ""
    """What stood in `<think>` and its like, or came apart from the text."""
    repairs: list[str] = field(default_factory=list)
    """What had to be mended to read the calls."""
    quotations: list[dict[str, str]] = field(default_factory=list)
    """What looks like calls and is text: the `text`, the `reader` that read it, and `why` it did not run."""
    unfinished: str = ""
    """The name of a call in which the text breaks off; it is not among `tool_calls`. `?`: the name is cut off too, or
    is none on offer."""
    rest: list[Piece] = field(default_factory=list)
    """What `feed` held back and may be shown now. Together the text pieces are `content`, unless what was shown
    turns out to have been reasoning (`prefilled`)."""
    prefilled: bool = False
    """The reply began inside reasoning whose opening tag stood in the prompt; the next one may be read so from its
    start (`reader(..., reasoning=True)`)."""
    finish_reason: str | None = None
    least: float = 1.0
    """The least probability that the model gave one of its tokens, where that was asked for: a schema can force it to
    write what it would not have said."""
    usage: Usage = field(default_factory=Usage)

    @property
    def repaired(self) -> bool:
        return bool(self.repairs)


class ReplyReader(Protocol):
    """Reads one reply. Any cutting into fragments gives the same reply."""

    def feed(self, delta: Delta) -> list[Piece]:
        """Take a fragment; give what may be shown now."""
        ...

    def finish(self) -> Reply:
        """The reply as a whole, once the last fragment is in."""
        ...


class Dialect(Protocol):
    """One way to offer tools and to read calls."""

    def request(self, messages: list[Message], tools: Sequence[ToolDict]) -> dict[str, Any]:
        """The part of the request body that depends on the dialect: `messages` and what offers the tools."""
        ...

    def reader(self, tools: Sequence[ToolDict], *, repair: bool = True, reasoning: bool = False) -> ReplyReader:
        """A reader for the reply to `request`.

        repair: off, malformed calls come back with an error. reasoning: replies of this model begin inside reasoning
        whose opening tag stands in the prompt (`Reply.prefilled` tells), so that it is not shown as text first.
        """
        ...
