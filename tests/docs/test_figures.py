"""Limits and defaults that the documents tell are those of the code. Those of tools, contracts and papers are tested
with them."""

from inspect import signature
from pathlib import Path

import pytest
from fixtures.reader.blocks import text_of

import dure
from dure.agents import context, grounded, running
from dure.agents.guided import GUIDED
from dure.agents.ways import Way
from dure.api import documents as documents_route
from dure.api import following, uploads
from dure.knowledge import dense, excerpt, indexing, split
from dure.knowledge.parse import archive, child, reader, table
from dure.models import facts, probe
from dure.models.bundled import model as bundled
from dure.packs.papers.library import starter as starters
from dure.packs.papers.stages import glossary, summarize, wanted
from dure.records import records
from dure.runs import ask, watch, working
from dure.settings import Settings
from dure.storage import files, jobs, sqlite
from dure.teams import Team, planner_steps, router
from dure.teams.definition import MOST_STAGES
from dure.teams.who import choosing
from dure.toolsets.mcp import server


def starter(name: str) -> int:
    """The papers or terms that are there from the start."""
    data = Path(starters.__file__).parent / "data"
    return sum(len(path.read_text("utf-8").splitlines()) for path in data.glob(f"{name}*.jsonl"))


READING = signature(reader.Reader).parameters["seconds"].default
WORDS = {1: "one", 3: "three", 4: "four", 8: "eight", 10: "ten", 20: "twenty"}
DEFAULT = {name: field.default for name, field in Settings.model_fields.items()}
TEAM = {name: field.default for name, field in Team.model_fields.items()}
TOLD = {
    "README.md": [f'after which an approval that nobody gave counts as "no"; at most {87_600:,}'],
    "docs/approvals.md": [f"`DURE_APPROVAL_HOURS` ({DEFAULT['approval_hours']:g})"],
    "docs/documents.md": [
        f"the first {table.MAX_ROWS:,} rows of a sheet",
        f"`DURE_MAX_UPLOAD_BYTES` ({DEFAULT['max_upload_bytes']:,})",
    ],
    "docs/http.md": [
        f"up to {DEFAULT['max_message_chars']:,} characters (`DURE_MAX_MESSAGE_CHARS`)",
        f"a name of at most {ask.MAX_EXPERIMENT} characters",
        f"a comment comes every {following.KEEP_ALIVE:g} silent seconds",
        f"its `comment` has at most {records.MAX_COMMENT:,} characters",
        f"A title has 1 to {ask.MAX_TITLE} characters",
        f"up to {uploads.MAX_FILES} files",
        f"of at most {documents_route.MOST_TEXT:,} characters",
        f"`width` pixels wide (16 to {reader.MAX_WIDTH:,}",
    ],
    "docs/knowledge.md": [
        f"a time limit ({READING:g} s) and a memory limit ({child.MEMORY >> 30} GB of address space",
        f"unpacked at most {archive.MAX_UNPACKED // 10**6} MB",
        f"up to {split.LIMIT} characters, ended at paragraphs from {split.TARGET} on",
        f"{WORDS[indexing._BATCH]} passages at a time",
        f"fewer than {dense.FEW} passages",
        f"Below {grounded.WEAK} the documents",
        f"for the {excerpt.CLOSELY} nearest at a first glance",
    ],
    "docs/models.md": [
        f"`DURE_MODEL_TIMEOUT` ({DEFAULT['model_timeout']:g})",
        f"gives a model {probe._OLLAMA_DEFAULT:,} tokens",
        f"Files of {bundled._SMALL_BYTES / 10**9} GB and more",
        f"{Way.parts} parts at most",
        f"{GUIDED.window:,} characters at once, {WORDS[GUIDED.parts]} parts at most",
        f"kept in the database for {'a day' if facts.KEPT.days == 1 else facts.KEPT}",
    ],
    "docs/python.md": [f"`import dure` has {WORDS[len(dure.__all__)]} names"],
    "docs/runs.md": [
        f"not heard of for {jobs.STALLED:g} seconds",
        f"after {WORDS[working._RECOVERIES]} times in a row without a model call",
        f"{'Once a second' if watch.EVERY == 1 else watch.EVERY} each process looks",
    ],
    "docs/scale-out.md": [
        f"`DURE_DATABASE_POOL` ({DEFAULT['database_pool']})",
        f"data folder, for {'an hour' if files._KEPT == 3600 else files._KEPT}",
        f"missed after {jobs.STALLED:g} seconds",
        f"for up to {'five' if sqlite.PATIENCE == 5 else sqlite.PATIENCE} seconds",
    ],
    "docs/teams.md": [
        f"may delegate in one run ({TEAM['max_rounds']})",
        f"steps of a planner's plan ({TEAM['max_steps']})",
        f"at most `max_steps` ({GUIDED.steps} with a [small model]",
        f"one to {WORDS[MOST_STAGES]} agents",
        f"{'tried once more' if planner_steps.ATTEMPTS == 2 else planner_steps.ATTEMPTS}: from where",
        f"From {100 * choosing.SURE:g} % on the examples decide",
        f"where nothing reaches {100 * choosing.ENOUGH:g} %",
        f"ask for it, and {100 * choosing._SURE_OF_EFFECT:g} %",
        f"({WORDS[router._FALLBACKS]} times in a run at most)",
        f"as are asked for ({WORDS[wanted.MOST]} at most)",
        f"as are asked for ({WORDS[summarize._MOST]} at most)",
        f"up to {WORDS[glossary._MOST]}, without asking the model",
    ],
    "docs/tools.md": [
        f"at most {context.SIDE_BY_SIDE} at once in a run",
        f"Of more than {running.MOST_CALLS} in one reply",
        f"for each only within its first {server.PATIENCE:g} seconds",
        f"after {server.RETRY:g} s, 1 s, 2 s … up to a minute",
        f"{WORDS[server._TIMEOUTS_IN_A_ROW].capitalize()} calls in a row",
    ],
}


@pytest.mark.parametrize(("page", "figure"), [(page, each) for page, told in TOLD.items() for each in told])
def test_what_is_told_is_so(page: str, figure: str) -> None:
    assert figure in " ".join(text_of(page).split())
