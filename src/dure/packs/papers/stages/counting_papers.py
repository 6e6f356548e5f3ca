"""Which papers a question of counting is about, and how: who cites them, whom they cite, or they themselves."""

import re

from dure.packs.papers.stages.known import Known
from dure.packs.papers.stages.pointing import places, pointer, several, without_pointers
from dure.packs.papers.stages.sql_form import Form
from dure.teams.stages.stage import Paper

MARK = "§"
"""Stands in a question for the papers that it means."""
_CITE = r"(?:인용|참고|참조)"
_TIMES = re.compile(
    rf"{MARK}\s?(?:은|는|이|가|을|를|의|도)?\s?(?:총|모두|지금까지)?\s?(?:(?:몇|얼마나)\s?(?:번|회|편|건|많이)?(?:이나|에|의\s?논문에)?\s?)?"
    r"피?인용(?:\s?(?:수|횟수|됐|되|된|당|받))[가-힣]*"
    rf"|\b(?:is|was|has|been|are|were)\s{MARK}\s(?:been\s)?(?:cited|referenced)"
    rf"|{MARK}\s(?:(?:is|was|are|were|has|have|been|gets?|got)\s)+(?:cited|referenced)"
    rf"|{MARK}(?:'s)?\s(?:citation\s?counts?|citations?)\b",
    re.IGNORECASE,
)
_CITING = re.compile(
    rf"{MARK}\s?(?:을|를)?\s?(?:(?:직접|모두|함께|둘\s?다)\s)?{_CITE}(?:한|하는|하고\s?있는|했던)"
    rf"|\b(?:cit(?:e|es|ed|ing)|referenc(?:e|es|ed|ing))\s{MARK}|\bcitations?\s(?:of|to|for|does|did)\s{MARK}(?:\s(?:have|has|get))?",
    re.IGNORECASE,
)
_CITED_BY = re.compile(
    rf"{MARK}\s?(?:이|가|은|는)\s?{_CITE}(?:한|하는|하고|했)[가-힣]*"
    rf"|{MARK}\s?(?:은|는|이|가)\s(?=(?:[^\s§]+\s){{1,3}}{_CITE}(?:하|했|한))|{MARK}\s?(?:에|에서)\s?{_CITE}(?:한|하는|된|되)[가-힣]*"
    rf"|{MARK}\s?(?:의)?\s?참고\s?문헌"
    rf"|\bcited\s(?:by|in)\s{MARK}|\b(?:do|does|did)\s{MARK}\s(?:cite|reference)\b|{MARK}\s(?:cites?|cited|references)\b"
    rf"|{MARK}(?:'s)?\s(?:references|bibliography)\b|\breferences\s(?:of|in|does)\s{MARK}(?:\s(?:have|has))?",
    re.IGNORECASE,
)


def meant(known: Known) -> list[Paper]:
    """Those of the library alone. "How many papers cite that paper" speaks of papers, and means one."""
    papers = known.meant()
    these = pointer(known.request)
    if len(papers) > 1 and not known.named and not places(known.request) and these and not several(these):
        papers = known.earlier[:1]
    return [paper for paper in papers if paper["id"]]


def marked(rest: str, known: Known) -> tuple[str, str]:
    """The question with a mark for the papers that it names or points to, and the first name as it stands there."""
    mention = ""
    names = [name for paper in known.named for name in (paper["title"], *(paper.get("aliases") or ())) if name]
    for name in sorted(names, key=len, reverse=True):
        found = re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", rest, re.IGNORECASE)
        if found:
            mention = mention or found[0]
            rest = f"{rest[: found.start()]}{MARK}{rest[found.end() :]}"
    if known.meant():
        rest = without_pointers(rest, MARK)
    and_ = r"(?:와|과|랑|이랑|하고|및|,|and|&)"
    rest = re.sub(rf"\b(?:the|a)\s(?={MARK})", "", rest, flags=re.IGNORECASE)
    rest = re.sub(rf"{MARK}\s?(?:논문|paper|article)s?\b|{MARK}\s?논문", MARK, rest, flags=re.IGNORECASE)
    rest = re.sub(rf"[\"'“”‘’《》「」*]*{MARK}[\"“”‘’《》「」*]*", MARK, rest)
    return re.sub(rf"{MARK}(?:\s?{and_}\s?{MARK})+", MARK, rest), mention


def relate(form: Form, rest: str, papers: list[Paper]) -> str:
    """Put the meant papers where the question has them. Returns what is left of it."""
    if not papers or MARK not in rest:
        return rest
    times = _TIMES.search(rest)
    if times and len(papers) > 1:
        form.only, form.rows, form.measure = papers, "paper", "citations"
        return cut(rest, times)
    if citing := times or _CITING.search(rest):
        form.citing = papers
        if times:
            form.rows, form.measure = "all", "papers"
        return cut(rest, citing)
    if cited := _CITED_BY.search(rest):
        form.cited_by = papers
        return cut(rest, cited)
    form.only = papers
    return rest


def cut(rest: str, match: re.Match[str]) -> str:
    """The question without what was read of it."""
    return f"{rest[: match.start()]} {rest[match.end() :]}"
