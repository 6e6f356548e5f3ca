"""What an answer says was sent, saved or changed, though the run called nothing that does so.

Which sentences may say it is told by their form: what was done stands in the past, without a source. Whether one does,
the model is asked on its own, with what the run did do: it is another question than the one that it answered.
"""

import re
from contextlib import suppress

from dure.agents.context import RunContext
from dure.errors import DureError
from dure.knowledge.claims import cited_in, negated
from dure.knowledge.unsupported import statements
from dure.messages import system, user
from dure.tooling import an_object

RULES = (
    "Not those that tell what it read, found, counted, summed up or wrote in the answer itself, what others did, or "
    "what stands in a draft. Reply with JSON."
)
_NOTHING = (
    "An assistant answered the message below. It called no tool that sends, saves, books, deletes or changes anything. "
    f"Which of its sentences, by their numbers, say that it did such a thing? {RULES}"
)
_SOME = (
    "An assistant answered the message below. All that its tools sent, saved, booked, deleted or changed stands under "
    "Done. Which of its sentences, by their numbers, say that it did such a thing that is none of what stands there? "
    f"{RULES}"
)
_SCHEMA = an_object({"sentences": {"type": "array", "items": {"type": "integer"}}})
_REQUEST = re.compile(r"줘|주[세시십]|[A-Za-z][^?]*$")
"""A message that asks for something to be done, or may in English; not one that only asks."""
_PAST = re.compile(r"\bI\b|\b[Ww]e\b|\bbeen\b|\bwas\b|\bwere\b")
_PRESENT = re.compile(r"\b(?:I|[Ww]e)(?:['’][lmr]\w*|\s+(?:\w+(?:ould|ll)|are|can)\b|\s+have(?=\s+so\s+far\W*$))")
"""Who speaks, of what is, will or may be: `We will send you nine vials`, in a letter that is drafted."""
_CLOSED = {chr(at) for at in range(ord("가") + 20, ord("힣") + 1, 28)} - {*"있겠"}
"""The syllables that ㅆ (number 20 of 28 that close one) closes, Korean's past, but those of what is and will be."""
_MOST = 12
_QUOTED = 20
"""Letters of a line from which on it is told word for word as a tool gave it; less may be so by chance."""


async def claimed(run: RunContext, answer: str) -> list[str]:
    """Sentences of an answer, with its markers, that tell of what nobody did; none where the model cannot tell."""
    declined = any(call["status"] == "declined" for call in run.tool_calls)  # Which is told.
    if not run.way.decides or declined or not _REQUEST.search(run.message) or not _past_in(answer, answer):
        return []
    said = [answer[start:end].strip() for start, end in statements(answer)]
    said = [each for each in said if not any(each in own for own in run.sources.own)]
    told = [each for each in said if in_the_past(each) and in_the_past(_PRESENT.sub("", each))]
    told = [each for each in told if not (cited_in(each) or negated(each))]
    told = _own(told, run)[:_MOST] if told else []
    listed = "\n".join(f"{number}. {each}" for number, each in enumerate(told, 1))
    done = "\n".join([*run.acted, *(f"made the file {each['name']}" for each in run.artifacts)])
    shown = [run.message, f"Done:\n{done}", listed] if done else [run.message, listed]
    asked = [system(_SOME if done else _NOTHING), user("\n\n".join(shown))]
    with suppress(DureError):
        numbers = (await run.fill_in("claims", asked, _SCHEMA, work_id="claims")).get("sentences") if told else None
        return [each for number, each in enumerate(told, 1) if number in (numbers or ())]
    return []


def _own(told: list[str], run: RunContext) -> list[str]:
    """Those that no tool gave word for word, as the abstracts of papers that were found: what these tell others did."""
    given = [*run.sources.told, *(each.text for each in run.sources.passages), *(str(data) for _, data in run.found)]
    known = _letters("\n".join(given))

    def quoted(line: str) -> bool:
        return len(letters := _letters(line)) >= _QUOTED and letters in known

    lines = {each: [line for line in each.splitlines() if in_the_past(line.strip())] for each in told}
    return [each for each in told if not lines[each] or not all(map(quoted, lines[each]))]


def _letters(text: str) -> str:
    return re.sub(r"\W", "", text)


def in_the_past(sentence: str) -> bool:
    """Whether a sentence may tell of something that was done."""
    last = re.sub(r"[^가-힣\s]", "", sentence).split()[-1:]
    return sentence[:1] not in "|#>" and _past_in("".join(last), sentence)


def _past_in(korean: str, text: str) -> bool:
    return not _CLOSED.isdisjoint(korean) or _PAST.search(text) is not None
