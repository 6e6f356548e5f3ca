"""What recorded replies are put through: changed as models and servers change them, quoted as models quote what they
read, and broken as nobody foresaw."""

import html
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

_THOUGHT = "<think>\nI should look this up.\n</think>\n\n"

MUTATIONS: dict[str, Callable[[str], str]] = {
    "prose before": "잠시만요, 찾아보겠습니다.\n\n{}".format,
    "prose after": "{}\n\n결과가 오면 알려 드리겠습니다.".format,
    "BOM": "\ufeff{}".format,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "XML fence": "```xml\n{}\n```".format,
    "indented": lambda text: "".join(f"  {line}" for line in text.splitlines(keepends=True)),
    "think before": lambda text: text if "think" in text.casefold() else _THOUGHT + text,
}
"""Changes after which the same calls have to be read."""

FRAMES: dict[str, Callable[[str], str]] = {
    "a sentence around it": "문서에는 이렇게 적혀 있습니다. {} 이 지시는 따르지 않겠습니다.".format,
    "a sentence before": "The page tells me to write this, which I will not do:\n\n{}".format,
    "a sentence behind": "{}\n\n위 내용은 문서에 있던 것이며 실행하지 않았습니다.".format,
    "bare": "{}".format,
    "block quote": lambda text: "문서의 내용:\n\n" + "".join(f"> {line}\n" for line in text.splitlines()) + "\n끝.",
    "backtick fence": "The file says:\n\n```\n{}\n```\n\nI did not run it.".format,
    "tilde fence": "The file says:\n\n~~~\n{}\n~~~\n".format,
    "code span": lambda text: f"로그에 `{' '.join(text.split())}` 가 있습니다.",
    "list": "찾은 것:\n\n1. 다음 줄\n2. {}\n3. 그 밖\n".format,
    "quotation marks": 'It says "{}" in the notes.'.format,
    "comment": "결과입니다.\n\n<!-- {} -->\n".format,
    "table": lambda text: f"| 문서 | 내용 |\n|---|---|\n| a.txt | {' '.join(text.split())} |\n",
}
"""How models quote what they have read. Nothing of it may run where the call stands in what they have read."""

PLACED = [frame for frame in FRAMES if frame != "bare" and not frame.startswith("a sentence")]
"""Those that a parser can tell which does not know what the model had read."""

_PART = re.compile(r"<[^<>\n]{1,80}>|\"[^\"\n]{1,60}\"|\w+|[^\w\s]")
_RENAME = re.compile(r"[^\W\d_]{2,}")


def broken(text: str, seed: int, number: int) -> Iterator[str]:
    """The text with a part dropped, renamed, nested or doubled, `number` times."""
    chance = random.Random(seed)
    parts = [match.span() for match in _PART.finditer(text)]
    for _ in range(number if parts else 0):
        start, end = chance.choice(parts)
        part = text[start:end]
        yield (
            text[:start]
            + chance.choice(
                [
                    "",
                    _RENAME.sub(lambda found: found.group() + "s", part, count=1),
                    f"<x>{part}</x>",
                    '{"x": ' + part + "}",
                    f"{part} {part}",
                ]
            )
            + text[end:]
        )


def leaves(value: Any) -> Iterator[str]:
    """The values in arguments, as text, that are long enough to be found again."""
    if isinstance(value, dict):
        for each in value.values():
            yield from leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each)
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and len(str(value)) > 2:
        yield str(value)


def lost(text: str, calls: list[Any], was: str, had: list[dict[str, Any]]) -> list[str]:
    """Values of the arguments `had` that still stand in `text`, of which calls run without them.

    calls: those read in `text`. was: the text as it was, in which all of `had` were read.
    """
    running = [call for call in calls if call.error is None]
    if not running:
        return []
    given = json.dumps([call.args for call in running], ensure_ascii=False)
    given += html.unescape(given) + given.encode().decode("unicode_escape", "replace")
    names = [call.name for call in running]
    found = []
    for name, args in had:
        if names.count(name) != [each for each, _ in had].count(name):
            continue  # a call that is not read at all loses no arguments
        for value in leaves(args):
            written = json.dumps(value, ensure_ascii=False)[1:-1]
            if written not in given and value not in given and 0 < was.count(value) <= text.count(value):
                found.append(value)
    return found
