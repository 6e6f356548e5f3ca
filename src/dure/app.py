"""`Dure`: everything put together, for Python programs; the server and the commands use it too.

async with Dure() as dure:
    answer = await dure.chat("회사 휴가 정책 알려줘", team="workplace")
    print(answer.response, answer.citations)
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Self

from dure.agents import RunContext
from dure.errors import DureError, SettingsError
from dure.events import Event
from dure.knowledge import Document, Knowledge
from dure.knowledge.files import files_of, read_file
from dure.mcp import McpServers
from dure.messages import Message, language_of
from dure.models import model_of, open_embedder, open_model
from dure.papers import Glossary, Papers
from dure.runs import Answer, Ask, Experiment, Group, Runs, otel, view
from dure.settings import Settings, load_settings
from dure.storage import DEFAULT_OWNER, Database
from dure.teams import Team, all_teams, route
from dure.tooling import Tool
from dure.tools import LibraryTools, Tables, builtin_tools


class Dure:
    """An opened Dure: use it as an async context manager.

    settings: default from environment and `dure.toml`; `overrides` are single settings on top.
    model: a LangChain chat model (or a `Model`) instead of the configured one.
    tools, teams: your own, besides the built-in ones; the same name replaces.
    take_over: go on with runs that a process left behind when it died or closed.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        model: Any = None,
        tools: Iterable[Tool] = (),
        teams: Iterable[Team] = (),
        take_over: bool = True,
        **overrides: Any,
    ) -> None:
        given = settings.model_dump() if settings else {}
        self.settings = settings if settings and not overrides else load_settings(**given | overrides)
        self._given_model = model
        self._given_tools = list(tools)
        self._take_over = take_over
        self.teams = all_teams(self.settings.teams_dir, teams)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as opened:
            await self._open(opened)
            self._opened = opened.pop_all()
        return self

    async def _open(self, opened: AsyncExitStack) -> None:
        """Open all parts, noting for each how to close it: in reverse order, also when a later one fails."""
        settings = self.settings
        try:
            settings.data_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(key="DURE_DATA_DIR", reason=f"{settings.data_dir}: {error.strerror}") from None
        self.database = await Database.open(settings.url, pool=settings.database_pool)
        opened.push_async_callback(self.database.close)
        self.model = model_of(self._given_model) if self._given_model else open_model(settings, self.database)
        opened.push_async_callback(self.model.close)
        self.embedder = open_embedder(settings)
        if self.embedder is not None:
            opened.push_async_callback(self.embedder.close)
        self.knowledge = Knowledge(
            self.database, settings.data_dir / "files", self.embedder, max_bytes=settings.max_upload_bytes
        )
        opened.push_async_callback(self.knowledge.close)
        self.papers = Papers(self.database, self.knowledge)
        self.glossary = Glossary(self.database)
        opened.push_async_callback(self.papers.close)
        self.tables = Tables(self.knowledge)
        opened.push_async_callback(self.tables.close)
        self.mcp = McpServers(settings.mcp_config)
        opened.push_async_callback(self.mcp.close)
        library = LibraryTools(self.papers, self.glossary)
        opened.push_async_callback(library.close)
        builtin = builtin_tools(self.knowledge, self.tables, library, settings)
        self._tools = {t.name: t for t in [*builtin, *self._given_tools]}
        self.runs = Runs(
            settings,
            self.database,
            self.model,
            self.teams,
            lambda: self.tools,
            self.embedder,
            ready=self._mcp_ready,
            ended=self._watching(opened),
        )
        opened.push_async_callback(self.runs.close)
        await self.knowledge.start()
        await self.mcp.start()
        await self.runs.open(take_over=self._take_over)

    def _watching(self, opened: AsyncExitStack) -> Callable[[str, str], None]:
        """Who is told of the runs that ended."""
        if not otel.wanted(self.settings):
            return lambda owner, run_id: None
        exporter = otel.Exporter(lambda owner, run_id: self.view(run_id, owner=owner))
        opened.push_async_callback(exporter.close)
        return exporter.ended

    async def __aexit__(self, *_: object) -> None:
        await self._opened.aclose()

    async def _mcp_ready(self) -> None:
        """Wait a moment for the MCP servers: a run that goes on may need their tools."""
        await self.mcp.ready(10)

    @property
    def tools(self) -> dict[str, Tool]:
        """All tools there are at this moment, by name."""
        return self._tools | {t.name: t for t in self.mcp.tools(taken=self._tools)}

    async def chat(
        self,
        message: str,
        *,
        team: str | None = None,
        session_id: str | None = None,
        level: str | None = None,
        output_format: str | None = None,
        owner: str = DEFAULT_OWNER,
    ) -> Answer:
        """Ask and wait for the answer. Raises a DureError for bad input or a failed run."""
        run = await self.runs.start(owner, _ask(message, team, session_id, level, output_format))
        try:
            return await self.runs.answer(owner, run.id)
        except asyncio.CancelledError:
            await self.runs.cancel(owner, run.id)
            raise

    async def stream(
        self,
        message: str,
        *,
        team: str | None = None,
        session_id: str | None = None,
        level: str | None = None,
        output_format: str | None = None,
        owner: str = DEFAULT_OWNER,
    ) -> AsyncIterator[Event]:
        """Ask and get the events as they happen; the last is RunFinished, RunFailed, or RunWaiting where people have to
        decide."""
        run = await self.runs.start(owner, _ask(message, team, session_id, level, output_format))
        ended = False
        try:
            async for _, event in self.runs.events(owner, run.id):
                yield event
            ended = True
        finally:
            if not ended:
                await self.runs.cancel(owner, run.id)

    def experiment(self, name: str, *, owner: str = DEFAULT_OWNER) -> Group:
        """Group the runs that are started within a `with` block of this under `name`:

            with dure.experiment("prompts of May") as experiment:
                await dure.chat("…")
            print(await experiment.summary())

        A name that was used before goes on with that experiment. Raises InvalidInput for one of no or more than 100
        characters."""
        return Group(self.runs, name, owner)

    async def view(self, run_id: str, *, owner: str = DEFAULT_OWNER) -> Experiment:
        """A run as an experiment: prompts, routing, tools, queries, tokens, cost. Raises NotFound."""
        return view(await self.runs.get(owner, run_id), self.runs.prices)

    async def rate(
        self, run_id: str, rating: int, comment: str | None = None, *, owner: str = DEFAULT_OWNER
    ) -> dict[str, Any]:
        """Say what one thinks of a run, 1 to 5; again: instead. Returns the run. Raises NotFound, InvalidInput."""
        return await self.runs.rate(owner, run_id, rating, comment)

    async def route(
        self,
        message: str,
        team: str | None = None,
        history: Sequence[Message] = (),
        *,
        owner: str = DEFAULT_OWNER,
    ) -> dict[str, Any]:
        """Who would work on a message, without letting anybody: `{agents, how, scores, seconds}`; no agents: the team
        answers itself. history: earlier turns. Raises InvalidInput for what cannot be used, and the model's errors."""
        asked = Ask(message, None, team, language=language_of(message))
        chosen, level, output_format = asked.checked(self.teams, self.settings.max_message_chars)
        context = RunContext(
            owner=owner,
            run_id="",
            session_id="",
            message=message,
            model=self.model,
            tools=self.tools,
            emit=lambda _: None,
            language=asked.language,
            level=level,
            output_format=output_format,
            history=list(history),
            last_answer=next((str(m["content"]) for m in reversed(history) if m["role"] == "assistant"), ""),
            embedder=self.embedder,
            max_iterations=self.settings.max_iterations,
        )
        started = time.perf_counter()
        routed = await route(chosen, context)
        seconds = round(time.perf_counter() - started, 4)
        return {"agents": routed.agents, "how": routed.how, "scores": routed.scores, "seconds": seconds}

    async def ingest(
        self,
        *paths: Path | str,
        owner: str = DEFAULT_OWNER,
        progress: Callable[[list[Document]], None] | None = None,
    ) -> list[Document]:
        """Add files, and the files of folders but hidden ones, to the documents; returns when each is ready or failed.

        progress is called with all of them whenever one gets further. Raises InvalidInput for a path that does not
        exist; for a file that cannot be read or taken the error is raised once all others are in."""
        added: list[str] = []
        errors: list[DureError] = []
        for name, path in files_of(map(Path, paths)):
            try:
                data = await asyncio.to_thread(read_file, path, self.settings.max_upload_bytes)
                added.append((await self.knowledge.add(owner, name, data)).id)
            except DureError as error:
                errors.append(error)
        documents = await self.knowledge.wait(owner, list(dict.fromkeys(added)), progress=progress)
        if errors:
            raise errors[0]
        return documents


def _ask(message: str, team: str | None, session_id: str | None, level: str | None, output_format: str | None) -> Ask:
    return Ask(message, session_id, team, level, output_format, language_of(message))
