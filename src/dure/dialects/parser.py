"""Calls out of a model's text, whichever model wrote it."""

import re
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import uuid4

from dure.dialects.base import Reply, ToolDict
from dure.dialects.formats import react
from dure.dialects.formats.base import PREFILLED, Call
from dure.dialects.json_scan import as_object, look
from dure.dialects.labels import Gathered
from dure.dialects.lenient import NO_END, TWICE
from dure.dialects.offered import Offered
from dure.dialects.quotations import NOTHING, Heard
from dure.dialects.scan import Reading
from dure.messages import ToolCall
from dure.tooling import Tool

_LONGEST_NAME = 128
_REACH = 20_000
"""Characters of a reply that are looked at, the last."""
_TAG = r"<[^<>{}\n]{1,80}>|\[/?[A-Z_]{3,30}\]"
_ENDS = re.compile(_TAG)
_ASSIGNS = re.compile(rf"(?:[\"']?\s*(?:[=:] ?|[>|]|{_TAG}))+")


class ToolCallParser:
    """Reads calls in any of the formats that models write.

    tools: OpenAI tool dicts, Dure's or LangChain's tools. None: any name is known.
    repair: off, a malformed call comes back with an error in place of arguments. heard: what the model had read, such
    as messages, documents and results: calls that stand in it are text, and those amid text come back with an error.
    """

    def __init__(
        self, tools: Sequence[Any] | None, *, repair: bool = True, heard: Iterable[str | None] | None = None
    ) -> None:
        self.heard = NOTHING if heard is None else Heard(heard)
        self.offered = Offered(None if tools is None else [tool_dict(each) for each in tools])
        self.repair = repair

    def parse(self, text: str) -> Reply:
        """Read a whole reply, all reasoning as `thought`. Never raises, whatever the text; linear in its length."""
        reply = read_reply(text, self.offered, repair=self.repair, heard=self.heard)
        reply.thought = "\n".join(part for part in (reply.reasoning, reply.thought) if part)
        return reply


def tool_dict(tool: Any) -> ToolDict:
    """A tool of any kind in OpenAI's shape. Raises TypeError for what is no tool."""
    if isinstance(tool, dict):
        return tool
    if isinstance(tool, Tool):
        return tool.as_openai()
    if not hasattr(tool, "invoke"):
        raise TypeError(f"{type(tool).__name__} is no tool")
    from langchain_core.utils.function_calling import convert_to_openai_tool

    return convert_to_openai_tool(tool)


def read_reply(
    text: str,
    offered: Offered,
    *,
    repair: bool = True,
    cut_off: bool = False,
    prefilled: bool = False,
    heard: Heard = NOTHING,
) -> Reply:
    """A whole reply, read.

    cut_off: it ended at the length limit, so that a call without its end must not run. prefilled: it may have begun
    inside reasoning; a reply that never ends it is reasoning where it was cut off or ends in a call, else the answer.
    heard: what the model had read.
    """
    whole = Gathered()
    reading = Reading(offered, whole, within=PREFILLED if prefilled else None, heard=heard)
    reading.read(text)
    if reading.region is not None and reading.region.kind == "reasoning" and not reading.calls:
        # A reply that never ends its reasoning but ends in a call: the model stopped to wait for the result.
        within = Reading(offered, Gathered(), heard=heard)
        within.read(reading.src.text[reading.region_start :])
        if within.calls and within.quiet and all(call.certain for call in within.calls):
            reading.calls = within.calls
            reading.repairs += [*within.repairs, "reasoning without its end"]
            whole.reasoning = [*within.sink.reasoning, *within.sink.thought, *within.sink.content]
        elif prefilled and not cut_off:
            return read_reply(text, offered, repair=repair, heard=heard)
    reading.quotations.end(reading.calls, whole.content, quiet=reading.quiet, unfinished=bool(reading.unfinished))
    calls = [settle(call, offered, repair=repair, cut_off=cut_off) for call in reading.calls]
    content, thought = "".join(whole.content).strip(), "".join(whole.thought).strip()
    final: str | None = None
    if not calls:
        if thought and whole.answer_at is None and not reading.unfinished:
            # Labelled as a thought, but all there is: the reader should have it.
            content, thought = "\n\n".join(part for part in (content, thought) if part), ""
        elif whole.answer_at is not None:
            final = "".join(whole.content[whole.answer_at :]).strip()
            label = react.labelled().match(f"\n{final}") if whole.weak else None
            if label and react.label_of(label.group()).kind == "answer":
                final = final[label.end() - 1 :].lstrip()
        final = None if reading.unfinished else final or content or None
    said = text if any(call.unread for call in reading.calls) and not whole.reasoning else "" if calls else content
    known = whole.answer_at is not None or reading.addressed or reading.quotations.told or reading.unfinished
    tried = None if known else anchored(said, offered)
    # What a format took out of it was read as something else.
    written = said[tried[1] :] if tried else ""
    held = tried and (heard.says(written) or any(heard.holds(call.name, call.args) for call in tried[0]))
    if tried and written in text and not held:
        reading.calls = tried[0]
        content, final, thought = said[: tried[1]].strip(), None, ""
        calls = [settle(call, offered, repair=repair, cut_off=cut_off) for call in reading.calls]
    unfinished = reading.unfinished and offered.resolve(reading.unfinished)[0]
    repairs = [*reading.repairs, *(note for call in reading.calls for note in call.repairs)]
    return Reply(
        content=content,
        tool_calls=calls,
        final_answer=final,
        thought=thought,
        reasoning="".join(whole.reasoning).strip(),
        quotations=reading.quotations.told,
        repairs=list(dict.fromkeys(repairs)) if repair else [],
        prefilled=whole.was_reasoning or prefilled,
        unfinished=unfinished if unfinished in offered and len(unfinished) <= _LONGEST_NAME else "?" * bool(unfinished),
    )


def settle(call: Call, offered: Offered, *, repair: bool = True, cut_off: bool = False) -> ToolCall:
    """The call as it may run, or with the error that goes back to the model. Notes what it mends in `call.repairs`."""
    name, mended = offered.resolve(call.name)
    if mended:
        call.repairs.append(mended)
    made = ToolCall(name=name, args={}, id=f"call_{uuid4().hex[:16]}", reader=call.reader)
    if unread := call.unread or TWICE * (TWICE in call.repairs):
        unread = " ".join(unread.split())[:200]
        # The name behind the rest: the call, once written again, must not be taken for a quotation of this sentence.
        made.error = f"Not understood: {unread} — in the call of '{name}'. Write the whole call again."
        return made
    if name not in offered:
        made.args = call.args if isinstance(call.args, dict) else {}
        made.error = f"There is no tool named '{name[:100]}'."
        if near := offered.nearest(name):
            made.error += f" Did you mean '{near}'? The tools are: {', '.join([*offered.schemas][:30])}."
        return made
    given: Any = call.args.strip() if isinstance(call.args, str) else call.args
    args, notes = given, list[str]()
    if given and isinstance(given, str):
        plain = ["plain text as input"]
        args, notes = as_object(given) or (offered.pairs(name, given) or offered.plain(name, given), plain)
    if given and not isinstance(args, dict):
        keys = ", ".join(f'"{key}": …' for key in [*offered.properties(name)][:3] or ["name"])
        made.error = f"The arguments of '{name}' must be a JSON object, such as {{{keys}}}."
        return made
    call.repairs += notes
    made.args = args or {}
    properties = offered.properties(name).keys()
    if len(made.args) == 1 and not made.args.keys() & properties:
        [inner] = made.args.values()
        read = as_object(inner) if isinstance(inner, str) else (inner, [])
        if read and read[0] and isinstance(read[0], dict) and read[0].keys() <= properties:
            made.args = read[0]
            call.repairs.append("arguments in one more argument")
    if call.refused:
        made.error = f"The call of '{name}' {call.refused}."
    elif cut_off and (call.to_the_end or NO_END in call.repairs):
        made.error = f"The call of '{name}' was cut off at the length limit. Write it again, shorter."
    elif NO_END in call.repairs and call.reader != "react":
        made.error = f"The arguments of '{name}' are not closed: some may be missing. Write the whole call again."
    elif call.repairs and not repair:
        mends = "; ".join(dict.fromkeys(call.repairs))
        made.error = f"The call of '{name}' is malformed ({mends}). Write it again as the format asks."
    return made


def anchored(text: str, tools: Offered) -> tuple[list[Call], int] | None:
    """Calls at the end of a reply in a format that nobody listed, and where they begin: an offered name in a tag, its
    own keys in tags behind it, values between. Nothing is skipped: what is neither name, key nor value has to be markup
    up to the end of the reply; else None.
    """
    start = max(len(text) - _REACH, 0)
    if not tools.schemas or _ENDS.search(text, start) is None:
        return None
    names = "|".join(re.escape(name) for name in sorted(tools.schemas, key=len, reverse=True))
    found = list(re.compile(rf"(?:<|[>|=\"'\]:.])\s?({names})(?=\s?[<>|\"'=\[{{(:])").finditer(text, start))
    ends = [match.start() for match in found[1:]] + [len(text)]
    calls = []
    for match, end in zip(found, ends, strict=False):
        args = _arguments(match.group(1), text[match.end() : end], tools)
        if args is None:
            return None
        calls.append(Call(match.group(1), args, ["a format of its own"], reader="anchored"))
    if not any(call.args for call in calls):
        return None
    line = text.rfind("\n", 0, found[0].start(1)) + 1
    opening = re.compile(r"[<\[]").search(text, line, found[0].start(1))
    quoted = text[line : line + 1] in (">", "|")
    return (calls, opening.start()) if opening and not quoted else None


def _arguments(name: str, text: str, tools: Offered) -> dict[str, Any] | None:
    """The arguments in what stands behind a name; None where something else stands there too."""
    keys = "|".join(re.escape(key) for key in sorted(tools.properties(name), key=len, reverse=True)) or "(?!)"
    word = rf"(?<!\w)(?:{keys})(?!\w)"
    markup = re.compile(
        rf"(?:</[^<>]{{1,60}}>|(?!<[^<>]*{word}[^<>]*>)(?:{_TAG})|\"[a-z_]{{1,20}}\"\s*:\s*(?=\{{)|[\s=:,\"'|>\])}}/]|<$)*+"
    )
    key = re.compile(rf"(?:<[^<>{{}}]{{0,60}}?)?(?<!\w)({keys})(?!\w)")
    args: dict[str, Any] = {}
    at = 0
    while True:
        skipped = markup.match(text, at)
        at = skipped.end() if skipped else at
        if at >= len(text):
            return args
        if text[at] == "{" and not args:
            found, _ = look(text, at, True)
            if found is None or found.repairs or not isinstance(found.value, dict):
                return None
            args, at = found.value, found.end
            continue
        named = key.match(text, at)
        assigned = _ASSIGNS.match(text, named.end()) if named else None
        if named is None or assigned is None or named.group(1) in args:
            return None
        read = _value(text, assigned.end())
        if read is None:
            return None
        value, at = read
        args[named.group(1)] = tools.typed(name, named.group(1), value)


def _value(text: str, at: int) -> tuple[str, int] | None:
    """A value up to its closing quote, or to the next tag, and where that is."""
    quote = text[at : at + 1]
    end = text.find(quote, at + 1) if quote in ("'", '"') and quote else -1
    if end >= 0:
        return text[at + 1 : end], end + 1
    tag = _ENDS.search(text, at)
    if tag is None:
        return None
    value = text[at : tag.start()]
    return value[1:].removesuffix("\n") if value.startswith("\n") else value, tag.start()
