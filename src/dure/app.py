"""`Dure`: everything put together, for Python programs; the server and the commands use it too.

async with Dure() as dure:
    answer = await dure.chat("회사 휴가 정책 알려줘", team="workplace")
    print(answer.response, answer.citations)
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from dure.adapted import Shape, team_runnable, team_tool
from dure.agents import WAYS, Agent, RunContext, way_of
from dure.answer import Answer
from dure.blocking import Blocking
from dure.dialects import DIALECTS
from dure.egress import Guard
from dure.errors import AlreadyOpen, DureError, FilesUnavailable, InvalidInput, NotOpen, SettingsError, phrase
from dure.events import Event
from dure.keys import Keys
from dure.knowledge.base import Knowledge
from dure.knowledge.document import Document
from dure.knowledge.files import files_of, read_file
from dure.knowledge.watch import Watch
from dure.language import language_of_talk
from dure.messages import Message, user
from dure.models import Model, Models, for_documents, missing, model_of, open_embedder
from dure.pack import Pack, Parts, chosen, loaded, register
from dure.records import Experiment, Group, Prices, Records, current, otel
from dure.runs import ENGINES, Ask, How, Run, Runs
from dure.runs.ask import Manner, asked, check_kinds
from dure.runs.budgets import Budgets
from dure.runs.delivery import Delivery
from dure.runs.schedules import Schedules
from dure.runs.working import Working
from dure.settings import AUTO, Settings, load_settings
from dure.storage import DEFAULT_OWNER, Database
from dure.storage.files import KEY, check, open_files
from dure.storage.shelves import PERSONAL
from dure.storage.vault import Vault
from dure.teams import KINDS, Team, TeamFiles, all_teams, check_tools, warn_of_tools
from dure.tooling import Effect, Tool
from dure.toolsets import Tools, Toolset, knowledge_tool, reading_tool
from dure.toolsets.mcp import McpServers

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable


class Dure:
    """An opened Dure: use it as an async context manager. Opening it raises SettingsError, and InvalidInput for a tool
    that an agent of `teams` names and that nothing has, or can bring later.

    settings: default from environment and `dure.toml`; `overrides` are single settings on top.
    model: a LangChain chat model (or a `Model`) instead of the configured one, or the name of one in the settings.
    tools, teams: your own, besides the built-in ones; the same name replaces. A tool: a function, a toolset, a tool of
        LangChain, pydantic-ai or MCP (`dure.toolsets.as_tool`); InvalidTool is raised for anything else.
    take_over: go on with runs that a process left behind when it died or closed.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        model: Any = None,
        tools: Iterable[Any] = (),
        teams: Iterable[Team] = (),
        take_over: bool = True,
        **overrides: Any,
    ) -> None:
        self.settings = load_settings(settings, **overrides, **({"model": model} if isinstance(model, str) else {}))
        self.given_model = None if isinstance(model, str) else model
        self._own = Tools(tools)
        self._take_over = take_over
        if not self.settings.langsmith:
            # LangChain would send all that it sees to a third party, because of variables meant for other programs.
            os.environ["LANGSMITH_TRACING_V2"] = "false"
        self.on: Sequence[Pack] = chosen(self.settings.packs)
        """The packs that are on, each after those that it needs."""
        register(self.on)
        for key, name, known in (
            ("DURE_TOOL_DIALECT", self.settings.tool_dialect, (AUTO, *DIALECTS)),
            ("DURE_WAY", self.settings.way, (AUTO, *WAYS)),
            ("DURE_ENGINE", self.settings.engine_name, (*ENGINES,)),
        ):
            if name not in known:
                raise SettingsError(key=key, reason=phrase("app.unknown", name=name, names=", ".join(known)))
        sqlite = self.settings.url.startswith("sqlite")
        if self.settings.engine_name == ("jobs" if sqlite else "in_process"):
            raise SettingsError(key="DURE_ENGINE", reason=phrase("app.engine"))
        if sqlite and self.settings.work != "all":
            raise SettingsError(key="DURE_WORK", reason=phrase("app.work"))
        folders = [pack.teams for pack in self.on if pack.teams]
        check_kinds({"teams": Iterable}, {"teams": teams})
        self._given = given = tuple(teams)
        for team in given:
            check_kinds({"teams": Team}, {"teams": team})
        written = self.settings.teams_dir or self.settings.data_dir / "teams"
        self.team_files = TeamFiles(written, lambda folder: all_teams(folder, given, folders))
        self.teams = self.team_files.load(written if self.settings.teams_dir or os.path.isdir(written) else None)

    async def __aenter__(self) -> Self:
        if "_opened" in vars(self):
            raise AlreadyOpen()
        async with AsyncExitStack() as opened:
            opened.callback(self._forget, {*vars(self)})
            self._opened = opened
            await self._open(opened)
            self._opened = opened.pop_all()
        return self

    def _forget(self, kept: set[str]) -> None:
        for name in vars(self).keys() - kept:
            delattr(self, name)

    async def _open(self, opened: AsyncExitStack) -> None:
        """Open all parts, noting for each how to close it: in reverse order, also when a later one fails."""
        settings = self.settings
        try:
            settings.data_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(key="DURE_DATA_DIR", reason=f"{settings.data_dir}: {error.strerror}") from None
        self.files = open_files(settings, "files")
        if settings.files is not None:
            try:
                await check(self.files)
            except FilesUnavailable as error:
                raise SettingsError(key=KEY, reason=error.details["reason"]) from None
        chains = [loaded(pack.name, pack.tables) for pack in self.on if pack.tables]
        self.database = await Database.open(settings.url, pool=settings.database_pool, packs=chains)
        opened.push_async_callback(self.database.close)
        self.models = Models(settings, self.database, model_of(self.given_model) if self.given_model else None)
        opened.push_async_callback(self.models.close)
        self.embedder = open_embedder(settings)
        if self.embedder is not None:
            opened.push_async_callback(self.embedder.close)
        self.knowledge = Knowledge(
            self.database,
            self.files,
            for_documents(self.embedder),
            max_bytes=settings.max_upload_bytes,
        )
        opened.push_async_callback(self.knowledge.close)
        self.packs: dict[str, Toolset] = {}
        for pack in self.on:
            if pack.tools:
                parts = Parts(settings, self.database, self.knowledge, self.packs, opened)
                self.packs[pack.name] = loaded(pack.name, pack.tools, parts)
        vault = Vault(self.database, settings.secret_key, settings.data_dir / "secret.key")
        self.mcp = McpServers(settings.mcp_config, vault=vault, late=settings.data_dir / "late")
        opened.push_async_callback(self.mcp.close)
        core = Tools([knowledge_tool(self.knowledge), reading_tool(self.knowledge)])
        self._toolsets: list[Toolset] = [core, *self.packs.values(), self._own]
        # Servers, packs that are off and toolsets that change may have a tool that is not there now.
        self._fixed = not (settings.packs or self.mcp.servers) and all(each.fixed for each in self._toolsets)
        check_tools(self._given if self._fixed else (), self.tools)
        warn_of_tools(self.teams.values() if self._fixed else (), self.tools)
        exporter = otel.Exporter(lambda *run: self.records.view(*run)) if otel.wanted(settings) else None
        if exporter is not None:
            opened.push_async_callback(exporter.close)
        named = {each.name: each.prices for each in settings.models.values() if each.name and each.prices}
        prices = Prices(settings.prices | named, settings.currency)
        self.budgets = Budgets(settings.budgets, settings.currency, self.database, prices.cost)

        def ended(owner: str, run_id: str) -> None:
            self.mcp.ended(run_id)
            if exporter is not None:
                exporter.ended(owner, run_id)

        working = Working(
            settings,
            self.database,
            self.models,
            self.teams,
            lambda: self.tools,
            self.embedder,
            self.budgets,
            wait_for=self.mcp.wait_for,
            ended=ended,
        )
        self.runs = Runs(working)
        opened.push_async_callback(self.runs.close)
        self.records = Records(self.runs, self.database, prices)
        delivery = Delivery(self.database, working.artifacts, vault, Guard(trusted=settings.webhook_hosts))
        self.schedules = Schedules(self.runs, self.database, Keys(settings.api_keys), delivery)
        await self.knowledge.start(index=settings.work in ("all", "ingest"))
        await opened.enter_async_context(self.mcp.pins.shared(self.database))
        await self.mcp.start()
        await self.runs.open(take_over=self._take_over)
        if self._take_over:
            opened.callback(asyncio.create_task(self.schedules.keep()).cancel)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if "_opened" in self.__dict__ or name.startswith("_"):
                raise AttributeError(f"'Dure' has no attribute '{name}'", name=name, obj=self)
            raise NotOpen()

    async def __aexit__(self, *_: object) -> None:
        # Closed by hand it may be left all the same.
        if opened := vars(self).get("_opened"):
            await opened.aclose()

    @property
    def model(self) -> Model:
        """The model that is asked where nobody chooses one."""
        return self.models[self.models.default]

    @property
    def lacks_weights(self) -> bool:
        """Whether the bundled model is the one to be asked, and its weights are not there yet."""
        return self.given_model is None and missing(self.settings)

    @property
    def tools(self) -> dict[str, Tool]:
        """All tools there are at this moment, by name."""
        ours = {name: each for toolset in self._toolsets for name, each in toolset.bound().items()}
        return {**ours, **self.mcp.tools(taken=ours)}

    async def chat(self, message: str, *, owner: str = DEFAULT_OWNER, **how: Unpack[How]) -> Answer:
        """Ask and wait for the answer. Raises a DureError for bad input or a failed run."""
        return await self._answer(owner, asked(message, **how))

    async def _start(self, owner: str, ask: Ask) -> Run:
        check_tools([ask.given] if ask.given and self._fixed else (), self.tools)
        return await self.runs.start(owner, replace(ask, experiment=current(self.records)))

    async def _answer(self, owner: str, ask: Ask) -> Answer:
        run = await self._start(owner, ask)
        try:
            return Answer.of(await self.runs.answer(owner, run.id))
        except asyncio.CancelledError:
            await self.runs.cancel(owner, run.id)
            raise

    async def ask(
        self, agent: Agent, message: str, *, schema: Any = None, owner: str = DEFAULT_OWNER, **how: Unpack[Manner]
    ) -> Answer:
        """Ask an agent that belongs to no team. With `schema` (a type such as a pydantic model, a dataclass or
        `list[str]`, or a JSON Schema of an object) the result is `answer.value`, of that type.

        Raises as `chat`; InvalidInput for a tool that there is not, as on opening; NoResult where what the model wrote
        does not fit the schema."""
        check_kinds({"agent": Agent}, {"agent": agent})
        shape = Shape(schema) if schema is not None else None
        answer = await self._answer(owner, asked(message, shape.json_schema if shape else None, team=agent, **how))
        return shape.fill(answer) if shape else answer

    async def decide(
        self, answer: Answer, action: str = "approve", *, owner: str = DEFAULT_OWNER, **more: Any
    ) -> Answer:
        """Decide alike all that an answer waits for, and wait for what comes of it. action: approve, edit (with
        `args=`), reject or answer (with `message=`). Raises AlreadyDecided, InvalidInput, NotFound."""
        check_kinds({"answer": Answer}, {"answer": answer})
        decisions = [{"approval_id": each.id, "action": action, **more} for each in answer.approvals]
        await self.runs.decide(owner, answer.run_id, decisions)
        decided = Answer.of(await self.runs.answer(owner, answer.run_id))
        return Shape(answer.schema).fill(decided) if answer.schema is not None else decided

    def sync(self) -> Blocking:
        """This Dure for scripts that know no `async`: `with Dure().sync() as dure: dure.chat("…")`."""
        return Blocking(self)

    def as_tool(self, team: str, *, effect: Effect = "read") -> Tool:
        """A team as a tool for others' agents: it takes a `message` and gives the answer. What its own run asks people
        is asked in the run that calls it, too. Raises UnknownTeam."""
        return team_tool(self, team, effect)

    def as_runnable(self, team: str) -> "Runnable[str, Answer]":
        """A team as a LangChain Runnable from message to `Answer`, for use within `async with`; `session_id` and
        `owner` are taken of the `configurable` of its config. Raises UnknownTeam."""
        return team_runnable(self, team)

    async def stream(self, message: str, *, owner: str = DEFAULT_OWNER, **how: Unpack[How]) -> AsyncIterator[Event]:
        """Ask and get the events as they happen; the last is RunFinished, RunFailed, or, for people, RunWaiting. A
        stream that is left before is cancelled."""
        run = await self._start(owner, asked(message, **how))
        async with aclosing(self.runs.followed(owner, run.id)) as events:
            async for _, event in events:
                yield event

    def experiment(self, name: str, *, owner: str = DEFAULT_OWNER) -> Group:
        """Group the runs that are started within a `with` block of this under `name`:

            with dure.experiment("prompts of May") as experiment:
                await dure.chat("…")
            print(await experiment.summary())

        A name that was used before goes on with that experiment. Raises InvalidInput for one of no or more than 100
        characters."""
        return Group(self.records, name, owner)

    async def view(self, run_id: str, *, owner: str = DEFAULT_OWNER) -> Experiment:
        """A run as an experiment: prompts, routing, tools, queries, tokens, cost. Raises NotFound."""
        return await self.records.view(owner, run_id)

    async def rate(
        self, run_id: str, rating: int, comment: str | None = None, *, owner: str = DEFAULT_OWNER
    ) -> dict[str, Any]:
        """Say what one thinks of a run, 1 to 5; again: instead. Returns the run. Raises NotFound, InvalidInput."""
        return await self.records.rate(owner, run_id, rating, comment)

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
        asked = Ask(message, None, team)
        chosen, _, _ = asked.checked(self.teams, self.settings.max_message_chars)
        decide = KINDS[chosen.kind].decide
        if decide is None:
            reason = phrase("teams_registry.no_route", team=chosen.name, kind=chosen.kind)
            raise InvalidInput(reason=reason, key="team")
        context = RunContext(
            owner=owner,
            run_id="",
            session_id="",
            message=message,
            model=self.model,
            tools=self.tools,
            emit=lambda _: None,
            decides_alone=True,
            way=way_of(self.model, self.settings.way),
            language=language_of_talk([*history, user(message)]) or "ko",
            history=list(history),
            last_answer=next((str(m["content"]) for m in reversed(history) if m["role"] == "assistant"), ""),
            embedder=self.embedder,
        )
        started = time.perf_counter()
        routed = await decide(chosen, context)
        seconds = round(time.perf_counter() - started, 4)
        return {"agents": routed.agents, "how": routed.how, "scores": routed.scores, "seconds": seconds}

    async def ingest(
        self,
        *paths: Path | str,
        owner: str = DEFAULT_OWNER,
        shelf: str = PERSONAL,
        tags: Sequence[str] | None = None,
        progress: Callable[[list[Document]], None] | None = None,
    ) -> list[Document]:
        """Add files, and the files of folders but hidden ones and links, to the documents, the owner's own or a
        shelf's; returns when each is ready or failed. `tags`: see `Knowledge.add`.

        progress is called with all of them whenever one gets further. Raises InvalidInput for a path that does not
        exist; for a file that cannot be read or taken the error is raised once all others are in."""
        files = files_of(map(Path, paths))
        documents, failed = await self.take_in(owner, files, shelf=shelf, tags=tags, progress=progress)
        if failed:
            raise failed[0][1]
        return documents

    async def watch(
        self, folder: Path | str, told: Callable[[str, DureError | None], None], *, owner: str, shelf: str = PERSONAL
    ) -> None:
        """Follow a folder until cancelled (see `Watch`); `told` is called with each name that was taken in, `- NAME`
        that was taken out, and why it could not be. Raises Forbidden and NotFound for the shelf."""
        await Watch(self.knowledge, self.settings.data_dir, Path(folder), owner, shelf).follow(told)

    async def take_in(
        self,
        owner: str,
        files: Iterable[tuple[str, Path]],
        *,
        shelf: str = PERSONAL,
        tags: Sequence[str] | None = None,
        embedded: bool = False,
        progress: Callable[[list[Document]], None] | None = None,
    ) -> tuple[list[Document], list[tuple[str, DureError]]]:
        """As `ingest` for files with the names they get: the documents, and what could not be read or taken, with why.

        embedded: return once they have their vectors too, where there are any."""
        added: list[str] = []
        failed: list[tuple[str, DureError]] = []
        for name, path in files:
            try:
                data = await asyncio.to_thread(read_file, path, self.settings.max_upload_bytes)
                added.append((await self.knowledge.add(owner, name, data, shelf, tags)).id)
            except DureError as error:
                failed.append((name, error))
        ids = list(dict.fromkeys(added))
        return await self.knowledge.wait(owner, ids, embedded=embedded, progress=progress), failed
