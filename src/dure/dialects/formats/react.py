"""Thought / Action / Action Input (ReAct), with its labels as models vary them, in English and Korean.

The labels steer the reading of the whole reply (`dure.dialects.scan`), so this file is not one of the formats with
markers: it knows the labels, and reads one action from its label on; `Delegate:` with its `Task:` is one too.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from dure.dialects.formats.base import Call, Found, Source
from dure.dialects.formats.json_call import as_calls, final_answer
from dure.dialects.formats.pythonic import read_call
from dure.patterns import later

_WORDS: dict[str, tuple[str, ...]] = {
    "input": (
        "action input", "tool input", "tool arguments", "tool args", "input", "arguments", "args",
        "parameters", "행동 입력", "액션 입력", "도구 입력", "입력값", "입력", "인자", "인수", "매개변수", "파라미터",
    ),
    "action": ("action", "행동", "액션", "동작"),
    "tool": (
        "tool name", "tool call", "function call", "tool", "도구 이름", "도구명", "사용 도구", "사용할 도구",
        "도구 호출", "함수 호출", "도구", "함수",
    ),
    "thought": ("thoughts", "thought", "thinking", "생각", "사고", "추론"),
    "observation": ("observation", "tool result", "관찰 결과", "관찰", "관측"),
    "final": ("final answer", "final response", "최종 답변", "최종 응답", "최종 답"),
    "answer": ("answer", "답변", "응답"),
    "closing": ("결론", "결과"),
    "delegate": ("delegate to", "delegate", "위임"),
    "task": ("task", "작업", "과제"),
}  # fmt: skip


def tree(words: Iterable[str], char: Callable[[str], str] = re.escape) -> str:
    """A pattern for any of the words, the longest first. char: the pattern for one character."""
    branches: dict[str, list[str]] = {}
    ends = False
    for word in words:
        if word:
            branches.setdefault(word[0], []).append(word[1:])
        else:
            ends = True
    if not branches:
        return ""
    parts = [char(first) + tree(rest, char) for first, rest in sorted(branches.items())]
    body = parts[0] if len(parts) == 1 and not ends else f"(?:{'|'.join(parts)})"
    return f"{body}?" if ends else body


def _folded(char: str) -> str:
    """A pattern for a character in any case and width; a space may be missing or an underscore."""
    if char == " ":
        return r"[ \t_]*"
    if not char.isascii():
        return char
    return f"[{char}{char.upper()}{chr(ord(char) + 0xFEE0)}{chr(ord(char.upper()) + 0xFEE0)}]"


_KINDS = {word.replace(" ", ""): kind for kind, words in _WORDS.items() for word in words}
_ALL = tree((word for words in _WORDS.values() for word in words), _folded)
_FIRST = "".join(sorted({_folded(word[0]).strip("[]") for word in _KINDS}))
LABEL = (
    r"[ \t\u3000]*+(?P<bullet>(?:[-*•·+‣▪]|#{1,6}|\d{1,2}[.)]|\(\d{1,2}\))[ \t]*+)?[*_`]{0,3}[\[【<「]?"
    rf"(?=[{_FIRST}])(?P<label>{_ALL})[ \t]*+\d{{0,2}}[\]】>」]?[ \t]*+(?P<close>[*_`]{{0,3}})[ \t]*+"
    r"(?:(?P<colon>[:：])(?:[*_]{1,3}(?=\s|\Z))?[ \t]*|(?=\n))"
)
"""A label at a line's start, from behind the newline; groups `label`, `bullet`, `close` and `colon`.

Without a colon it may be none: `Label.no_label`."""
_BEGINS = frozenset(_FIRST + "-*•·+‣▪#(_`[【<「")
_INLINE_INPUT = later(
    rf"(?:[,;][ \t]*+)?[*_`]{{0,3}}{tree(['action input'], _folded)}[*_`]{{0,3}}[ \t]*+[:：][*_]{{0,3}}"
)
_INLINE_ACTION = later(
    rf"{tree(['action'], _folded)}[*_`]{{0,3}}[ \t]*[:：][*_`\"' \t]{{0,4}}([\w.\-/]{{1,100}})[*_`\"' \t.]*$"
)
_STRIP = later(r"[\s_*`#\[\]【】<>「」\-•·+‣▪().0-9\u3000]+")
_NOTE = later(r"[(（][^()（）]*[)）]")
_BRACKET = later(r"\w[`*\"']*\((?!\s*\))")
_NAME = later(r"[^\s`*\"'“”‘’\[\](){}（）:：,<>]+")
_LONGEST_LABEL = 48
"""Characters, decoration and numbers among them."""
_TEXTBOOK = {"thought", "action", "actioninput", "finalanswer", "observation", "delegate", "task"}
_COMMON = {"thought", "생각"}
_NOT_A_TOOL = {"none", "n/a", "na", "no", "noaction", "notool", "없음", "필요없음", "null"}
_FINAL = {"finalanswer", "최종답변", "finish", "final"}
VARIANT = "a label written another way"
_PLAIN = "plain text as input"
_BRACE = later(r"[`*\"'\[]{0,3}([^\s`*\"'\[\](){}（）:：,<>]{1,100})[`*\"'\]]{0,3}[ \t]*+:?[ \t]*+(?=[{｛])")
_FENCE = later(r"(?:```|~~~)[ \t]*[\w+-]*[ \t]*\n?")
_FENCE_END = later(r"\s*```")
_GOES_ON = frozenset(",:{[\"'")
"""What follows arguments begins with none of these."""
_STRAY = later(r"[ \t]*[}\])`]+(?=\s|$)")


@lru_cache(1)
def labelled() -> re.Pattern[str]:
    """Of a line that begins with a label; compiled when one is first looked for, which takes 8 ms."""
    return re.compile("\n" + LABEL)


class Label(NamedTuple):
    kind: str
    """`action`, `input`, `thought`, …"""
    plain: bool
    """Written as in the textbook: `Action:` at the line's very start."""
    bullet: bool
    common: bool
    """A word that begins a line only as this label: `Thought`, not `Thinking`."""
    no_label: bool
    """It has no colon after all: only bold words and headings stand alone on a line."""


@lru_cache(maxsize=1024)
def label_of(written: str) -> Label:
    """The label that a match of `labelled` found."""
    match = labelled().match(f"{written}\n")
    assert match is not None
    label, close, colon, bullet = match.group("label", "close", "colon", "bullet")
    word = re.sub(r"[ \t_]", "", normalize("NFKC", label).casefold())
    kind = _KINDS[word]
    plain = word in _TEXTBOOK and re.fullmatch(r"\s*[A-Z][A-Za-z ]*:\s*", written) is not None
    alone = (
        ((bullet or "").startswith("#") or "**" in close)
        and kind not in ("answer", "closing", "tool", "task")
        and word not in ("input", "args", "thinking")
    )
    return Label(kind, plain, bool(bullet), word in _COMMON, colon is None and not alone)


def may_become_label(line: str) -> bool:
    """Whether a line whose end has not come yet may still turn out to begin with a label."""
    if len(line) > _LONGEST_LABEL:
        return False
    core = normalize("NFKC", _STRIP.sub("", line)).casefold()
    return any(word.startswith(core) or core == word for word in _KINDS)


@lru_cache(maxsize=1024)
def no_tool(name: str) -> str:
    """`final` where an action's name says that the answer follows, `none` where nothing is to be done; else empty."""
    if _STRIP.sub("", name).casefold() in _FINAL:
        return "final"
    return "none" * (_STRIP.sub("", re.split("[(（]", name, maxsplit=1)[0]).casefold() in _NOT_A_TOOL)


def read_action(src: Source, label: Label, at: int, written: str, *, doubtful: bool) -> Found | None:
    """The action whose label's line goes on with `written` at `at`.

    doubtful: nothing so far says that the reply is made of labels, so an unknown name needs an input label beside it.
    """
    repairs = [] if label.plain else [VARIANT]
    char = src.text[at : at + 1]
    if char in ("{", "[", "`"):
        fence = src.match(_FENCE, at, reach=32)
        wrapped = src.json(src.space(fence.end()) if fence else at)
        calls = as_calls(wrapped.value) if wrapped else []
        if wrapped and calls:
            end = _after(src, wrapped.end)
            if (answer := final_answer(calls[0], src)) is not None:
                return Found(end, text=answer, answer=True)
            for each in calls:
                each.repairs += [*repairs, *wrapped.repairs, "a call in place of a name"]
                each.certain = True
                src.name(each.name)
            return Found(end, calls)
    end = at + len(written)
    called = read_call(src, at) if "(" in written else None
    if called is not None and (called[0].name if doubtful else src.tools.resolve(called[0].name)[0]) in src.tools:
        call, end = called
        call.name = src.name(call.name)
        call.repairs += repairs
        return Found(_after(src, end), [call], repairs=repairs)
    beside = _BRACE.match(src.text, at) if "{" in written or "｛" in written else None
    if beside is not None and (not doubtful or src.tools.has(beside.group(1))):
        src.name(beside.group(1))
        return _input(src, beside.group(1), beside.end(), [*repairs, "input beside the name"], labelled=False)
    inline = _INLINE_INPUT.search(written) if ":" in written or "：" in written else None
    if inline:
        written, end = written[: inline.start()], at + inline.end()
        repairs.append("labels on one line")
    given = end if inline else input_at(src, end, repairs, "task" if label.kind == "delegate" else "input")
    if doubtful and given is None and not src.tools.mentions.search(written):
        return None
    name, rest = _split(src, written)
    if not name:
        return None
    known = src.tools.has(name)
    start = src.space(given) if given is not None and doubtful else len(src.text)
    spoken_of = doubtful and src.text[start : start + 1] not in ("{", "｛", "`")
    spoken_of = spoken_of and not ((src.tools.any or label.kind == "delegate") and label.plain and given is not None)
    if not known and (label.kind == "tool" or no_tool(name) == "none" or len(name) > 64 or spoken_of):
        return None
    if known or not doubtful or given is not None:
        src.name(name)
    if name != written.strip():
        repairs.append("a decorated name")
    around = "" if rest or name == written.strip() else _STRIP.sub("", _NOTE.sub("", written).replace(name, "", 1))
    if known and around and doubtful and (given is None or spoken_of):
        return None  # a sentence about the tool
    if given is None:
        if rest:
            return Found(end, [Call(name, rest, [*repairs, "input beside the name"])])
        found = _input(src, name, end, repairs, labelled=False)
        # What stands in brackets at the name is no note, but arguments that nobody could read.
        if known and (around or _BRACKET.search(written)) and not found.calls[0].unread:
            found.calls[0].unread = written
        # A list of tools with their descriptions is no row of calls.
        return None if label.kind == "tool" and found.calls[0].unread else found
    found = _input(src, name, given, repairs, labelled=True)
    if label.kind == "delegate" and isinstance(found.calls[0].args, str):
        found.calls[0].args = {"task": found.calls[0].args}
        found.calls[0].repairs.remove(_PLAIN)
    return found


def _split(src: Source, written: str) -> tuple[str, str]:
    """The name on an action's line and what is given beside it (`Search[query]`, `name: text`)."""
    written = written.strip()
    if src.tools.has(written):
        return written, ""
    match = _NAME.search(written)
    if match is None:
        return "", ""
    name = match.group()
    after = written[match.end() :].strip("`*\"' \t")
    if not (src.tools.any or src.tools.has(name)):
        # A name of several words, or words around the name.
        words = [word for word in _NAME.findall(written) if word in src.tools.schemas]
        return (words[0], "") if len(set(words)) == 1 else (name if not after.strip("])}.") else written, "")
    if after[:1] == "[" and after[-1:] == "]":
        return name, after[1:-1].strip()
    return name, ""


def input_at(src: Source, at: int, repairs: list[str], kind: str = "input") -> int | None:
    """Where the input begins when its label, of `kind`, comes next, else None. Notes a label written another way."""
    start = src.space(at)
    begins = src.text[start : start + 1] in _BEGINS or src.text[start : start + 1].isdecimal()
    line = src.text.rfind("\n", at, start) if begins else -1
    if line < 0:
        return None
    match = src.match(labelled(), line, reach=64)
    label = label_of(match.group()) if match else None
    if match is None or label is None or label.kind != kind or label.no_label:
        return None
    if not label.plain and VARIANT not in repairs:
        repairs.append(VARIANT)
    return match.end()


def _input(src: Source, name: str, at: int, repairs: list[str], *, labelled: bool) -> Found:
    """The call with the input that begins at `at`."""
    start = src.space(at)
    fence = src.match(_FENCE, start, reach=32)
    body = src.space(fence.end()) if fence else start
    char = src.text[body : body + 1]
    if char and char in "{｛[":
        found = src.json(body)
        if found is not None:
            mended = [*repairs, *found.repairs]
            if fence:
                mended.append("a fence around the input")
            end = _after(src, found.end)
            if "}" in src.text[found.end : end]:
                mended.append("a bracket too many")
            args = found.value if isinstance(found.value, dict) else src.text[body : found.end]
            if isinstance(args, dict) and not labelled:
                mended.append("a missing label")
            more = src.space(end)
            left = src.text[more : next_label(src, end)] if src.text[more : more + 1] in _GOES_ON else ""
            return Found(end, [Call(name, args, mended, unread=left)], repairs=mended)
    end = next_label(src, at)
    if not labelled:
        left = src.text[start:end].strip()
        last = len(src.text) - start <= _LONGEST_LABEL and may_become_label(src.text[start:])
        call = Call(name, None, [*repairs, "a missing input"], to_the_end=last, unread="" if last else left)
        return Found(at, [call], repairs=repairs)
    text = src.text[body:end].strip()
    if fence:
        text = text.removesuffix("```").strip()
    if len(text) > 1 and text[0] + text[-1] in ('""', "''", "``", "“”") and text[0] not in text[1:-1]:
        text = text[1:-1]
    last = end == len(src.text)
    if not text or text.casefold() in ("none", "n/a", "null", "없음", "{}"):
        return Found(end, [Call(name, None, [*repairs, "a missing input"], to_the_end=last)], repairs=repairs)
    return Found(end, [Call(name, text, [*repairs, _PLAIN], to_the_end=last)], repairs=repairs)


def next_label(src: Source, at: int) -> int:
    """Where the next label's line begins after `at`, else the end of the text."""
    while match := src.search(labelled(), at):
        label = label_of(match.group())
        if label.kind != "input" and not label.no_label:
            return match.start()
        at = match.end()
    return len(src.text)


def _after(src: Source, at: int) -> int:
    """Past what is left of a fence or of brackets too many after a call."""
    for pattern in (_STRAY, _FENCE_END, _STRAY):
        match = src.match(pattern, at, reach=8)
        if match:
            at = match.end()
    return at


def read_input(src: Source, at: int, line: str) -> Found | None:
    """The action whose name stands at the end of a thought's line, before the line of its input."""
    named = _INLINE_ACTION.search(line)
    if named is None or not src.tools.has(named.group(1)):
        return None
    src.name(named.group(1))
    return _input(src, named.group(1), at, ["labels on one line"], labelled=True)
