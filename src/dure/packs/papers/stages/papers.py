"""`search_paper`: finds papers by their text and what is known of them; `web_search`: what the web has on the message,
dated and with links."""

from dure.errors import DureError, Language, Text
from dure.knowledge.claims import cited_in
from dure.knowledge.sentences import cut_at
from dure.packs.papers.record import credit
from dure.packs.papers.stages import lying, ours, prompt
from dure.packs.papers.stages.meant import documents_in
from dure.packs.papers.stages.reading import window
from dure.packs.papers.stages.wanted import Wanted, wanted
from dure.packs.papers.tools.search import QUERY, SHOWN, WEAKEST
from dure.sources import Passage
from dure.teams.stages.method import Method
from dure.teams.stages.stage import Done, Paper, Stage
from dure.tooling import ToolResult, an_object

TOOL, WEB = "search_papers", "web_search"
_SENTENCES = 180
"""Characters shown of a paper's summary in a list."""
_RESULTS, _SNIPPET = 5, 200
"""Results of the web that are listed, and characters of each."""


async def search_paper(stage: Stage) -> Done:
    """Search, then list what was found; a model that can writes the answer from it."""
    run, asked = stage.run, await wanted(stage)
    result = await stage.call(TOOL, **asked.as_args())
    if result.is_error:
        asked = Wanted([run.message[:QUERY]])
        result = await stage.call(TOOL, **asked.as_args())
    note = ""
    unsure = {name: asked.filters.pop(name) for name in ("author", "venue") if name in asked.filters}
    if not (result.is_error or result.fields.get("papers")) and unsure and asked.queries:
        # A name that was read wrongly keeps everything out.
        result = await stage.call(TOOL, **asked.as_args())
        note = ours(run, "without", names=", ".join(unsure.values())) + "\n\n"
    if result.is_error:
        return stage.nothing(ours(run, "search_failed", reason=result.text))
    papers: list[Paper] = result.fields.get("papers", [])
    # With an author, what is theirs is what was asked for; what fits the years, the venue or the field alone is not.
    topical = result.fields.get("queries") and "author" not in (result.fields.get("filters") or {})
    if not papers or (topical and result.fields.get("evidence", 1.0) < WEAKEST):
        return stage.nothing(" ".join([ours(run, "no_papers"), *lying(run, await documents_in(run, run.message))]))
    # What goes into a file no model looks through after this, and of what is all meant none is left out.
    unseen = stage.known.found or all(each.changes for each in stage.later)
    if not stage.last and unseen and run.way.decides and asked.queries:
        looked_at, papers = papers, await _fitting(stage, papers)
        if not papers:
            titles = " / ".join(str(each["title"]) for each in looked_at)
            return stage.nothing(note + ours(run, "none_fits", titles=titles))
    more = ours(run, "more_papers", count=SHOWN) if asked.k is None and len(papers) == SHOWN else ""
    if not stage.last or not run.way.tells:
        listed = listing(stage, papers, result.passages, own=True)
        found = f"{ours(run, 'found', count=len(papers))} {more}".strip()
        return stage.done(f"{note}{found}\n\n{listed}", papers=papers)
    listed = listing(stage, papers, result.passages)
    told = f"{run.observation(stage.tools[TOOL], result)}\n\n"
    if len(told) + len(listed) > await window(stage, len(told) + len(listed)):
        told = ""
    below = listing(stage, papers, result.passages, cards=True) if told else listed
    material = f"{run.message[:QUERY]}\n\n{note}Papers:\n{told}{below}"
    done = await stage.tell(prompt("papers.write"), material, listed, said=note, papers=papers)
    numbered = dict(enumerate(run.sources.passages, 1))
    cited = {numbered[n].document_id for n in cited_in(done["text"]) if n in numbered}
    if more and all(cited & {each.get("document_id"), each.get("full_text_id")} for each in papers):
        # Where some were left out, what lies behind them fits no better.
        done["text"] += f"\n\n{more}"
        stage.voice.settle(done["text"])
    return done


async def _fitting(stage: Stage, papers: list[Paper]) -> list[Paper]:
    """The papers that a model finds to fit, for whoever works after it; all where it does not say."""
    told = "\n".join(f"{n}. {p['title']} - {about_of(p, 'en', _SENTENCES)}" for n, p in enumerate(papers, 1))
    number = {"type": "integer", "minimum": 1, "maximum": len(papers)}
    schema = an_object({"fit": {"type": "array", "items": number}})
    try:
        material = f"{stage.run.message[:QUERY]}\n\nPapers:\n{told}"
        written = await stage.write_json(prompt("papers.fits"), material, schema, purpose="search", part="fit")
    except DureError:
        return papers
    fit = written.get("fit")
    return [paper for n, paper in enumerate(papers, 1) if n in fit] if isinstance(fit, list) else papers


def listing(
    stage: Stage, papers: list[Paper], passages: list[Passage], *, own: bool = False, cards: bool = False
) -> str:
    """The papers as a numbered Markdown list, each with its link, a sentence about it, and its passage cited. own: no
    model writes from it; it tells what the record says, and cites no passage of the full text that says something
    else. cards: they stand beside it, and are not told again."""
    by_document = {passage.document_id: passage for passage in reversed(passages)}
    items = []
    for number, paper in enumerate(papers, 1):
        # What is said about it stands in its card: that is what the number is for.
        card = paper.get("document_id")
        about = "" if cards and card in by_document else about_of(paper, stage.run.language, _SENTENCES)
        its = next((by_document[d] for d in (card, paper.get("full_text_id")) if d in by_document), None)
        if own and its and its.document_id != card:
            shown = "".join(about.removesuffix("…").split())
            its = its if shown and shown in "".join(its.text.split()) else None
        mark = f" [{stage.run.number(its)}]" if its else ""
        lines = [f"{number}. **{paper['title']}** — {credit(paper)}{'' if about else mark}"]
        if about:
            lines.append(f"   {about}{mark}")
        if link := paper.get("link") or paper.get("url"):
            lines.append(f"   {stage.run.own(link)}")
        item = "\n".join(lines)
        items.append(stage.run.own(item) if own else item)
    return "\n".join(items)


def about_of(paper: Paper, language: Language, most: int) -> str:
    """The first sentences of what is known about it, `most` characters at most; of the summary in the language, where
    there is one."""
    names = (f"summary_{language}", "abstract", "summary_en", "summary_ko")
    return shortened(next(filter(None, (str(paper.get(name) or "").strip() for name in names)), ""), most)


def shortened(told: str, most: int) -> str:
    """The first sentences of a text, or words of the first one, `most` characters at most."""
    told = told.strip()
    shown = told[: cut_at(told, 0, most)].strip()
    return shown if shown == told or shown.endswith(".") else f"{shown} …"


async def web_search(stage: Stage) -> Done:
    """Search with the message, then answer from the results; a small model's answer is the results themselves."""
    run = stage.run
    if WEB not in stage.tools:
        return stage.nothing(ours(run, "no_web"))
    result = await stage.call(WEB, queries=[run.message[:300]])
    if result.is_error:
        return stage.nothing(ours(run, "web_failed", reason=result.text))
    if not result.passages:
        return stage.nothing(ours(run, "no_web"))
    listed = _of_web(stage, result)
    if not stage.last or not run.way.tells:
        return stage.done(listed)
    material = f"{run.message}\n\nResults:\n{run.observation(stage.tools[WEB], result)}"
    return await stage.tell(prompt("web.write"), material, listed)


def _of_web(stage: Stage, result: ToolResult) -> str:
    dates = {each["url"]: each.get("date", "") for each in result.fields.get("results", [])}
    lines = []
    for passage in result.passages[:_RESULTS]:
        date = f" ({dates[passage.url]})" if dates.get(passage.url) and dates[passage.url] not in passage.title else ""
        snippet = shortened(passage.text, _SNIPPET)
        lines += [f"- **{passage.title}**{date}: {snippet} [{stage.run.number(passage)}]", f"  {passage.url}"]
    return "\n".join(lines)


METHOD = Method(search_paper, subject="papers", alone=True)
_INSTEAD = Text("So the web was searched instead.", ko="대신 웹에서 찾아보았습니다.")
WEB_METHOD = Method(web_search, _INSTEAD, subject="papers", alone=True)
