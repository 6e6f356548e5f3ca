"""What came of a form, in a sentence: it says of which papers the number is, and that it is of this collection."""

from typing import Any

from dure.errors import Language
from dure.packs.papers.stages.sql_answer import cell
from dure.packs.papers.stages.sql_form import Form
from dure.teams.stages.stage import Paper

_HEADS: dict[str, tuple[str, str]] = {
    "title": ("제목", "title"),
    "year": ("연도", "year"),
    "venue": ("학회·학술지", "venue"),
    "field": ("분야", "field"),
    "author": ("저자", "author"),
    "term_ko": ("용어", "Korean"),
    "term_en": ("영어", "English"),
    "papers": ("논문 수", "papers"),
    "authors": ("저자 수", "authors"),
    "venues": ("학회·학술지 수", "venues"),
    "fields": ("분야 수", "fields"),
    "years": ("연도 수", "years"),
    "terms": ("용어 수", "terms"),
    "citations": ("인용 수(이 모음 안)", "citations within this collection"),
    "referenced": ("인용한 논문 수(이 모음 안)", "references within this collection"),
    "citations_known": ("출처가 알린 인용 횟수", "citations, as the source said"),
    "percent": ("비율(%)", "percent"),
}
_UNITS = {
    "papers": "편",
    "authors": "명",
    "venues": "곳",
    "fields": "개",
    "years": "개",
    "terms": "개",
    "citations": "회",
    "referenced": "편",
}
_ROWS: dict[str, tuple[str, str]] = {
    "paper": ("논문", "paper"),
    "author": ("저자", "author"),
    "venue": ("학회·학술지", "venue"),
    "field": ("분야", "field"),
    "year": ("해", "year"),
}
_LONGEST = 3
"""Firsts that a sentence names, where several share the place."""


def heads(columns: list[str], language: Language) -> list[str]:
    """The columns' names as people read them."""
    return [_say(_HEADS.get(column, (column, column)), language) for column in columns]


def told(form: Form, rows: list[list[Any]], language: Language, *, more: bool = False) -> str:
    """The sentence about the rows of `form`. more: there are more rows than these."""
    if form.measure == "terms" or form.rows == "term":
        return _terms(form, rows, language)
    papers = _papers(form, language)
    plain = papers == _papers(Form(), language)
    if form.rows == "all":
        return _number(form, rows[0] if rows else [None], papers, language)
    if len(form.only) == len(rows) == 1 and form.rows == "paper" and form.measure is None:
        year, venue = (cell(each) for each in rows[0][1:3])
        return _say((f"{papers}: {year}년, {venue}.", f"{papers}: {year}, {venue}."), language)
    if len(form.only) == 1 and rows and form.rows == "author" and form.order is None:
        return _say((f"{papers}의 저자입니다.", f"The authors of {papers}:"), language)
    if not rows or (form.measure is None and form.limit is None):
        return _number(Form(measure="papers"), [f"{len(rows)}{'+' if more else ''}"], papers, language)
    if form.one:
        return _first(form, rows, papers, plain, language)
    if form.measure is None:
        return _say((f"{papers} {len(rows)}편입니다.", f"{len(rows)} {papers}:"), language)
    row, measure = _say(_ROWS[form.rows or "paper"], language), _measure(form, language)
    if form.order:
        best, many = ("상위", "most") if form.order == "most" else ("하위", "fewest")
        korean, english = "" if plain else f"{papers} 가운데 ", "" if plain else f", of {papers}"
        each = f"{measure} {best} {row}" if form.rows == "paper" else f"{measure} 기준 {best} {row}"
        return _say(
            (f"{korean}{each} {len(rows)}건입니다.", f"The {row}s with the {many} {measure}{english}:"), language
        )
    by = "연도" if form.rows == "year" else row
    korean = f"{by}별 {measure}입니다." if plain else f"{papers}의 {by}별 {measure}입니다."
    english = f"{measure.capitalize()} by {row}:" if plain else f"{measure.capitalize()} by {row}, of {papers}:"
    return _say((korean, english), language)


def _number(form: Form, row: list[Any], papers: str, language: Language) -> str:
    measure, value = form.measure or "papers", cell(row[0]) or "0"
    name = _measure(form, language)
    if form.total == "mean":
        return _say((f"{papers}의 {name}: {value}.", f"{papers.capitalize()}: {value} {name}."), language)
    if measure == "papers":
        some = papers.replace("papers", "paper", 1).replace("that cite", "that cites", 1) if value == "1" else papers
        korean, english = f"{papers}은 이 모음에 {value}편 있습니다.", f"This collection has {value} {some}."
        if form.total == "share":
            korean += f" 전체의 {cell(row[1]) or 0}%입니다."
            english += f" That is {cell(row[1]) or 0} % of all."
        return _say((korean, english), language)
    if papers == _papers(Form(), language):
        return _say((f"이 모음의 {name}: {value}{_UNITS[measure]}.", f"This collection has {value} {name}."), language)
    both = (f"{papers}의 {name}: {value}{_UNITS[measure]}.", f"{papers[:1].upper()}{papers[1:]}: {value} {name}.")
    if measure == "authors" and any((paper.get("authors") or [])[-1:] == ["et al."] for paper in form.only):
        # The source named the first ones only.
        both = (
            f"{both[0]} 이름이 등록된 저자만 센 수이며 실제로는 더 있습니다.",
            f"{both[1]} More are not named here.",
        )
    return _say(both, language)


def _first(form: Form, rows: list[list[Any]], papers: str, plain: bool, language: Language) -> str:
    """Which is first; all of them where several are."""
    dated = form.order in ("newest", "oldest")
    at = 1 if dated or form.rows != "paper" else 2
    best = _listed([_quoted(r[0]) if form.rows == "paper" else str(r[0]) for r in rows if r[at] == rows[0][at]])
    value = cell(rows[0][at])
    if dated:
        age = "최근" if form.order == "newest" else "오래된"
        korean = f"{'이 모음에서' if plain else f'{papers} 가운데'} 가장 {age} 것: {best} ({value}년)."
        of = "in this collection" if plain else f"of the {papers}"
        return _say((korean, f"The {form.order} paper {of}: {best} ({value})."), language)
    row, measure = _say(_ROWS[form.rows or "paper"], language), _measure(form, language)
    many, most = ("많은", "most") if form.order == "most" else ("적은", "fewest")
    korean, english = ("이 모음에서", "In this collection") if plain else (f"{papers} 가운데", f"Of the {papers}")
    korean += f" {measure}가 가장 {many} {row}: {best} ({value}{_UNITS[form.measure or 'papers']})."
    return _say((korean, f"{english}, the {row} with the {most} {measure}: {best} ({value})."), language)


def _terms(form: Form, rows: list[list[Any]], language: Language) -> str:
    of = form.filters.field
    korean, english = (f"{of} 분야의 ", f" in the field {of}") if of else ("", "")
    if form.rows == "field":
        return _say(("용어집의 분야별 용어 수입니다.", "Terms of the glossary by field:"), language)
    value = cell(rows[0][0]) if form.rows == "all" and rows else len(rows)
    both = (f"용어집에는 {korean}용어가 {value}개 있습니다.", f"The glossary has {value} terms{english}.")
    return _say(both, language)


def _papers(form: Form, language: Language) -> str:
    """The papers of the form, as the question has them."""
    filters, korean, english = form.filters, [], ["papers"]
    first, last = filters.year_from, filters.year_to
    if first is not None and last is not None:
        korean.append(f"{first}년" if first == last else f"{first}~{last}년")
        english.append(f"from {first}" if first == last else f"from {first} to {last}")
    elif first is not None or last is not None:
        korean.append(f"{first}년 이후" if last is None else f"{last}년까지의")
        english.append(f"since {first}" if last is None else f"until {last}")
    if filters.venue:
        korean.append(f"{filters.venue}에 실린")
        english.append(f"at {filters.venue}")
    if filters.field:
        korean.append(f"{filters.field} 분야의")
        english.append(f"in the field {filters.field}")
    if filters.author:
        korean.append(f"저자가 {filters.author}인")
        english.append(f"by {filters.author}")
    if form.title:
        korean.append(f"제목에 “{form.title}”이(가) 들어간")
        english.append(f"with “{form.title}” in the title")
    if form.citing:
        korean.append(f"{_titles(form.citing)}을(를) 인용한")
        english.append(f"that cite {_titles(form.citing)}")
    if form.cited_by:
        korean.append(f"{_titles(form.cited_by)}이(가) 인용한")
        english.append(f"that {_titles(form.cited_by)} cites")
    if form.only and not korean:
        return _titles(form.only)
    if form.only:
        korean.append(f"{_titles(form.only)} 중")
        english.append(f"among {_titles(form.only)}")
    return _say((" ".join([*korean, "논문"]), " ".join(english)), language)


def _measure(form: Form, language: Language) -> str:
    name = _say(_HEADS[form.measure or "papers"], language)
    return _say((f"평균 {name}", f"{name} on average"), language) if form.total == "mean" else name


def _titles(papers: list[Paper]) -> str:
    return _listed([_quoted(paper["title"]) for paper in papers])


def _quoted(title: Any) -> str:
    return f"“{title}”"


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_LONGEST]) + (" …" if len(names) > _LONGEST else "")


def _say(both: tuple[str, ...], language: Language) -> str:
    return both[0] if language == "ko" else both[1]
