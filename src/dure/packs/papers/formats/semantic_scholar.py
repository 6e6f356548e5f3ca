"""Records like Semantic Scholar's (https://api.semanticscholar.org/api-docs/), of its API or its data sets."""

from typing import Any

from dure.packs.papers.formats.reading import integer, items, mapping, text
from dure.packs.papers.record import PaperRecord


def convert(value: dict[str, Any]) -> PaperRecord:
    """A record of one object; what has another shape than it should is left out."""
    value = {key.lower(): each for key, each in value.items()}
    ids = _ids(value.get("externalids"))
    paper_id = text(value.get("paperid")) or text(value.get("corpusid")) or ids.get("corpusid", "")
    journal = mapping(value.get("journal"))
    return PaperRecord(
        title=text(value.get("title")),
        authors=[text(mapping(each).get("name")) or text(each) for each in items(value.get("authors"))],
        year=integer(value.get("year")),
        venue=text(value.get("venue")) or text(journal.get("name")),
        field=_field(value),
        abstract=text(value.get("abstract")),
        doi=ids.get("doi", "") or text(value.get("doi")),
        arxiv_id=ids.get("arxiv", "") or text(value.get("arxivid")),
        acl_id=ids.get("acl", ""),
        url=text(mapping(value.get("openaccesspdf")).get("url")) or text(value.get("url")),
        citations=integer(value.get("citationcount")),
        references=[each for each in map(_reference, items(value.get("references"))) if each],
        key=f"s2:{paper_id}" if paper_id else "",
    )


def _field(value: dict[str, Any]) -> str:
    told = [*items(value.get("fieldsofstudy")), *items(value.get("s2fieldsofstudy"))]
    return next(filter(None, (text(each) or text(mapping(each).get("category")) for each in told)), "")


def _reference(value: Any) -> str:
    """What a reference is known by: a DOI, arXiv or ACL id, the id here, or its title."""
    if isinstance(value, str):
        # Ids are 40 hexadecimal digits; anything else is a DOI, an arXiv id or a title.
        return f"key:s2:{value}" if len(value) == 40 and value.isalnum() else value
    fields = mapping(value)
    fields = mapping(fields.get("citedPaper")) or fields
    ids, paper_id = _ids(fields.get("externalIds")), text(fields.get("paperId"))
    known = (ids.get("doi"), ids.get("arxiv"), ids.get("acl"), text(fields.get("title")))
    return next(filter(None, known), f"key:s2:{paper_id}" if paper_id else "")


def _ids(value: Any) -> dict[str, str]:
    return {key.lower(): text(each) for key, each in mapping(value).items()}
