"""`web_search`: what the web has on the message, dated and with links."""

from dure.errors import Text
from dure.packs.papers.stages import ours, prompt
from dure.packs.papers.stages.papers import shortened
from dure.teams.stages.method import Method
from dure.teams.stages.stage import Done, Stage
from dure.tooling import ToolResult

TOOL = "web_search"
_SHOWN = 5
_SNIPPET = 200


async def web_search(stage: Stage) -> Done:
    """Search with the message, then answer from the results; a small model's answer is the results themselves."""
    run = stage.run
    if TOOL not in stage.tools:
        return stage.nothing(ours(run, "no_web"))
    result = await stage.call(TOOL, queries=[run.message[:300]])
    if result.is_error:
        return stage.nothing(ours(run, "web_failed", reason=result.text))
    if not result.passages:
        return stage.nothing(ours(run, "no_web"))
    listed = _listing(stage, result)
    if not stage.last or not run.way.tells:
        return stage.done(listed)
    material = f"{run.message}\n\nResults:\n{run.observation(stage.tools[TOOL], result)}"
    return await stage.tell(prompt("web.write"), material, listed)


def _listing(stage: Stage, result: ToolResult) -> str:
    dates = {each["url"]: each.get("date", "") for each in result.fields.get("results", [])}
    lines = []
    for passage in result.passages[:_SHOWN]:
        date = f" ({dates[passage.url]})" if dates.get(passage.url) and dates[passage.url] not in passage.title else ""
        snippet = shortened(passage.text, _SNIPPET)
        lines += [f"- **{passage.title}**{date}: {snippet} [{stage.run.number(passage)}]", f"  {passage.url}"]
    return "\n".join(lines)


METHOD = Method(
    web_search, Text("So the web was searched instead.", ko="대신 웹에서 찾아보았습니다."), subject="papers", alone=True
)
