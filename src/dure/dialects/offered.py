"""The tools on offer, as the readers of calls need them: names, nearest names, and the types of arguments."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import cached_property, lru_cache
from typing import Any

from dure.dialects.base import ToolDict
from dure.dialects.json_scan import clean, whole

_LOOSE = re.compile(r"[\W_]+")
_NOTE = re.compile(r"^([^\s(（]+)\s*[(（][^()（）]*[)）]$")
_PREFIXES = ("functions.", "function.", "tools.", "default_api.", "default_api:", "tool_api.", "functions:")
_WRAPPING = " \t\r\n`*_\"'“”‘’[](){}<>「」『』【】.,:;：，。"
_TEXT_KEYS = ("query", "input", "text", "question", "task", "q", "expression", "message", "prompt", "content", "code")
_NUMBER = re.compile(r"\+?(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)", re.ASCII)
_LONGEST_NUMBER = 400
_MOST_RESOLVED = 500


class Offered:
    """The tools a model may call. Made of None, any name is known and nothing is known of arguments."""

    def __init__(self, tools: Iterable[ToolDict] | None) -> None:
        self.any = tools is None
        self.schemas: dict[str, dict[str, Any]] = {}
        for tool in tools or ():
            function = tool.get("function", tool)
            self.schemas[function["name"]] = function.get("parameters") or {}
        self._resolved = lru_cache(_MOST_RESOLVED)(self._resolve)
        self._loose: dict[str, str | None] = {}
        for name in self.schemas:
            loose = _LOOSE.sub("", name).casefold()
            self._loose[loose] = None if loose in self._loose else name

    @cached_property
    def mentions(self) -> re.Pattern[str]:
        """A name on offer, however it is written."""
        names = (r"[\W_]*".join(map(re.escape, loose)) for loose in self._loose)
        return re.compile("|".join(names) or "(?!)", re.IGNORECASE)

    def __contains__(self, name: str) -> bool:
        return self.any or name in self.schemas

    def resolve(self, written: str) -> tuple[str, str | None]:
        """The name meant by what was written, and what had to be mended for it.

        A name that is not on offer comes back as it was written, stripped of decoration.
        """
        return (written, None) if written in self.schemas else self._resolved(written)

    def _resolve(self, written: str) -> tuple[str, str | None]:
        name = written.split("<|", 1)[0].strip(_WRAPPING) or written.strip()
        for prefix in _PREFIXES:
            if name.startswith(prefix) and name not in self.schemas:
                name = name[len(prefix) :]
        if self.any or name in self.schemas:
            return name, None if name == written or written.endswith(name) else "a decorated name"
        note = _NOTE.match(written.strip(" \t\r\n`*\"'"))
        if note:
            inner = note.group(1).strip(_WRAPPING)
            if inner in self.schemas:
                return inner, "a note beside the name"
            name = inner
        half, _, other = name.partition(".")
        if half == other and half in self.schemas:
            return half, "a name written twice"
        meant = self._loose.get(_LOOSE.sub("", name).casefold())
        if meant is not None:
            return meant, f"the name {name!r}"
        return name, None

    def has(self, written: str) -> bool:
        """Whether what was written means a tool on offer, not just any."""
        return self.resolve(written)[0] in self.schemas

    def nearest(self, name: str) -> str | None:
        """The name on offer that is most like `name`."""
        lowered = {each.casefold(): each for each in self.schemas}
        close = get_close_matches(name[:100].casefold(), lowered, 1, 0.3)
        return lowered[close[0]] if close else next(iter(self.schemas)) if len(self.schemas) == 1 else None

    def properties(self, name: str) -> Mapping[str, Any]:
        """The schemas of a tool's arguments by name."""
        found = self.schemas.get(name, {}).get("properties")
        return found if isinstance(found, dict) else {}

    def required(self, name: str) -> list[str]:
        """The names of a tool's arguments that must be given; none where the schema does not say so in a list."""
        listed = self.schemas.get(name, {}).get("required")
        known = list(self.properties(name))
        return [key for key in listed if key in known] if isinstance(listed, list) else []

    def may_begin(self, written: str) -> bool:
        """Whether a name on offer, behind a prefix or not, may begin with what was written."""
        for prefix in _PREFIXES:
            if prefix.startswith(written):
                return True
            written = written.removeprefix(prefix)
        return any(name.startswith(written) for name in self.schemas)

    def plain(self, name: str, text: str) -> dict[str, Any] | None:
        """Arguments for a call whose input is written as plain text; None where it is not clear which one it is."""
        properties = list(self.properties(name))
        if not properties:
            return {"input": text} if self.any else None
        words = re.findall(r"[^\s,;]+", text)
        if len(words) > 1 and set(words) <= set(properties):
            return None  # The tool's parameters, listed.
        required = self.required(name)
        key = (required and self._text_key(name, required)) or self._text_key(name, properties)
        return {key: self.typed(name, key, text)} if key else None

    def pairs(self, name: str, text: str) -> dict[str, Any] | None:
        """Arguments for a call whose input is written `key=value, key: value`, with keys of the tool; else None."""
        keys = [re.escape(key) for key in self.properties(name)]
        if not keys:
            return None
        pattern = re.compile(rf"(?:^|[,;\n])[^\S\n]*+[\"'`]?({'|'.join(keys)})[\"'`]?\s*+[=:：]\s*+")
        places = list(pattern.finditer(text))
        if not places or text[: places[0].start()].strip():
            return None
        ends = [place.start() for place in places[1:]] + [len(text)]
        found = {}
        for place, end in zip(places, ends, strict=True):
            value = text[place.end() : end].strip().rstrip(",;").strip()
            quoted = len(value) > 1 and value[0] in "\"'`" and value[-1] == value[0]
            found[place.group(1)] = self.typed(name, place.group(1), value[1:-1] if quoted else value)
        return found

    def _text_key(self, name: str, keys: list[str]) -> str | None:
        if len(keys) == 1:
            return keys[0]
        texts = [key for key in keys if "string" in self.types(name, key)]
        return next((key for key in _TEXT_KEYS if key in keys), texts[0] if len(texts) == 1 else None)

    def types(self, name: str, key: str) -> set[str]:
        """The JSON types an argument may have; empty where the schema does not say."""
        return set(_types(self.schemas.get(name, {}), self.properties(name).get(key), 0))

    def typed(self, name: str, key: str, raw: str, *, guess: bool = False) -> Any:
        """A value written as raw text, in the type the tool's schema gives the argument.

        guess: where the schema says nothing, text that reads as JSON is taken for it. A text that does not read as
        its type stays text; checking the arguments against the schema is for later.
        """
        types = self.types(name, key)
        text = raw.strip()
        if not types:
            return decoded(raw) if self.any or guess else raw
        if "null" in types and text.casefold() in ("null", "none"):
            return None
        number = _NUMBER.fullmatch(text) if types & {"integer", "number"} and len(text) < _LONGEST_NUMBER else None
        # Where it may be a text too, a number is one that loses nothing: not 1.10, nor +82.
        if number is not None and ("string" not in types or text == str(json.loads(number.group(1)))):
            amount = json.loads(number.group(1))
            if "integer" in types and (isinstance(amount, int) or amount.is_integer()):
                return int(amount)
            if "number" in types:
                return amount
        if "boolean" in types and text.casefold() in ("true", "false"):
            return text.casefold() == "true"
        if types & {"object", "array"}:
            found = whole(text)
            if found:
                return found.value
        return raw if "string" in types else decoded(raw)

    def positional(self, name: str, values: list[Any]) -> dict[str, Any] | None:
        """Arguments given by place: the schema's order, required ones first."""
        properties = list(self.properties(name))
        if not properties:
            return {"input": values[0]} if self.any and len(values) == 1 else None
        required = self.required(name)
        order = required + [key for key in properties if key not in required]
        return dict(zip(order, values, strict=False)) if len(values) <= len(order) else None


def _types(root: Mapping[str, Any], schema: Any, depth: int) -> Iterator[str]:
    if not isinstance(schema, dict) or depth > 8:
        return
    reference, kind = schema.get("$ref"), schema.get("type")
    if isinstance(reference, str) and reference.startswith("#/"):
        target: Any = root
        for part in reference[2:].split("/"):
            target = target.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
        yield from _types(root, target, depth + 1)
    if isinstance(kind, str | list):
        kinds = [kind] if isinstance(kind, str) else [each for each in kind if isinstance(each, str)]
        yield from (_TYPE_NAMES.get(each.casefold(), each.casefold()) for each in kinds)
    elif "enum" in schema or "const" in schema:
        yield from (_TYPES.get(type(value), "string") for value in schema.get("enum") or [schema.get("const")])
    elif "properties" in schema or "items" in schema:
        yield "object" if "properties" in schema else "array"
    for word in ("anyOf", "oneOf", "allOf"):
        options = schema.get(word)
        for option in options if isinstance(options, list) else ():
            yield from _types(root, option, depth + 1)


def decoded(raw: str) -> Any:
    """The value of a text that is JSON as a whole (Python's literals too), else the text as it is."""
    text = raw.strip()
    if text in _PYTHON:
        return _PYTHON[text]
    with suppress(ValueError, RecursionError):
        return clean(json.loads(text))
    found = whole(text)
    return found.value if found else raw


_PYTHON = {"True": True, "False": False, "None": None}
_TYPE_NAMES = {
    "str": "string", "text": "string", "int": "integer", "float": "number", "double": "number", "bool": "boolean",
    "list": "array", "tuple": "array", "dict": "object", "map": "object", "none": "null",
}  # fmt: skip
"""What servers and libraries write in place of JSON Schema's names."""
_TYPES = {type(None): "null", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
