"""Follow-ups: a message that only the conversation explains ("그럼 작년은?") is written out before anybody is chosen.
The model writes, code checks: it may add no name and no number that was not said, and keeps the message's."""

import re
from collections.abc import Sequence
from typing import Any

from dure.agents import RunContext
from dure.data.questions.figures import dates, numbers
from dure.data.questions.words import WORD, function_words
from dure.knowledge.claims import unsupported_numbers
from dure.messages import Message, language_of, system, user
from dure.teams.who.chances import grams
from dure.teams.who.model import fill_in
from dure.texts import TEXTS
from dure.tooling import an_object

_TURNS = 2
_TURN = 300
"""Characters of a turn before."""
_MESSAGE = 500
"""A longer message says itself what it is about."""
_TOKENS = 150
_SAID = 0.6
"""Share of a rewriting's words that stand in the conversation."""
_OWN = 0.8
"""Share of what the message is about that stands in it where it needs no conversation."""
_TEXT = TEXTS["teams_who_alone"]
_SCHEMA: dict[str, Any] = {
    "anyOf": [
        an_object({"about": {"type": "string"}, "alone": {"const": True}}),
        an_object({"about": {"type": "string"}, "alone": {"const": False}, "request": {"type": "string"}}),
    ]
}
_MARKS = "\"'“”‘’()[]*,.:;?!"
_ITEM = re.compile(r"^[^\S\n]*(\d{1,2})[.)]\s+(.+)$", re.MULTILINE)
_SLIPS = 2
"""Details that nobody said, up to which a rewriting is taken without them: more of them, and it is made up."""
_BARE = re.compile(r"\(\s*\)|\s+(?=[,.?!)])|(?<=\()[\s,;]+")
"""What is left where something was taken out: empty brackets, blanks before marks."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-+.][A-Za-z0-9]+)*")


async def written_out(run: RunContext, message: str, before: Sequence[Message]) -> str:
    """`message` as it can be understood alone; empty where it can already, or where nothing sound was written."""
    if not before or len(message) > _MESSAGE:
        return ""
    if another := _another_day(message, before):
        return another
    language = language_of(message)
    names = {each: _TEXT[each][language] for each in ("user", "assistant", "message")}
    turns = [f"{names[m['role']]}: {(m['content'] or '')[:_TURN]}" for m in before[-_TURNS:]]
    asked = "\n".join([*turns, f"{names['message']}: {message}"])
    written = await fill_in(run, "alone", [system(_TEXT["rules"][language]), user(asked)], _SCHEMA, _TOKENS)
    if written.get("alone") is not False:
        return ""
    if request := checked(str(written.get("request") or ""), message, before):
        return request
    # Where it only copied the message, what that is about is said beside it.
    about = _replaced(" ".join(str(written.get("about") or "").split()), message)
    said = _share(about, message) >= _OWN or not _sound(about, _heard(message, before))
    return "" if said else f"{message} ({about})"


def _another_day(message: str, before: Sequence[Message]) -> str:
    """The question before with the date that this message only names, `9월은?`, instead of its own; else empty."""
    asked = next((m["content"] for m in reversed(before) if m["role"] == "user"), "") or ""
    new, old = list(dates(message)), list(dates(asked))
    if len(new) != 1 or len(old) != 1 or len(new[0].value) != len(old[0].value):
        return ""
    rest = WORD.findall(f"{message[: new[0].start]} {message[new[0].end :]}".casefold())
    if not all(len(word) == 1 or word in function_words() for word in rest):
        return ""
    said, instead = message[new[0].start : new[0].end].strip(), asked[old[0].start : old[0].end]
    return f"{asked[: old[0].start]}{said}{' ' * instead.endswith(' ')}{asked[old[0].end :]}"


def checked(request: str, message: str, before: Sequence[Message], *, able: bool = False) -> str:
    """A message as a model wrote it out; empty where that is no more than the message, or not sound. able: of an able
    model, whose single number or name that nobody said is a slip: it is left out."""
    request, heard = " ".join(request.split()), _heard(message, before)
    if able and _share(request, heard) >= _SAID:
        request = _without_slips(request, message, heard)
    lost = [each for each in unsupported_numbers(message, [request]) if not _item(each, request, message, before)]
    kept = not lost and _names(message) <= _names(request, every=True)
    own = _own(request, message, heard)
    if language_of(own) != language_of(message) or not kept or not _sound(request, heard, own):
        return ""
    # Small models copy: what only says again what was asked before is not this message, nor is that and the message.
    for asked in (message, *(m["content"] or "" for m in before if m["role"] == "user")):
        if _share(request, asked) == 1 or (
            asked != message and _share(asked, request) == _share(message, request) == 1
        ):
            return ""
    return _replaced(request, message)


def _replaced(text: str, message: str) -> str:
    """A text in which the one bound that a message names (`6000만원 넘는`) stands for another of its kind."""
    own = list(numbers(message, None))
    if len(own) == 1 and own[0].ops:
        bound = message[own[0].start : own[0].end]
        for each in reversed([each for each in numbers(text, None) if each.ops[:1] == own[0].ops[:1]]):
            text = text[: each.start] + bound + text[each.end :]
    return text


def _without_slips(request: str, message: str, heard: str) -> str:
    """A rewriting without up to `_SLIPS` numbers and names that were not said, each with its particle or brackets."""
    names = _names(_own(request, message, heard)) - _names(heard, every=True)
    unsaid = [*unsupported_numbers(request, [heard]), *names]
    if not unsaid or len(unsaid) > _SLIPS:
        return request
    for each in unsaid:
        found = rf"(?<![A-Za-z0-9]){re.escape(each)}(?![A-Za-z0-9])[가-힣%]*"
        request = re.sub(rf"\s?\({found}\)|{found}", "", request, flags=re.IGNORECASE)
    return " ".join(_BARE.sub("", request).split())


def _own(request: str, message: str, heard: str) -> str:
    """An English message's rewriting without the Korean words in it that were said, such as a title: they are quoted.
    As it is where no word of the message's sentence is left besides."""
    if language_of(message) == "ko" or language_of(request) == "en":
        return request
    said = heard.casefold()
    own = [word for word in request.split() if language_of(word) == "en" or word.strip(_MARKS).casefold() not in said]
    spoken = {word for word in re.findall(r"\w+", message) if word.islower()}
    return " ".join(own) if spoken.intersection(re.findall(r"\w+", " ".join(own))) else request


def _item(number: str, request: str, message: str, before: Sequence[Message]) -> bool:
    """Whether a rewriting names instead of a number the item which has it in the last list that was shown: it has words
    of that item, which neither the message nor another item has."""
    lists = [_ITEM.findall(m["content"] or "") for m in before if m["role"] == "assistant"]
    items = dict(next(filter(None, reversed(lists)), []))
    if (item := items.pop(number, None)) is None:
        return False
    return bool(grams(request) & grams(item) - grams(message).union(*map(grams, items.values())))


def _heard(message: str, before: Sequence[Message]) -> str:
    return "\n".join([message, *(m["content"] or "" for m in before)])


def _sound(text: str, heard: str, own: str | None = None) -> bool:
    """Whether a text holds no number and no name that was not said, and few other words. own: without what it quotes
    in another language; by default all of it."""
    names = _names(text if own is None else own) <= _names(heard, every=True)
    return bool(text) and names and not unsupported_numbers(text, [heard]) and _share(text, heard) >= _SAID


def _share(text: str, whole: str) -> float:
    """How much of a text's words stand in another, wherever either has blanks: `멀티 헤드` is `멀티헤드`."""
    words, known = grams(text), grams(whole) | grams("".join(whole.split()))
    return sum(not known.isdisjoint((word, word.removeprefix("^"))) for word in words) / len(words) if words else 1.0


def _names(text: str, *, every: bool = False) -> set[str]:
    """Words that are names: in Korean all in Latin letters, in English those with a capital or a digit that do not
    begin a sentence. `every`: all words that may be names."""
    names = [(m.start(), m[0]) for m in _NAME.finditer(text)]
    if every or language_of(text) == "ko":
        return {name.casefold() for _, name in names}
    return {
        name.casefold()
        for at, name in names
        if not name.islower() and not re.search(r"(?:^|[.!?:]\s*)\W*$", text[max(at - 4, 0) : at])
    }
