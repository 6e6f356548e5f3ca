"""Tables: the model fills in a query object, code checks it and makes the SQL; the rows, and a chart of them, are the
answer."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from dure.agents.outcome import Outcome
from dure.agents.short import Short, ShortWay, stopped
from dure.data.questions.continued import continued
from dure.data.questions.description import Description
from dure.data.questions.likeness import Likeness, likeness
from dure.data.questions.linking import Links
from dure.data.questions.query import Filter, Query
from dure.data.questions.sql import compiled, whole
from dure.data.questions.telling import caveats, refusal, sentence
from dure.data.questions.understanding import Ask, left, understand
from dure.data.questions.unread import strange
from dure.data.questions.words import WORD, stem, stems
from dure.packs.tables import TEXTS
from dure.packs.tables.described import chosen, of_document
from dure.packs.tables.naming import foreign, named
from dure.texts import TEXTS as TEXTS_OF_ALL
from dure.tooling import ToolResult

_TOKENS = 400
_FEW = 3
"""Rows that are shown whole."""
_BEFORE = 3
"""Questions that the last one may go on from."""
_NAMED = 3
"""Tables whose columns are named in the question's language for one question."""
_CHART = re.compile(r"그래프|차트|그려|도표|시각화|\b(chart|graph|plot|draw|visuali[sz]e)", re.IGNORECASE)
_KIND_WORDS = (
    ("pie", r"원형|원 ?그래프|파이|비율|비중|\bpie\b|\bshares?\b"),
    ("line", r"꺾은선|선 ?그래프|추이|추세|변화|월별|일별|연도별|\bline\b|\btrend|\bmonthly\b|over time"),
    ("scatter", r"산점도|\bscatter"),
)
_TEXT = TEXTS["short.text"]
_WHICH = (*_TEXT["which"].values(), *TEXTS_OF_ALL["data_questions.text"]["which"].values())
_ASKS = tuple(said.partition(":")[0] for said in _WHICH)
"""How questions which table or field is meant begin."""
_BRIEF = 3
"""Words of an answer to such a question at most."""


async def work(short: Short) -> Outcome | None:
    # The task itself, without the message that it serves and the results it builds on.
    language, question = short.run.language, short.task.partition("\n\n")[0].removeprefix("Task: ").strip()
    listed = await short.call("list_tables", question=question[:1000])
    tables = listed.data["tables"] if isinstance(listed.data, dict) else []
    if not tables:
        if "calculate" in short.tools and not listed.is_error and re.search(r"\d", short.task):
            return None  # a sum in the message itself: a matter for the calculator
        return stopped(f"{listed.text} {short.say(_TEXT, 'add')}")
    like = likeness(short.run.embedder)
    question, note = await _whole_question(short, question, tables, listed.data, like)
    meets = partial(_meets, short)
    found = await chosen(tables, listed.data, question, like, meets)
    ordinary = stems(short.agent.examples)
    if found is None or strange(*found, frozenset()):
        # What columns are called in the question's language may tell tables of the other language apart; so may a word
        # of the agent's own examples, which are about any table.
        made = {name for name, each in listed.data["noted"].items() if each["made"]}
        others = [each for each in tables if foreign(each, question) and each["name"] not in made]
        if others := await _nearest(others, question, like):
            listed = await _named(short, question, others, listed)
            found = await chosen(tables, listed.data, question, like, meets)
    if found is None:
        among = of_document(tables, question)
        sources = (each["document"] if among is tables else _source(each) for each in among)
        names = ", ".join(dict.fromkeys(sources))
        return Outcome("completed", short.run.own(short.say(_TEXT, "which", tables=names)), found=False)
    ask = _ask(short)
    description, links = found
    noted = listed.data["noted"][description.name]
    made, said = noted["made"], noted["notes"]["rows"]
    table = next(each for each in tables if each["name"] == description.name)
    # Names in the other language tell nothing of words that are in the table's own.
    other, unread = foreign(table, question), " ".join(each[0] for each in strange(description, links, ordinary))
    unnamed = not made and ((other and not said) or (unread and foreign(table, unread)))
    understood = None if unnamed else await understand(description, links, ask, ordinary, like)
    if understood is None or ((understood.which or understood.assumed) and other and not made):
        listed = await _named(short, question, [table], listed)
        description, links = await chosen([table], listed.data, question, like) or found
        understood = await understand(description, links, ask, ordinary, like)
    if understood.query is None:
        if rows := await _whole(short, _values(links), description):
            parts = [short.run.own(short.say(_TEXT, "named")), rows, _from(short, description, table)]
            return Outcome("completed", "\n\n".join(parts))
        return Outcome("completed", short.run.own(refusal(understood, description, language)), found=False)
    left = "\n".join(filter(None, [note, caveats(understood, description, language)]))
    return await _told(short, understood.query, left, description, tables)


async def _whole_question(
    short: Short, question: str, tables: Sequence[Any], listed: Mapping[str, Any], like: Likeness | None
) -> tuple[str, str]:
    """The question with what those before it say, where it says only what is other, or which of several is meant, and
    a sentence that tells so. What a model wrote out is whole."""
    asked = [str(each["content"]) for each in short.run.history if each["role"] == "user" and not short.run.written]
    whole = ""
    for each in [*asked[-_BEFORE:], question]:
        found = await chosen(tables, listed, whole, like) if whole else None
        whole = (continued(whole, each, found[0]) if found else "") or each
    if asked and _is_one_of(question, short.run.last_answer):
        whole = f"{asked[-1]} {question}"
    return whole, short.say(_TEXT, "continued", question=whole) if whole != question else ""


def _is_one_of(question: str, answer: str) -> bool:
    """Whether the last answer asks which table or field is meant, and this only names one of them."""
    begins, _, names = answer.partition(": ")
    words = WORD.findall(question)
    return begins.startswith(_ASKS) and 0 < len(words) <= _BRIEF and not stems([names]).isdisjoint(map(stem, words))


def _ask(short: Short) -> Ask:
    return partial(short.run.filled, "work", max_tokens=_TOKENS, **short.place)


async def _nearest(tables: list[Any], question: str, like: Likeness | None) -> list[Any]:
    """Of these tables those whose names and columns mean most of the question, as many as a model names in a minute."""
    if like is None or len(tables) <= _NAMED:
        return tables[:_NAMED]
    told = [", ".join([each["name"], *(head for _, _, head in each["columns"])]) for each in tables]
    (near,) = await like.all([question], told)
    return [tables[at] for at in sorted(range(len(tables)), key=lambda at: -near[at])[:_NAMED]]


async def _named(short: Short, question: str, tables: Sequence[Any], listed: ToolResult) -> ToolResult:
    """`list_tables`, what these tables hold named in the other language, Korean or English."""
    ask = partial(short.form, max_tokens=_TOKENS)
    held = {each["name"]: listed.data["profiles"][each["name"]]["values"] for each in tables}
    said = {each["name"]: (await named(each, held[each["name"]], ask)).model_dump() for each in tables}
    return await short.call("list_tables", question=question[:1000], names=said)


async def counted(short: Short, document: str | None) -> str:
    """What code counts or sums of the rows of the owner's tables, or of those of a document, with its table and SQL;
    empty where words of the question are left over, or where it asks for no such number."""
    within = {"document": document} if document else {}
    data = (await short.call("list_tables", question=short.task[:1000], **within)).data or {"tables": []}
    like = likeness(short.run.embedder)
    found = data["tables"] and await chosen(data["tables"], data, short.task, like)
    ordinary = stems(short.agent.examples)
    if not found or not await _of_several(short, *found, within) or await left(*found, ordinary, like):
        return ""
    understood = await understand(*found, _ask(short), ordinary, like)
    query = understood.query
    if query is None or understood.unread or understood.assumed or query.answer == "yes_no" or not query.filters:
        return ""
    # A figure that stands in one row is told by whoever reads that row.
    one = query.rows == found[0].rows and query.measure != "count" and not query.of[0] and query.order == "none"
    told = None if one else await _told(short, query, "", found[0], data["tables"], **within)
    return told.answer if told and told.status == "completed" else ""


async def _of_several(short: Short, description: Description, links: Links, within: Mapping[str, str]) -> bool:
    """Whether a question names what rows have in common. Of a number that it names one row tells best."""
    shared = {each.name for each in description.fields if each.offered}
    if any(not each.ops and each.field not in shared for each in links.values):
        return False
    number = any(each.kind == "number" and each.name in links.named for each in description.fields)
    if not links.values or not number:
        return bool(links.values or (links.numbers and links.named))
    return await _count(short, _values(links), description, **within) > 1


async def _meets(short: Short, description: Description, links: Links) -> bool:
    """Whether a row has all values that a question names, and its days in one of its columns."""
    days = tuple(each.value for each in links.dates if not each.ops)
    for name in [each.name for each in description.fields if each.kind == "date"] if days else [""]:
        if await _count(short, (*_values(links), *(Filter(name, "=", day) for day in days)), description):
            return True
    return False


async def _count(short: Short, filters: tuple[Filter, ...], description: Description, **within: str) -> int:
    """How many rows meet these conditions, 0 where that cannot be asked."""
    sql = compiled(Query(description.rows, filters, "number"), description)
    found = await short.call("query_tables", sql=sql, **within)
    return 0 if found.is_error else int(found.fields["values"][0][0])


def _values(links: Links) -> tuple[Filter, ...]:
    """The conditions that the values which a question names make, all of them."""
    return tuple(Filter(each.field, (each.ops or "=")[0], each.value) for each in links.values)


async def _told(short: Short, query: Query, left: str, description: Description, tables: Any, **within: str) -> Outcome:
    """`left`: what is told of how the question was read."""
    language, sql = short.run.language, compiled(query, description)
    result = await short.call("query_tables", sql=sql, **within)
    if result.is_error:
        return stopped(short.say(_TEXT, "failed", reason=result.text).strip())
    rows = result.fields["values"]
    said = sentence(query, description, result.fields["columns"], rows, language)
    table = next(each for each in tables if each["name"] == description.name)
    parts = [left and short.run.own(left), said]
    # Of single rows that are not ranked, what is asked for may be any of their cells.
    single = query.answer == "list" and query.rows == description.rows and query.measure == "count"
    few = single and len(rows) <= _FEW
    cells = await _whole(short, query.filters, description, **within) if few else ""
    if cells or len(rows) > 1:
        parts.append(cells or result.text)
    if _CHART.search(short.run.message) and "draw_chart" in short.tools:
        parts.append(await _chart(short, sql))
    parts.append(_from(short, description, table))
    return Outcome("completed", "\n\n".join(filter(None, [*parts, short.say(_TEXT, "sql", sql=sql)])))


async def _whole(short: Short, filters: Sequence[Filter], description: Description, **within: str) -> str:
    """The rows that meet these conditions, any at all, with all of their cells, where they are few; else empty."""
    if not filters or not {each.field for each in filters} <= description.known.keys():
        return ""
    found = await short.call("query_tables", sql=whole(filters, description, _FEW + 1), **within)
    return found.text if not found.is_error and 0 < len(found.fields["values"]) <= _FEW else ""


def _from(short: Short, description: Description, table: Mapping[str, Any]) -> str:
    told = [each[short.run.language] for each in description.notes]
    return " ".join([short.say(_TEXT, "from", tables=_source(table)), *told])


def _source(table: Mapping[str, Any]) -> str:
    return " · ".join(filter(None, [table["document"], table["sheet"]]))


async def _chart(short: Short, sql: str) -> str:
    kind = next((kind for kind, words in _KIND_WORDS if re.search(words, short.task, re.IGNORECASE)), "bar")
    drawn = await short.call("draw_chart", sql=sql, kind=kind, title=short.run.message[:60])
    file = drawn.data.get("file") if isinstance(drawn.data, dict) else None
    if file is None:
        return short.say(_TEXT, "no_chart", reason=drawn.text)
    return short.say(_TEXT, "chart", file=file)


WAY = ShortWay(work, frozenset({"list_tables", "query_tables"}), _ASKS, counted)
