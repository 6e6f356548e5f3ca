"""Sums in a message itself: the model words one expression of the message's numbers, the calculator does it. What asks
for nothing gets a reply of the model's own. All else is answered from the documents."""

from dataclasses import replace

from dure.agents.breadth import asks_for_nothing
from dure.agents.grounded import WEAK, grounded, prefetch
from dure.agents.outcome import Outcome
from dure.agents.prompts import style
from dure.agents.short import Short, ShortWay
from dure.errors import DureError
from dure.messages import system, user
from dure.numbers import numbers, scan
from dure.packs.tables import TEXTS
from dure.packs.tables.expression import tokens
from dure.tooling import an_object

_SEARCH = "search_knowledge_base"
_ASKED = an_object({"expression": {"type": "string", "maxLength": 200}})
_RULES = TEXTS.one("sums.rules")
_WHOLE = 100
"""What a percentage is of; the one number that a message need not name."""


async def work(short: Short) -> Outcome | None:
    """A sum where the message is one, else what the documents tell. A small model makes a sum of any two numbers, and
    makes up those that are missing."""
    message = short.run.message
    reader = short.agent.model_copy(update={"search": _SEARCH})
    found = await prefetch([reader], short.run)
    if found is None or found.evidence < WEAK:
        if len(list(scan(message))) > 1:
            asked = [system(_RULES[short.run.language]), user(message)]
            expression = str((await short.form(asked, _ASKED, max_tokens=100)).get("expression", ""))
            if _of(expression, message):
                done = await short.call("calculate", expression=expression)
                if not done.is_error:
                    return Outcome("completed", done.text)
        elif not _has_digits(message) and await asks_for_nothing(short):
            said = (await short.text(style(short.run), message, short.run.way.tokens["talk"])).strip()
            # A figure is nothing that it knows.
            if said and not _has_digits(said):
                return Outcome("completed", said)
    return await grounded(replace(short, agent=reader), found)


def _has_digits(text: str) -> bool:
    return any(map(str.isdigit, text))


def _of(expression: str, message: str) -> bool:
    """Whether an expression is made of all numbers of the message, and of no others."""
    try:
        used = [abs(each.value) for each in tokens(expression) if each.value is not None]
    except DureError:
        return False
    # 15% may be written as 0.15, and 15% more as 1.15.
    read = [{value, _WHOLE * value, abs(_WHOLE * (value - 1))} for value in used]
    named = [{abs(each.value), *map(abs, each.others)} for each in scan(message)]
    known = {*map(abs, numbers(message)), _WHOLE}
    return all(any(each & one for one in read) for each in named) and all(known & one for one in read)


WAY = ShortWay(work, frozenset({"calculate", _SEARCH}))
