"""Formats of special tokens that no mechanism fits, each with a function of its own."""

import re

from dure.dialects.formats.base import Found, Region
from dure.dialects.formats.blocks import past, read_block
from dure.dialects.formats.tagged import Form, Json, tagged
from dure.dialects.source import BrokenOff, Source

# -- Kimi K3: a reply is a sequence of elements, `think`, `response` (the answer) and `tools` -------------------------

_ELEMENT = re.compile(r"<\|(open|close)\|>\s*(\w+)[^<]{0,300}<\|sep\|>")
_THINK = Region("reasoning", ("<|close|>think<|sep|>",))


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

_INKLING = re.compile(r"(?:<\|message_model\|>[^<\n]{0,128})?<\|content_invoke_tool_json\|>\s*")


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
_SECTION = re.compile(DEEPSEEK_SECTION)
_SECTION_END = re.compile(DEEPSEEK_SECTION_END)
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
    """A section that holds no call: nothing of it is for the reader."""
    section = src.match(_SECTION, at, reach=40)
    if section is None:
        return None
    ending = src.search(_SECTION_END, section.end())
    return Found(ending.end() if ending else len(src.text), unfinished="" if ending else "?")


# -- Mistral: an array of JSON calls (tokenizer v3), or `name[ARGS]{…}` for each call (v11, v13) ----------------------

_NAME = r"[A-Za-z_가-힣][^\s\[\]{}<>\"]{0,127}"
_ALONE = re.compile(r"\s*([A-Za-z_][\w.\-/]{0,127})\s*(?:\[ARGS\]\s*)?$")
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
    """The token before anything else: a name cut short, or text."""
    alone = src.match(_ALONE, at + len(marker), reach=160)
    if alone is not None:
        raise BrokenOff(alone.group(1))
    return Found(at + len(marker))


# -- the head of a turn, where a server leaks it ----------------------------------------------------------------------

_TURN = re.compile(r"<\|[a-z_]+\|?>[ \t]*(?:assistant|model)?(?:<\|(?:end_header_id|header_end|end_of_role)\|>)?\n*")


def turn(src: Source, at: int, marker: str) -> Found | None:
    """Tokens and the role's name, which are never for the reader."""
    match = src.match(_TURN, at, reach=60)
    return Found(match.end()) if match else None
