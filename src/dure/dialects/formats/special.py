"""What no mechanism fits: formats of special tokens, each with functions of its own; code fences and inline code."""

from dure.dialects.formats import react
from dure.dialects.formats.base import K3_THOUGHT, BrokenOff, Call, Format, Found, Region, Source
from dure.dialects.formats.json_call import past, read_bare, read_block
from dure.dialects.formats.pythonic import read_lines
from dure.dialects.formats.tagged import Elements, Form, Json, tagged
from dure.dialects.lenient import More
from dure.patterns import later

# -- Kimi K3: a reply is a sequence of elements, `think`, `response` (the answer) and `tools` -------------------------

_ELEMENT = later(r"<\|(open|close)\|>\s*(\w+)[^<]{0,300}<\|sep\|>")
_THINK = Region("reasoning", (K3_THOUGHT,))


def kimi_element(src: Source, at: int, marker: str) -> Found | None:
    """A tag of Kimi K3 that begins no call."""
    tag = src.match(_ELEMENT, at, reach=340)
    if tag is None:
        if src.starts("<|open|>call", at):
            raise BrokenOff("?")
        return Found(len(src.text), unfinished="?" if "call" in src.text[at:] else "") if src.broken_off(at) else None
    if tag.group(2) != "think":
        return Found(tag.end())
    return Found(tag.end(), enter=_THINK) if tag.group(1) == "open" else Found(tag.end(), ends_reasoning=True)


# -- Inkling: a header names the tool once more ------------------------------------------------------------------------

_INKLING = later(r"(?:<\|message_model\|>[^<\n]{0,128})?<\|content_invoke_tool_json\|>\s*")


def inkling(src: Source, at: int, marker: str) -> Found | None:
    """`<|message_model|>N<|content_invoke_tool_json|>{"name": N, "args": {…}}`; another message's head is dropped."""
    head = src.match(_INKLING, at, reach=180)
    if head is None:
        return Found(at + len(marker))
    return past(src, read_block(src, head.end(), closed=False), "<|end_message|>")


# -- DeepSeek V3, R1 and V3.1: R1 often leaves out the outer tokens ---------------------------------------------------

_BAR = "[｜|]"
_US = r"(?:▁|_|\\_| )"
DEEPSEEK_SECTION = rf"<{_BAR}tool{_US}calls(?:{_US}begin)?{_BAR}>\s*"
DEEPSEEK_CALL = rf"\s*+<{_BAR}tool{_US}call{_US}begin{_BAR}>\s*+"
DEEPSEEK_SEP = rf"<{_BAR}tool{_US}sep{_BAR}>[ \t]*"
DEEPSEEK_END = rf"\s*<{_BAR}tool{_US}call{_US}end{_BAR}>"
DEEPSEEK_SECTION_END = rf"\s*<{_BAR}tool{_US}calls{_US}end{_BAR}>"
DEEPSEEK_HEAD = (
    rf"(?P<first>[^<>\n]{{0,200}}?)\s*{DEEPSEEK_SEP}"
    r"(?:(?=[{`\n])|(?P<name>[^\n`{<]{1,200}?)\s*(?:\n|(?=```|\{)|$))\s*(?:```[a-z]*\s*)?"
)
_SECTION = later(DEEPSEEK_SECTION)
_SECTION_END = later(DEEPSEEK_SECTION_END)
DEEPSEEK_MARKERS = tuple(
    f"<{bar}tool{us}{what}{bar}>"
    for bar in "｜|"
    for us in ("▁", "_", "\\_", " ")
    for what in (f"calls{us}begin", f"call{us}begin", "calls")
    # Plain bars and underscores are Kimi's and Solar's, but for the section's beginning.
    if bar == "｜" or us != "_" or what == f"calls{us}begin"
)
DEEPSEEK_ENDS = tuple(f"<{bar}tool{us}calls{us}end{bar}>" for bar in "｜|" for us in ("▁", "_", "\\_", " "))


def deepseek_section(src: Source, at: int, marker: str) -> Found | None:
    """A section of which no call was read: nothing of it is for the reader, and it has to be written again."""
    section = src.match(_SECTION, at, reach=40)
    if section is None:
        return None
    ending = src.search(_SECTION_END, section.end())
    inner = src.text[section.end() : ending.start() if ending else None]
    return Found(ending.end() if ending else len(src.text), unfinished="?" if inner.strip() or not ending else "")


# -- Mistral: an array of JSON calls (tokenizer v3), or `name[ARGS]{…}` for each call (v11, v13) ----------------------

_NAME = r"[A-Za-z_가-힣][^\s\[\]{}<>\"]{0,127}"
_ALONE = later(r"\s*([A-Za-z_][\w.\-/]{0,127})\s*(?:\[ARGS\]|$)")
MISTRAL = tagged(
    "mistral",
    ("[TOOL_CALLS]",),
    Form(
        rf"\s*+(?P<name>{_NAME})\s*+(?:\[CALL_ID\]\s*+[\w-]{{1,64}}\s*+)?(?:\[ARGS\])?\s*+(?=\{{)",
        Json(r"[}\]]*(?:</s>)?", sure=False),
    ),
    opening=r"(?:\[TOOL_CALLS\])?",
    more=rf"\s*+(?:,\s*+)?(?:\[TOOL_CALLS\]\s*+)?(?={_NAME}\s*+(?:\[ARGS\]|\[CALL_ID\]|\{{))",
)
"""`name[CALL_ID]id[ARGS]{…}` and `name{…}` occur as well, and all of them where the server strips the token."""


def mistral_rest(src: Source, at: int, marker: str) -> Found:
    """The token before anything else: a name cut short or without arguments that could be read, or text."""
    alone = src.match(_ALONE, at + len(marker), reach=160)
    if alone is not None:
        raise BrokenOff(alone.group(1))
    return Found(at + len(marker))


# -- the head of a turn, where a server leaks it ----------------------------------------------------------------------

_TURN = later(r"<\|[a-z_]+\|?>[ \t]*(?:assistant|model)?(?:<\|(?:end_header_id|header_end|end_of_role)\|>)?\n*")


def turn(src: Source, at: int, marker: str) -> Found | None:
    """Tokens and the role's name, which are never for the reader."""
    match = src.match(_TURN, at, reach=60)
    return Found(match.end()) if match else None


_END = r"<\|(?:end|call|return)\|>"
_HEADER = later(rf"(?:(?!<\|message\|>|{_END})[^\n]){{0,400}}")
_MESSAGE = "<|message|>"
_CHANNEL = later(r"<\|channel\|>\s*([A-Za-z_]+)")
_RECIPIENT = later(r"to=([^\s<>=]{1,200})")
_FUNCTION = later(r"to=(functions\.[^\s<>=]{1,200})")
_STOP = later(rf"{_END}|<\|eo[tm]\|>")
_BODY_END = later(rf"[\s}}]*(?:{_END})?")
_IN_TAGS = later(r"<(?:\w{1,16}:)?(?:function_calls|invoke)[\s>]")
"""Muse writes its calls in tags (`invoke`); the header repeats the name. `to=self` is its reasoning."""
_PEOPLE = ("self", "user", "assistant")
_IN_PARAMETERS = later(r"<(\w{1,16}:)parameter\s")
_PARAMETERS = Elements(r"<~parameter\s+name=\"(?P<key>[^\"<>\n]{1,200})\">", "</~parameter>", _STOP.pattern)
"""Beam's arguments, in `<rfl:parameter name="K">V</rfl:parameter>` (its makers' response template)."""
_TOKENS = ("<|end|>", "<|return|>", "<|call|>", "<|message|>", "<|constrain|>")
_STRIPPED_NEXT = ("assistantfinal", "assistantcommentary", "assistantanalysis")
_CLOSERS = ("<|end|>", "<|return|>", "<|eom|>", "<|eot|>", "<|start|>assistant")
_KEEP = frozenset({"<|start|>assistant", *_STRIPPED_NEXT})
_REASONING = Region("reasoning", _CLOSERS, _KEEP)
_ANSWER = Region("text", (*_CLOSERS, "<|call|>"), _KEEP)
_DROPPED = Region("drop", (*_CLOSERS, "<|call|>"), _KEEP)
_REGIONS = {"analysis": _REASONING, "final": _ANSWER, "commentary": _ANSWER, "": _ANSWER}
_PLAIN_REASONING = Region("reasoning", _STRIPPED_NEXT, _KEEP)
_PLAIN_ANSWER = Region("text", _STRIPPED_NEXT, _KEEP)
_CHANNELS = "|".join(filter(None, _REGIONS))
_STRIPPED_CALL = later(
    rf"\s*+(?:assistant)?(?:{_CHANNELS})?\s*+to=(?:functions\.)?([\w.\-/]{{1,128}}?)\s*+"
    rf"(?:{_CHANNELS})?\s*+(?:<\|constrain\|>)?\s*+(?:json|code)?\s*+(?:<\|message\|>)?\s*+(?=\{{)"
)
_STRIPPED = later(rf"\s*(?:assistant)?({_CHANNELS})")
_CONSTRAIN = later(r"<\|constrain\|>\s*\w*")


def _harmony(src: Source, at: int, marker: str) -> Found | None:
    text = src.text
    if marker in _TOKENS:
        constrain = src.match(_CONSTRAIN, at, reach=16)
        return Found(constrain.end() if constrain else at + len(marker))
    ahead = text[at : at + 200]
    named = marker in ("\nto=", "\n to=") and _MESSAGE in ahead
    if not ahead.startswith("<|") and "<|channel|>" not in ahead and not named:
        if not src.final and len(ahead) < 200:
            raise More
        return _stripped(src, at)
    if text[at] == "\n":
        at += 1
    header = src.match(_HEADER, at, reach=400)
    assert header is not None
    end = header.end()
    last = next(reversed(list(_CHANNEL.finditer(header.group()))), None)
    recipient = _FUNCTION.search(header.group()) or _RECIPIENT.search(header.group(), last.start() if last else 0)
    recipient = recipient or _RECIPIENT.search(header.group().split("<|channel|>", 1)[0])
    if not src.starts(_MESSAGE, end):
        # Garbage, dropped up to the next message; a final one is an answer all the same.
        if last is not None and last.group(1) == "final":
            return Found(at + last.end(), enter=_ANSWER)
        unfinished = recipient.group(1).removeprefix("functions.") if recipient and end == len(text) else ""
        return Found(end, enter=_DROPPED, unfinished=unfinished)
    body = end + len(_MESSAGE)
    if recipient is not None:
        call = _call(src, recipient.group(1), body)
        if call is not None:
            return call
        if recipient.group(1) == "self":
            return Found(body, enter=_REASONING)
    return Found(body, enter=_REGIONS.get(last.group(1) if last else "", _DROPPED))


def _call(src: Source, recipient: str, at: int) -> Found | None:
    name = recipient.removeprefix("functions.")
    if recipient in _PEOPLE and not src.tools.has(name):
        return None
    start = src.space(at)
    if src.text.startswith("<", start) and src.match(_IN_TAGS, start, reach=40):
        return Found(start)
    src.name(name)
    if src.text.startswith("<", start) and (tag := src.match(_IN_PARAMETERS, start, reach=40)):
        read, behind = _PARAMETERS.read(src, start, name, tag.group(1))
        return Found(behind, [read])
    found = src.json(start, name)
    if found is not None:
        end = src.match(_BODY_END, found.end, reach=16)
        return Found(end.end() if end else found.end, [Call(name, found.value, list(found.repairs))])
    stop = src.search(_STOP, start)
    text = src.text[start : stop.start() if stop else None].strip()
    call = Call(name, text or None, ["plain text as input"] if text else [])
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


_HEADERS = ("<|start|>assistant", "<|channel|>", "\nanalysis", "\ncommentary to=", "\nto=", "\n to=")
HARMONY = Format("harmony", (*_HEADERS, *_TOKENS, *_STRIPPED_NEXT), _harmony)


# -- code: what a fence holds is part of an answer, unless it is nothing but a call ----------------------------------

SPAN = 4000
"""A code span within a line is not longer than this."""

_REACH = 300
"""No head of a fence is longer than this, so that a growing text is read as the whole one is."""
_FENCE = later(r"(?:`{3,9}+|~{3,9}+)[ \t]{0,9}+([\w+.:-]{0,80}+)[^\n`]{0,200}+\n")
XML_HEAD = later(r"```(?i:xml)[ \t]{0,3}\n")
_FENCE_END = later(r"\s*(?:```+|~~~+)")
_INFO = {"tool_code", "tool_call", "tool_calls", "tool_use", "tool", "function_call", "functioncall", "action"}
_CODE = {"", "python", "py", "json", "text", "plaintext"}
_FENCED = {char: Region("text", (f"\n{char * 3}",), shown=True) for char in "`~"}


def read_fence(
    src: Source, at: int, ticks: int, formats: tuple[Format, ...], mode: str, *, blank: bool
) -> Found | None:
    """The fence that opens with the backticks at `ticks`, on the line that the newline at `at` begins.

    Calls in any of `formats` where it holds only them, else a region of text; None where none opens. mode: what is read
    now, such as a thought or the final answer. blank: nothing for the reader came before.
    """
    head = src.match(_FENCE, ticks, reach=_REACH)
    if head is None:
        return None
    info = head.group(1).casefold()
    body = src.space(head.end())
    # No model writes its calls between tildes.
    if mode != "answer" and src.text[ticks] == "`":
        found = _fenced_calls(src, body, formats, info, blank)
        if found is not None:
            return found
        if blank or mode == "thought":
            line = src.text.rfind("\n", 0, body)
            if src.match(react.labelled(), line, reach=64) is not None:
                return Found(line)
    return Found(head.end() - 1, text=src.text[at : head.end() - 1], enter=_FENCED[src.text[ticks]])


def _fenced_calls(src: Source, body: int, formats: tuple[Format, ...], info: str, blank: bool) -> Found | None:
    char = src.text[body : body + 1]
    if not char:
        return None
    found: Found | None = None
    if char in "{[｛":
        found = read_bare(src, body)
    if found is None and char == "<" and (blank or info in _INFO):
        here = ((each, mark) for each in formats for mark in each.markers if src.text.startswith(mark, body))
        tried = (each.read(src, body, mark) for each, mark in here if len(mark) > 1)
        found = next((each for each in tried if each and each.calls), None)
    if found is None and (info in _INFO or (info in _CODE and blank)):
        found = read_lines(src, body, fenced=True, known=info not in _INFO)
    if found is None or not (found.calls or found.unfinished or found.answer):
        return None
    close = src.match(_FENCE_END, found.end, reach=64)
    if close is not None:
        found.end = close.end()
    elif found.end < len(src.text) and src.text[found.end :].strip():
        return None
    found.last = info not in _INFO and not found.answer
    return found


def in_code(src: Source, at: int, line: str) -> bool:
    """Whether `at` lies in a code span of its line, of which `line` is what stands before."""
    if "`" not in line or line.replace("```", "").count("`") % 2 == 0:
        return False
    end = src.text.find("\n", at, at + SPAN)
    if end < 0 and len(src.text) < at + SPAN and not src.final and src.text.find("`", at) < 0:
        raise More
    return src.text.find("`", at, end if end >= 0 else at + SPAN) >= 0
