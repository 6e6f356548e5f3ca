"""Papers: a library that one asks, reads and counts, and a glossary."""

from functools import cache
from pathlib import Path
from typing import Any

from dure.pack import Command, Pack, beside
from dure.texts import Catalogue, Text

_STAGES = "dure.packs.papers.stages"


@cache
def data(name: str) -> dict[str, Any]:
    """What a TOML file beside this one holds: `formats`, `prompts`, `questions` or `searches`."""
    import tomllib

    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text("utf-8"))


TEXTS = Catalogue(beside(__file__, "texts"))
PACK = Pack(
    name="papers",
    summary=Text("Research papers and a glossary", ko="연구 논문과 용어집"),
    needs=("web",),
    tools="dure.packs.papers.tools.library:open_library",
    teams=beside(__file__, "teams"),
    texts=TEXTS.folder,
    tables="dure.packs.papers.storage:CHAIN",
    routes="dure.packs.papers.routes:router",
    commands={
        "papers": Command(
            "dure.packs.papers.commands:app",
            Text("Papers: import, look at, remove", ko="논문: 가져오기, 보기, 지우기"),
            TEXTS["cli_help"],
        ),
    },
    methods={
        "search_paper": f"{_STAGES}.papers:METHOD",
        "glossary": f"{_STAGES}.glossary:METHOD",
        "summarize": f"{_STAGES}.summarize:METHOD",
        "text2sql": f"{_STAGES}.sql:METHOD",
        "web_search": f"{_STAGES}.papers:WEB_METHOD",
        "save_file": f"{_STAGES}.save:METHOD",
    },
    short_ways={"file": f"{_STAGES}.save:WAY"},
    subjects={"papers": f"{_STAGES}.meant:PapersSubject"},
)
