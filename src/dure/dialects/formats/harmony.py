"""OpenAI's harmony (gpt-oss): `<|channel|>commentary to=functions.N <|constrain|>json<|message|>{…}<|call|>`.

The recipient may stand in the role or in the channel part of a header. `analysis` is reasoning, `final` the answer,
`commentary` without a recipient a word to the user. With the special tokens stripped by the server, a reply reads
`analysis…assistantcommentary to=functions.N json{…}` and `…assistantfinal…`.
"""

import re

from dure.dialects.formats.base import Call, Format, Found, Region
from dure.dialects.lenient import More
from dure.dialects.source import BrokenOff, Source

_HEADER = re.compile(r"(?:(?!<\|(?:message|end|call|return)\|>)[^\n]){0,400}")
_MESSAGE = "<|message|>"
_CHANNEL = re.compile(r"<\|channel\|>\s*([A-Za-z_]+)")
_RECIPIENT = re.compile(r"to=([^\s<>=]{1,200})")
_FUNCTION = re.compile(r"to=(functions\.[^\s<>=]{1,200})")
_STOP = re.compile(r"<\|(?:end|call|return)\|>")
_BODY_END = re.compile(r"[\s}]*(?:<\|(?:call|end|return)\|>)?")
_TOKENS = ("<|end|>", "<|return|>", "<|call|>", "<|message|>", "<|constrain|>")
_STRIPPED_NEXT = ("assistantfinal", "assistantcommentary", "assistantanalysis")
_CLOSERS = ("<|end|>", "<|return|>", "<|start|>assistant")
_KEEP = frozenset({"<|start|>assistant", *_STRIPPED_NEXT})
_REASONING = Region("reasoning", _CLOSERS, _KEEP)
_ANSWER = Region("text", (*_CLOSERS, "<|call|>"), _KEEP)
_DROPPED = Region("drop", (*_CLOSERS, "<|call|>"), _KEEP)
_REGIONS = {"analysis": _REASONING, "final": _ANSWER, "commentary": _ANSWER, "": _ANSWER}
_PLAIN_REASONING = Region("reasoning", _STRIPPED_NEXT, _KEEP)
_PLAIN_ANSWER = Region("text", _STRIPPED_NEXT, _KEEP)
_STRIPPED_CALL = re.compile(
    r"\s*+(?:assistant)?(?:commentary|analysis)?\s*+to=(?:functions\.)?([\w.\-/]{1,128}?)\s*+"
    r"(?:commentary|analysis)?\s*+(?:<\|constrain\|>)?\s*+(?:json|code)?\s*+(?:<\|message\|>)?\s*+(?=\{)"
)
_STRIPPED = re.compile(r"\s*(?:assistant)?(analysis|commentary|final)")
_CONSTRAIN = re.compile(r"<\|constrain\|>\s*\w*")


def scan(src: Source, at: int, marker: str) -> Found | None:
    text = src.text
    if marker in _TOKENS:
        constrain = src.match(_CONSTRAIN, at, reach=16)
        return Found(constrain.end() if constrain else at + len(marker))
    if not text.startswith("<|", at) and "<|channel|>" not in text[at : at + 200]:
        if not src.final and len(text) - at < 200:
            src.find("<|channel|>", at)
        return _stripped(src, at)
    if text[at] == "\n":
        at += 1
    header = src.match(_HEADER, at, reach=400)
    assert header is not None
    end = header.end()
    if not src.starts(_MESSAGE, end):
        return _headless(src, at, end)
    last = next(reversed(list(_CHANNEL.finditer(header.group()))), None)
    channel = last.group(1) if last else ""
    recipient = _FUNCTION.search(header.group()) or _RECIPIENT.search(header.group(), last.start() if last else 0)
    recipient = recipient or _RECIPIENT.search(header.group().split("<|channel|>", 1)[0])
    body = end + len(_MESSAGE)
    if recipient is not None:
        call = _call(src, recipient.group(1), body)
        if call is not None:
            return call
        if recipient.group(1) not in ("user", "assistant"):
            return Found(body, enter=_DROPPED)
    return Found(body, enter=_REGIONS.get(channel, _DROPPED))


def _headless(src: Source, at: int, end: int) -> Found:
    """A header without its message: garbage, dropped up to the next message; a final one is an answer all the same."""
    channel = _CHANNEL.search(src.text, at, end)
    if channel is not None and channel.group(1) == "final":
        return Found(channel.end(), enter=_ANSWER)
    recipient = _RECIPIENT.search(src.text, at, end)
    unfinished = recipient.group(1).removeprefix("functions.") if recipient and end == len(src.text) else ""
    return Found(end, enter=_DROPPED, unfinished=unfinished)


def _call(src: Source, recipient: str, at: int) -> Found | None:
    name = recipient.removeprefix("functions.")
    if name == recipient and not src.tools.has(name):
        return None
    src.name(name)
    start = src.space(at)
    found = src.json(start, name)
    if found is not None:
        end = src.match(_BODY_END, found.end, reach=16)
        return Found(end.end() if end else found.end, [Call(name, found.value, list(found.repairs))])
    stop = src.search(_STOP, start)
    text = src.text[start : stop.start() if stop else None].strip()
    call = Call(name, text or None, ["plain text as input"] if text else ["missing arguments"])
    return Found(stop.end() if stop else len(src.text), [call])


def _stripped(src: Source, at: int) -> Found | None:
    """The same without special tokens: at a line's start where another part follows, or glued to `assistant`."""
    call = src.match(_STRIPPED_CALL, at, reach=220)
    if call is not None:
        name = call.group(1)
        found = src.json(call.end(), name)
        if found is None:
            raise BrokenOff(name)
        src.name(name)
        return Found(found.end, [Call(name, found.value, list(found.repairs))])
    head = src.match(_STRIPPED, at, reach=40)
    if head is None:
        return None
    glued = "assistant" in head.group()
    if not glued and not any(src.ahead(each, head.end()) for each in _STRIPPED_NEXT):
        # A plain word, as no other part of the message follows anywhere.
        if not src.final and head.group(1) != "final":
            raise More
        return None
    return Found(head.end(), enter=_PLAIN_REASONING if head.group(1) == "analysis" else _PLAIN_ANSWER)


FORMAT = Format(
    "harmony",
    (
        "<|start|>assistant", "<|channel|>", *_TOKENS, *_STRIPPED_NEXT,
        "\nanalysis", "\ncommentary to=", "\nto=functions.", "\n to=functions.",
    ),
    scan,
)  # fmt: skip
