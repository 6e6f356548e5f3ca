"""Which papers cite which: what the library knows from records and from the references in PDFs."""

from dure.packs.papers.stages.read import READ
from dure.packs.papers.stages.texts import text
from dure.teams.stages.stage import Done, Paper, Stage


async def citing(stage: Stage, papers: list[Paper]) -> Done:
    """Of one paper, which ones cite it; of several, which of them cite each other."""
    language = stage.run.language
    if len(papers) > 1:
        pairs = [(one, two) for one in papers for two in papers if two["id"] in (one.get("references") or ())]
        told = [text("citing", language, citing=one["title"], cited=two["title"]) for one, two in pairs]
        return stage.done("\n\n".join(told) or text("none_cites", language), papers=papers)
    title = papers[0]["title"]
    result = await stage.call(READ, paper=papers[0]["id"])
    found = list(result.data.get("cited_by") or ()) if isinstance(result.data, dict) else []
    if not found:
        return stage.done(text("cited_by_none", language, title=title), papers=papers)
    lines = [f"{number}. **{each['title']}**" for number, each in enumerate(found, 1)]
    head = text("cited_by", language, title=title, count=len(found))
    return stage.done("\n".join([head, "", *lines]), papers=found)
