"""What a model reads to fill in a query object: the keys, the fields of the data, examples. The same text for all
questions of one description, so that an engine reads it once."""

from dure.data.questions.description import Description
from dure.data.questions.linking import Links

_KEYS = """Fill in one JSON object that says what the question asks of the data. Do not answer the question.
rows: what is counted or listed: {rows}, or the values of a field
filters: every condition that the question states on the rows, {{field, op, value}}, and none that it does not state
answer: number; list; yes_no; share_percent (of the rows that meet all filters among those that meet all but the \
last); difference (between two values of one field); cannot (the data do not hold what is asked for)
measure: what is counted, averaged or ranked by: count, a field, or average, median or total of a field
order: highest, lowest or none
limit: how many rows are asked for, 0 for all

Examples{of}:
{examples}

{fields}"""

_SHOWN, _FEW = 14, 40
"""Values of a field that are told, of one with few."""


def rules(description: Description) -> str:
    """The system message."""
    lines = []
    for each in description.fields:
        known = list(each.values)[:_SHOWN] if len(each.values) <= _FEW else []
        said = ": ".join(filter(None, [each.name, each.note]))
        lines.append(f"- {said}" + (f" ({', '.join(known)})" if known else ""))
    counts = dict.fromkeys(each.count for each in description.fields if each.count)
    lines += [f"- {name}: how many {description.rows} such a group has" for name in counts]
    lines += [f"The data do not hold: {description.lacks}"] if description.lacks else []
    rows = ", ".join(description.kinds_of_rows)
    fields = "\n".join([f"The data: {description.name}", f"Rows: {rows}", "Fields:", *lines])
    return _KEYS.format(
        rows=description.rows, of=description.examples_of, examples=description.examples.strip(), fields=fields
    )


def asked(links: Links) -> str:
    """The user's turn: the question, and what of it is known."""
    known = [f"{each.field} = {each.value}" for each in links.values]
    return f"Q: {links.question}" + (f"\n(known: {'; '.join(dict.fromkeys(known))})" if known else "")


def again(faults: list[str]) -> str:
    """What is said of an object that code finds fault with."""
    return "That is wrong: " + "; ".join(faults) + ". Write the object again."
