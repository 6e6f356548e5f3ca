"""A question of counting as a form, and the one SELECT that answers it: what small models get right where free SQL
goes wrong. What stands in the form is written as numbers and quoted text only."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from dure.packs.papers.stages.filters import Filters
from dure.teams.stages.stage import Paper

Row = Literal["all", "paper", "author", "venue", "field", "year", "term"]
"""What a row of the result is; `all`: the result is one number."""
Measure = Literal["papers", "authors", "venues", "fields", "years", "terms", "citations", "referenced"]
"""What is counted. Citations and references: those between papers of the collection."""
Order = Literal["most", "least", "newest", "oldest"]

_KEYS = {"author": "a.name", "venue": "p.venue", "field": "p.field", "year": "p.year"}
_GROUPS = {**_KEYS, "paper": "p.id", "author": "a.id"}
_COUNTS = {
    "papers": "COUNT(DISTINCT p.id)",
    "authors": "COUNT(DISTINCT w.author_id)",
    "venues": "COUNT(DISTINCT p.venue)",
    "fields": "COUNT(DISTINCT p.field)",
    "years": "COUNT(DISTINCT p.year)",
    "citations": "COUNT(c.citing_id)",
    "referenced": "COUNT(c.cited_id)",
}
_EACH = {"authors": "COUNT(w.author_id)", "citations": _COUNTS["citations"], "referenced": _COUNTS["referenced"]}
"""What can be averaged over papers."""
_JOINS = {
    "authors": "LEFT JOIN paper_authors AS w ON w.paper_id = p.id",
    "citations": "LEFT JOIN citations AS c ON c.cited_id = p.id",
    "referenced": "LEFT JOIN citations AS c ON c.citing_id = p.id",
}


@dataclass(slots=True)
class Form:
    """`only`, `citing`, `cited_by`: of the papers these, those that cite all of these, those that these cite. `total`:
    of what is counted the sum, the mean over papers, or the share of all papers. None: not said."""

    rows: Row | None = None
    measure: Measure | None = None
    total: Literal["sum", "mean", "share"] = "sum"
    order: Order | None = None
    limit: int | None = None
    one: bool = False
    """It asks which is first: the others are shown beside it."""
    filters: Filters = field(default_factory=Filters)
    venues: list[str] = field(default_factory=list)
    """As the library writes the one of the filters."""
    title: str | None = None
    """Words that the papers' titles hold."""
    only: list[Paper] = field(default_factory=list)
    citing: list[Paper] = field(default_factory=list)
    cited_by: list[Paper] = field(default_factory=list)

    def fits(self) -> bool:
        """Whether it asks for something that can be counted so."""
        if self.rows is None or (self.measure is None and self.rows not in ("paper", "term")):
            return False
        if self.order in ("most", "least") and self.measure is None:
            return False
        if "term" in self.rows or self.measure == "terms":
            return self.rows in ("all", "field", "term") and self.measure in ("terms", None) and self._glossary()
        if self.total == "mean":
            return self.measure in _EACH and self.rows not in ("author", "paper")
        if self.total == "share":
            return self.measure == "papers" and self.rows != "paper"
        return self.measure != self.rows + "s" or self.rows == "all"

    def _glossary(self) -> bool:
        """Whether it asks of papers nothing that the glossary does not know."""
        known = set(self.filters.as_args()) <= {"field"}
        return known and not (self.only or self.citing or self.cited_by or self.total != "sum")


def select(form: Form) -> str:
    """The SELECT of a form that `fits`."""
    if form.rows == "term" or form.measure == "terms":
        return _of_glossary(form)
    rows, measure = form.rows or "all", form.measure
    columns = {"paper": ["p.title AS title", "p.year AS year"], "all": []}.get(rows) or (
        [f"{_KEYS[rows]} AS {rows}"] if rows in _KEYS else []
    )
    joins = []
    if rows == "author":
        joins += ["JOIN paper_authors AS w ON w.paper_id = p.id", "JOIN authors AS a ON a.id = w.author_id"]
    if measure in _JOINS and not (measure == "authors" and joins):
        joins.append(_JOINS[measure])
    where = _conditions(form)
    if rows in ("venue", "field", "year") or form.order in ("newest", "oldest"):
        column = _KEYS.get(rows, "p.year")
        where.append(f"{column} IS NOT NULL")
    if measure is None:
        columns += ["p.venue AS venue", "p.field AS field"]
    elif form.total == "mean":
        columns.append(f"ROUND(1.0 * {_EACH[measure]} / COUNT(DISTINCT p.id), 2) AS {measure}")
    else:
        columns.append(f"{_COUNTS[measure]} AS {measure}")
    if form.total == "share":
        columns.append("ROUND(100.0 * COUNT(DISTINCT p.id) / (SELECT COUNT(*) FROM papers), 1) AS percent")
    if rows == "paper" and measure == "citations":
        columns.append("MAX(p.citations) AS citations_known")
    return _sql(columns, "papers AS p", joins, where, _group(form), _order(form), form.limit)


def _of_glossary(form: Form) -> str:
    where = [f"g.field = {text(form.filters.field)}"] if form.filters.field else []
    where += _like("g.term_en || ' ' || g.term_ko", [form.title] if form.title else [])
    if form.rows == "term":
        columns = ["g.term_ko AS term_ko", "g.term_en AS term_en", "g.field AS field"]
        return _sql(columns, "glossary AS g", [], where, "", "g.term_en", form.limit)
    grouped = form.rows == "field"
    columns = [*(["g.field AS field"] if grouped else []), "COUNT(*) AS terms"]
    order = f"terms {'ASC' if form.order == 'least' else 'DESC'}, field" if grouped else ""
    return _sql(columns, "glossary AS g", [], where, "g.field" if grouped else "", order, form.limit)


def _sql(
    columns: list[str], table: str, joins: list[str], where: list[str], group: str, order: str, limit: int | None
) -> str:
    parts = [f"SELECT {', '.join(columns)} FROM {table}", *joins]  # noqa: S608
    parts += [f"WHERE {' AND '.join(where)}"] if where else []
    parts += [f"GROUP BY {group}"] if group else []
    parts += [f"ORDER BY {order}"] if order else []
    parts += [f"LIMIT {int(limit)}"] if limit else []
    return " ".join(parts)


def _group(form: Form) -> str:
    if form.rows == "all" or (form.rows == "paper" and form.measure is None):
        return ""
    return _GROUPS[form.rows or "paper"]


def _order(form: Form) -> str:
    if form.rows == "all":
        return ""
    if form.order in ("newest", "oldest") or (form.rows == "paper" and form.measure is None):
        return f"p.year {'ASC' if form.order == 'oldest' else 'DESC'}" + (", p.title" if form.rows == "paper" else "")
    key = {"paper": "title"}.get(form.rows or "", form.rows)
    if form.rows == "year" and form.order is None:
        return "year"
    return f"{form.measure} {'ASC' if form.order == 'least' else 'DESC'}, {key}"


def _conditions(form: Form) -> list[str]:
    filters, where = form.filters, []
    if filters.year_from is not None and filters.year_from == filters.year_to:
        where.append(f"p.year = {int(filters.year_from)}")
    else:
        where += [f"p.year >= {int(filters.year_from)}"] if filters.year_from is not None else []
        where += [f"p.year <= {int(filters.year_to)}"] if filters.year_to is not None else []
    if filters.field:
        where.append(f"p.field = {text(filters.field)}")
    if filters.venue:
        where.append(f"p.venue IN ({_texts(form.venues or [filters.venue])})")
    if filters.author:
        wrote = "SELECT w.paper_id FROM paper_authors AS w JOIN authors AS a ON a.id = w.author_id"
        where.append(f"p.id IN ({wrote} WHERE {author_is(filters.author)})")
    where += _like("p.title", [form.title] if form.title else [])
    where += [f"p.id IN ({_texts(_ids(form.only))})"] if form.only else []
    for each in _ids(form.citing):
        where.append(f"p.id IN (SELECT citing_id FROM citations WHERE cited_id = {text(each)})")  # noqa: S608
    if form.cited_by:
        ids = _texts(_ids(form.cited_by))
        where.append(f"p.id IN (SELECT cited_id FROM citations WHERE citing_id IN ({ids}))")  # noqa: S608
    return where


def author_is(name: str) -> str:
    """That `a.name` is this name: its words in their order, others between them, initials for whole names."""
    words = [word.strip(".,") for word in _plain(name).split() if word.strip(".,")]
    return f"' ' || a.name || ' ' LIKE {text('% ' + '% '.join(words) + ' %')}" if words else "0 = 1"


def _like(column: str, phrases: list[str]) -> list[str]:
    return [f"{column} LIKE {text('%' + _plain(phrase) + '%')}" for phrase in phrases]


def _plain(words: str) -> str:
    """Without what LIKE reads as more than itself."""
    return " ".join(words.replace("%", " ").replace("_", " ").split())


def _ids(papers: Iterable[Paper]) -> list[str]:
    return [str(paper["id"]) for paper in papers]


def _texts(values: Iterable[str]) -> str:
    return ", ".join(map(text, values))


def text(value: str | None) -> str:
    """Text as SQL quotes it; what cannot be printed is left out."""
    return "'" + "".join(each for each in value or "" if each.isprintable()).replace("'", "''") + "'"
