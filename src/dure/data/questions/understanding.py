"""From a question to a query object: a model fills it in under a schema, code checks it, and says what is unsure."""

import re
from bisect import bisect
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from dure.data.columns import OF_GROUP
from dure.data.questions.checking import Fault, faults, slots, standing
from dure.data.questions.description import Description, Field, aggregated, called
from dure.data.questions.figures import LEFT_OUT, OUT, nowhere
from dure.data.questions.likeness import NEAR, SAME, Likeness
from dure.data.questions.linking import Link, Links
from dure.data.questions.query import Filter, Query, asked, keys, measured, read, rules, schema
from dure.data.questions.ranking import choice, ranks
from dure.data.questions.settling import settled
from dure.data.questions.tables import COLUMN_RULES, NAMED_RULES
from dure.data.questions.units import behind
from dure.data.questions.unread import beside_aggregate, rows_called, strange
from dure.data.questions.words import WORD, span, stem, stems
from dure.knowledge.claims import denials
from dure.messages import system, user
from dure.texts import TEXTS
from dure.tooling import an_object

Ask = Callable[..., Awaitable[tuple[Any, float]]]
"""Has a model fill in a JSON Schema, of messages and what is `fixed` of them: what it wrote, None where that is no
JSON, and a token's least probability."""

_FIRST = re.compile(r"(?:^|[.?!]\s+)([A-Z][a-z]*)(?![\w가-힣])")
_END, _BLANK = re.compile(r"[.?!]\s"), re.compile(r"\s+")
_WHAT, _MUCH = re.compile(r"\bwhat(?:'s| \w+)? the $", re.IGNORECASE), re.compile(r"\s(?:얼마|어떻게)")
_GROUPS = re.compile("([가-힣]{2,})별[로의]?")
_TEXT = TEXTS["data_questions.text"]
_TRIES = 2
_UNSAID = "the question states other conditions besides"
_FORCED = "the data do not hold what it says; if they do not hold what the question asks for, it is cannot"
MEANT = 0.02
"""The least probability of each token of an object that the model means: of 50 strangers' questions the right ones had
.08 and more, those that the schema forced on it mostly less than .001."""
BARE = 0.06
"""The same of a share, which models fall back on, and where the question does not hold the value of a condition, or
without any the number: of 110 questions the right ones had .062 and more, none of the eight below was."""
INSISTED = 0.001
"""The same of one whose number the question does not name, where the model says that this is the column."""
NAMED = 0.3
"""The same of the column whose name a ranking asks for: right in 10 of 10 above it, in 4 of 12 below."""
_LEAVES_OUT = frozenset([("=", True), ("!=", False)])
"""How a condition says that something is not so: that it is empty or 0, or another value."""
_NOT = re.compile("(?<!\\S)안(?= [가-힣])")
"""Apart from the verb that it denies; with a particle it is the noun, inside."""
_BESIDE = 6
"""Letters behind a number within which what denies it was read with it."""
_FEW = 3
"""Values of a column that say what it holds."""


@dataclass(frozen=True, slots=True)
class Understood:
    """`query` None: the data do not hold what is asked for, the `faults` of what the model made of it remain, or one of
    the fields `which` is meant. `unread`: words of the question that nothing accounts for."""

    query: Query | None
    faults: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    which: list[Field] = field(default_factory=list)
    assumed: list[Field] = field(default_factory=list)
    """A measure that the question does not name, then those that would do as well."""


async def understand(
    description: Description, links: Links, ask: Ask, ordinary: frozenset[str], like: Likeness | None = None
) -> Understood:
    """What the question asks of the data, as a small model makes of it (see `able`). ordinary: stems of words that any
    question may hold (see `stems`). Raises the model's errors."""
    of = _Reading(description, links, ask, ordinary, like)
    of.links = links = await of.grouped()
    said = told = asked(description, links)
    messages, fixed = [system(rules(description))], [system(keys(description))]
    meant = await _meant(links, like)
    # All that is named may be there though a small model says that it is not.
    able = bool(of.strange())
    rows = ""
    if measured(description, links) == []:
        return Understood(None)
    if ranks(description, links):
        which = choice(description, links)
        rows = which.group or description.rows if which else await of.named()
    form, wrong = schema(description, links, small=True, able=able, rows=rows), list[Fault]()
    for _ in range(_TRIES):
        written, least = await ask([*messages, user(told)], form, fixed=fixed)
        query = read(written)
        if query is None:
            # Of servers that do not hold a model to the schema.
            told = f"{said}\nThat is no such object. Write it again."
            continue
        if query.answer == "cannot":
            return Understood(None)
        query = settled(query, description, links)
        wrong = faults(query, description, links, meant)
        if not rows and (group := await of.listed(query)):
            wrong.append(Fault(f"what is listed is {group}", {"rows": {"const": group}}))
        if least < (MEANT if _holds(query, links) and query.answer != "share_percent" else BARE):
            # What code can mend by another form is asked again, meant or not.
            if not wrong and least >= INSISTED and await of.is_insisted(query):
                sure = await of.sure(query)
                return replace(sure, assumed=_alike(query, description)) if sure.query else sure
            if not wrong or not all(each.form for each in wrong):
                stated = standing(query, links)
                wrong = [Fault(_UNSAID, stated) if stated else Fault(_FORCED)]
                form = schema(description, links, small=True, rows=rows)
        elif not wrong:
            return await of.sure(query)
        form = _narrowed(form, wrong)
        complaint = "; ".join(each.said for each in wrong)
        told = f"{said}\nThat is wrong: {complaint}. Write the object again."
    return Understood(None, [each.said for each in wrong if each.said not in (_UNSAID, _FORCED)])


@dataclass(slots=True)
class _Reading:
    """A question as it is read: see `understand`."""

    description: Description
    links: Links
    ask: Ask
    ordinary: frozenset[str]
    like: Likeness | None

    def strange(self) -> list[re.Match[str]]:
        return strange(self.description, self.links, self.ordinary)

    async def sure(self, query: Query) -> Understood:
        """The query, unless what was not read may be the very thing that is asked for: a name, or a field that the
        question does not name, where the data have others that would do as well."""
        description, links, question, like = self.description, self.links, self.links.question, self.like
        spare = _spare(query, description, links)
        rest = await left(description, links, self.ordinary, like, _names(query, description), spare)
        unread = list(dict.fromkeys(each[0] for each in rest))
        # The first word of an English sentence is no name for its capital.
        first = _FIRST.findall(question)
        names = [word for word in unread if word[0].isupper() and word not in first]
        # What is asked for, and was not read: "What is the acceptance rate of …", "채택률이 얼마야?".
        asked = (each for each in rest if _WHAT.search(question[: each.start()]) or _MUCH.match(question, each.end()))
        names += [each[0] for each in asked]
        # A kind of which there is none, before the name of the column that would hold it: `the legal team`.
        kinds = {each.name for each in description.fields if each.kind != "number"} if query.answer != "list" else ()
        heads = {each.start for each in links.fields if each.field in kinds} & {each.start() for each in spare}
        names += [each[0] for each in rest if (blank := _BLANK.match(question, each.end())) and blank.end() in heads]
        if query.of[1] and query.of[1] not in links.named:
            # What an aggregate stands beside is what it is of: `평균 나이`, `할인율 평균`.
            of = [each for each in self.strange() if beside_aggregate(each, links)]
            of = await _unlike(of, called(description.field(query.of[1])), question, like)
            names = list(dict.fromkeys([*names, *(each[0] for each in of)]))
        words = [each for each in WORD.finditer(question) if len(each[0]) > 1]
        assumed = list[Field]()
        for each, others in slots(query, description, links):
            own = each.name == query.of[1]
            if names or not (others or (unread and own)):
                continue
            if stems(called(each)) & stems([question]):
                continue
            if len(await _unlike(words, called(each), question, like)) < len(words):
                continue
            if unread and own and not await self._is_voted(each.name):
                names = unread
            elif each.group != query.rows and not own:
                if each.kind != "number" or each.name != await self._column():
                    return Understood(None, which=[each, *others])
                assumed = [each, *others]
            else:
                # A sum of the others is what they are all asked for by.
                sums = [one for one in (each, *others) if own and OF_GROUP.fullmatch(one.name.lower())]
                assumed = [] if sums == [each] else [each, *others]
        read = {at.start for found in (links.values, links.fields, links.numbers, links.dates) for at in found}
        if like and not assumed and len(rest) > max(len(read), _FEW - 1):
            # What is left of a question that is about something else is no answer to it.
            names = names or unread
        if names:
            return Understood(None, [f'"{word}"' for word in names])
        more = [span(each) for each in (*links.rows, *_alone(query, description, links))]
        # A day, as of `하루 평균`, says nothing that could be left out.
        spans = [each for each in links.numbers if nowhere(each) and each.value != "1"]
        more += [(each.start, behind(question, each.end)) for each in spans]
        unread += dict.fromkeys(question[start:end] for start, end in more)
        denied, about = _denied(query, description, links), {each.field for each in query.filters}
        places = [each.start for each in (*links.values, *links.fields) if each.field in about]
        # What is denied stands before in Korean: `안 나간 것(보류)` says nothing against its condition.
        contrary = [each for each in denied if each[0] < "가" or each.start() > min(places, default=0)]
        if about and contrary:
            return Understood(None, [f'"{each[0]}"' for each in contrary])
        unread += [each[0] for each in denied if each[0] not in unread]
        return Understood(query, unread=unread, assumed=assumed)

    async def listed(self, query: Query) -> str:
        """The group that is listed rather than rows: one that the question names, of which the query has nothing."""
        named = self.links.named - query.fields
        groups = [each.group for each in self.description.fields if each.offered and each.name in named]
        if query.answer != "list" or query.rows != self.description.rows or not groups:
            return ""
        rows = await self.named()
        return rows if rows in groups else ""

    async def grouped(self) -> Links:
        """With the column that a word means which groups rows and names none: `작가별` of `maker`."""
        said = ((each, _GROUPS.fullmatch(each[0])) for each in self.strange())
        ends = [(each.start(), each.start() + name.end(1)) for each, name in said if name]
        if len(ends) != 1 or not (name := await self._name()):
            return self.links
        return replace(self.links, fields=[*self.links.fields, Link(name, "", *ends[0], sure=False)])

    async def named(self) -> str:
        """The rows, or the group, whose names the question asks for, where a model is sure of it; else empty."""
        if not self.description.examples_of:
            return ""
        if self.description.kinds_of_rows == [self.description.rows]:
            return self.description.rows
        name = await self._name()
        return (self.description.field(name).group or self.description.rows) if name else ""

    async def is_insisted(self, query: Query) -> bool:
        """Whether the question names no number, and a model says that it is about the one of the query."""
        numbers = {each.name for each in self.description.fields if each.kind == "number"}
        return numbers.isdisjoint(self.links.named) and query.of[1] in numbers and query.of[1] == await self._column()

    async def _is_voted(self, name: str) -> bool:
        """Whether a model says that the question asks for this number: where it says another, of the two alone."""
        other = await self._column()
        if other in (name, "none", ""):
            return other == name
        return await self._column({name, other}) == name

    async def _name(self) -> str:
        """The column that holds who or what the question asks for, where a model is sure of it; else empty."""
        fields = [each for each in self.description.fields if not each.of]
        few = {each.name: ", ".join(list(each.values)[:_FEW]) for each in fields if each.kind not in ("number", "date")}
        known = {each.name: few.get(each.name) or each.kind for each in fields}
        those = [each.name for each in fields if each.kind not in ("number", "date") or each.clock]
        name, least = await self._one_of(those, known, NAMED_RULES)
        return name if least >= NAMED and name in those else ""

    async def _column(self, of: Collection[str] = ()) -> str:
        """The number that a model says the question asks for, `none` where there is none. It counts however sure that
        is: of 12 questions of strangers in words of their own it said the same number for 9 as their objects, and
        rightly. of: the only ones that are told."""
        fields = [each for each in self.description.fields if not each.of and (not of or each.name in of)]
        known = {each.name: f"{each.kind}{f' in {each.unit}' if each.unit else ''}" for each in fields}
        return (await self._one_of([each.name for each in fields if each.kind == "number"], known, COLUMN_RULES))[0]

    async def _one_of(self, names: Iterable[str], known: Mapping[str, str], rules: str) -> tuple[str, float]:
        """Which of these columns a model says is asked for, `none` where it says so, and how sure it is. known: of each
        column of the table what it holds."""
        told = ", ".join(f"{name} ({said})" for name, said in known.items())
        form = an_object({"column": {"enum": [*names, "none"]}})
        rules = rules.format(table=self.description.name, fields=told)
        written, least = await self.ask([system(rules), user(f"Q: {self.links.question}")], form)
        return (str(written.get("column", "")), least) if isinstance(written, dict) else ("", 0.0)


def _alike(query: Query, description: Description) -> list[Field]:
    """The number of a query, then those that would do as well."""
    others = [each for each in description.fields if each.kind == "number" and each.name != query.of[1]]
    return [description.field(query.of[1]), *others]


def _narrowed(form: dict[str, Any], wrong: Sequence[Fault]) -> dict[str, Any]:
    """The form without what was wrong."""
    properties = dict(form["properties"])
    for key, each in ((key, each) for fault in wrong for key, each in fault.form.items()):
        if "minItems" in each:
            each = properties[key] | {"minItems": min(each["minItems"], properties[key].get("maxItems", 0))}
        properties[key] = each
    return an_object(properties)


async def _meant(links: Links, like: Likeness | None) -> frozenset[str]:
    """The aggregates that a word of the question means, in whatever words: `중간값` is the median."""
    words = [each for each in dict.fromkeys(WORD.findall(links.question)) if len(each) > 1]
    near = {how: await like(words, list(_TEXT[how].values())) for how in ("average", "median")} if like else {}
    return frozenset(how for how, found in near.items() if max(found, default=0.0) >= SAME)


async def left(
    description: Description,
    links: Links,
    ordinary: frozenset[str],
    like: Likeness | None,
    names: list[str] | None = None,
    spare: Sequence[re.Match[str]] = (),
) -> list[re.Match[str]]:
    """The words of the question that nothing accounts for, of the data and `names`, those of a query; None: of any that
    could be made, so that none is worth being made where words are left. spare: words that are left besides."""
    if names is None:
        fields = [Filter(each.name, "=", value) for each in description.fields for value in ("", *each.values)]
        names = _names(Query(description.rows, tuple(fields), "number"), description)
        names += [name for each in description.fields for name in (*called(each), each.unit) if name]
    words = sorted([*strange(description, links, ordinary), *spare], key=re.Match.start)
    rest = await _unlike(words, rows_called(description), links.question, like, SAME)
    rest = await _unlike(rest, names, links.question, like)
    if like is None:
        return rest
    idle = await like.idle(links.question, [each.span() for each in rest])
    return [each for each, says_nothing in zip(rest, idle, strict=True) if not says_nothing]


def _denied(query: Query, description: Description, links: Links) -> list[re.Match[str]]:
    """The words that deny something, where the query leaves nothing out that they could be about. What has none of its
    measure is left out too."""
    flags = {each.name for each in description.fields if each.flag}
    none = [(each, each.value in ("", "0")) for each in query.filters]
    if any((e.op, no) in _LEAVES_OUT or e.field in flags or (no and e.field == query.of[1]) for e, no in none):
        return []
    read = [span(each) for each in (*links.values, *links.fields)]
    read += [out.span() for each in (*links.values, *links.fields) if (out := LEFT_OUT.match(links.question, each.end))]
    # `세 명이 안 되는` is less than three.
    read += [(each.start, each.end + _BESIDE) for each in (*links.numbers, *links.dates)]
    # 아니면 is or.
    found = [*denials(links.question), *_NOT.finditer(links.question), *OUT.finditer(links.question)]
    left = [each for each in found if not links.question.startswith("아니면", each.start())]
    ends = [each.end() for each in left if not any(start <= each.start() < end for start, end in read)]
    words = re.finditer(r"\S+(?<![.?!,])", links.question)
    return [word for word in words if any(word.start() < end <= word.end() for end in ends)]


def _spare(query: Query, description: Description, links: Links) -> list[re.Match[str]]:
    """Words that name a field of which the query has nothing."""
    used = query.fields | {each.name for each in description.fields if each.group == query.rows}
    if query.rows == description.rows:
        used |= {*description.names}  # A row is one of what its name is of.
    used |= {part for each in description.fields if each.name in used for part in each.of}
    words = WORD.finditer(links.question)
    at = {word: [f.field for f in links.fields if f.start < word.end() and word.start() < f.end] for word in words}
    return [word for word, names in at.items() if names and not used.intersection(names)]


def _holds(query: Query, links: Links) -> bool:
    """Whether what the query is about stands in the question: the values of its conditions; without any, its number."""
    said = {each.value for each in links.values}
    said |= {value for each in (*links.numbers, *links.dates) for value in (each.value, each.to)}
    if not query.filters:
        return query.of[1] in links.named
    return said.issuperset(each.value for each in query.filters)


def _alone(query: Query, description: Description, links: Links) -> list[Link]:
    """The names of fields that stand in a sentence without the values that a condition gives them, and may be another
    condition: `… other than NordTool? Leave out those without a supplier.`"""
    used = {query.of[1], *(each.name for each in description.fields if each.group == query.rows)}
    of = {each.field for each in query.filters if each.value} - used
    ends = [each.start() for each in _END.finditer(links.question)]
    valued = {(each.field, bisect(ends, each.start)) for each in links.values}
    told = [each for each in links.fields if each.field in of & {field for field, _ in valued}]
    return [each for each in told if (each.field, bisect(ends, each.start)) not in valued]


def _names(query: Query, description: Description) -> list[str]:
    """What the query is made of, as people may call it: its fields and values."""
    used = {each.field: each for each in query.filters}
    fields = [each for each in description.fields if each.name in (*used, *(aggregated(name)[1] for name in used))]
    fields += [each for each in description.fields if each.name == query.of[1] or each.group == query.rows]
    found = [name for known in fields for name in (*called(known), known.unit)]
    found += _TEXT[query.of[0]].values() if query.of[0] else ()
    for each in query.filters:
        found += [each.value, *(name for known in fields for name in known.values.get(each.value, ()))]
    return list(dict.fromkeys(filter(None, found)))


async def _unlike(
    left: list[re.Match[str]], names: list[str], question: str, like: Likeness | None, enough: float = NEAR
) -> list[re.Match[str]]:
    """Those of the words that neither begin as one of the names nor mean the same, alone or with their neighbours."""
    known = stems(names)
    rest = [each for each in left if stem(each[0]) not in known]
    if like is not None:
        runs = [rest[at : at + size] for size in (1, 2, 3) for at in range(len(rest) - size + 1)]
        runs = [run for run in runs if all(not WORD.search(question, a.end(), b.start()) for a, b in pairwise(run))]
        texts = [question[run[0].start() : run[-1].end()] for run in runs]
        near = dict(zip(texts, await like(texts, names), strict=True))
        # Words that make a run less like a name are no part of it. Another ending of a word that was read is read too.
        read = {
            stem(each[0])
            for run, text in zip(runs, texts, strict=True)
            if near[text] >= max([enough, *(value for part, value in near.items() if part in text)])
            for each in run
        }
        rest = [each for each in rest if stem(each[0]) not in read]
    return rest
