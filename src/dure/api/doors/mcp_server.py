"""Dure as an MCP server (https://modelcontextprotocol.io): teams and documents as tools, documents as resources, the
teams' example questions as prompts."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

import mcp_types as mcp
from mcp.server import Server
from mcp.shared.exceptions import MCPError
from pydantic import Field, TypeAdapter, ValidationError, validate_call

from dure import __version__
from dure.api.auth import Caller
from dure.api.bodies import invalid
from dure.api.doors.mcp_asking import DOCUMENT, Context, Reply, answered, reply
from dure.api.following import number_of
from dure.errors import DureError, Language, NotFound
from dure.language import in_language, language_of_message
from dure.messages import ToolCall
from dure.runs import Ask
from dure.tooling import ToolContext
from dure.toolsets import run_call

_PAGE = 100
"""Documents of a list."""
_MOST_TEXT = 200_000
"""Characters of a text."""
_NO_RESOURCE = -32002
"""The protocol's code."""

Query = Annotated[str, Field(min_length=1, max_length=500)]
Place = Annotated[int, Field(ge=0)]


class Tools:
    """The tools, for one call; what they are for is told to models as it stands here."""

    def __init__(self, context: Context, who: Caller, call: mcp.CallToolRequestParams | None = None) -> None:
        self._context, self._who, self._call = context, who, call or mcp.CallToolRequestParams(name="")

    async def ask_team(
        self,
        message: Annotated[str, Field(description="the question, understood without the conversation")],
        team: Annotated[str | None, Field(description="the team's name; the usual one without it")] = None,
        session_id: Annotated[str | None, Field(description="of an earlier answer, to go on from there")] = None,
    ) -> Reply:
        """Ask a team of agents a question. It searches documents, papers, data and the web, and answers with sources.
        Before it does anything that matters a person is asked."""
        # The client's own runs alone can be named.
        run_id = self._call.request_state
        if run_id is None:
            asked = Ask(message, session_id, team, output_format="markdown")
            run_id = (await self._who.dure.runs.start(self._who.owner, asked)).id
        return await answered(self._context, self._who, run_id, self._call.input_responses)

    async def decide(
        self,
        run_id: str,
        approval_id: str,
        action: Literal["approve", "edit", "reject", "answer"],
        args: Annotated[dict[str, Any] | None, Field(description="the changed arguments, for edit")] = None,
        message: Annotated[str | None, Field(description="the answer, or a reason")] = None,
    ) -> Reply:
        """Pass on what a person decided about an approval that an answer waits for; gives what comes of it. Never
        decide without the person."""
        if self._call.request_state is None:
            decision = {"approval_id": approval_id, "action": action, "args": args, "message": message}
            await self._who.dure.runs.decide(self._who.owner, run_id, [decision])
        return await answered(self._context, self._who, run_id, self._call.input_responses)

    async def search_documents(
        self,
        queries: Annotated[
            list[Query],
            Field(
                min_length=1,
                max_length=3,
                description="a question's phrasings, one in the documents' language; or several questions",
            ),
        ],
        count: Annotated[int, Field(ge=1, le=20, description="passages")] = 6,
    ) -> Reply:
        """Search the user's documents; gives the passages that say most about it, best first, with their places."""
        found = await self._who.dure.knowledge.search(self._who.owner, queries, count)
        said = [f"{p.heading} [{p.document_id} {p.start}-{p.end}]\n{p.text}" for p in found.passages]
        return reply("\n\n".join(said), {"passages": [p.as_dict() for p in found.passages], "evidence": found.evidence})

    async def read_passage(self, document_id: str, start: Place = 0, end: Place | None = None) -> Reply:
        """Read a document's text from one character to another, as around a passage that was found."""
        most = start + _MOST_TEXT
        end = most if end is None else min(end, most)
        found = await self._who.dure.knowledge.slice(self._who.owner, document_id, start, end)
        return reply(found["text"], found)

    async def list_documents(self) -> Reply:
        """List the user's documents: id, name, status, pages."""
        documents = await self._who.dure.knowledge.list(self._who.owner)
        found = [each.as_dict(self._who.language or "en") for each in documents]
        lines = [f"{d['id']} {d['name']} ({d['status']})" for d in found] or ["There are no documents."]
        return reply("\n".join(lines), {"documents": found})


_PAPERS = "search_papers"
"""Of the papers' pack; as `find_papers` here."""
_TOOLS = [name for name in vars(Tools) if not name.startswith("_")]
_ACTS = ("ask_team", "decide")
"""All others only read."""
Listed = mcp.PaginatedRequestParams | None


def server_of(caller_of: Callable[[Context], Awaitable[Caller]]) -> Server[Any]:
    """The server. caller_of: who asks; raises Unauthorized."""

    async def list_tools(context: Context, params: Listed) -> mcp.ListToolsResult:
        who = await caller_of(context)
        teams = "; ".join(f"{team.name}: {in_language(team.description, 'en')}" for team in who.dure.teams.values())
        tools = []
        for name in _TOOLS:
            run = getattr(Tools(context, who), name)
            about = " ".join(str(run.__doc__).split()) + (f" Teams: {teams}" if name == "ask_team" else "")
            hints, schema = mcp.ToolAnnotations(read_only_hint=name not in _ACTS), TypeAdapter(run).json_schema()
            tools.append(mcp.Tool(name=name, description=about, input_schema=schema, annotations=hints))
        if found := who.dure.tools.get(_PAPERS):
            hints, about = mcp.ToolAnnotations(read_only_hint=True), found.description
            tools.append(
                mcp.Tool(name="find_papers", description=about, input_schema=found.parameters, annotations=hints)
            )
        return mcp.ListToolsResult(tools=tools)

    async def find_papers(who: Caller, args: dict[str, Any]) -> mcp.CallToolResult:
        context = ToolContext(who.owner, language=who.language or "en")
        found = await run_call(who.dure.tools, ToolCall(_PAPERS, args), context)
        said = [f"{p.heading} [{p.document_id} {p.start}-{p.end}]\n{p.text}" for p in found.passages]
        return reply("\n\n".join([found.text, *said]), found.data, failed=found.is_error)

    async def call_tool(context: Context, params: mcp.CallToolRequestParams) -> Reply:
        who = await caller_of(context)
        if params.name == "find_papers" and _PAPERS in who.dure.tools:
            return await find_papers(who, params.arguments or {})
        if params.name not in _TOOLS:
            raise MCPError(mcp.INVALID_PARAMS, f"Unknown tool: {params.name[:80]}")
        try:
            run = getattr(Tools(context, who, params), params.name)
            found: Reply = await validate_call(run)(**params.arguments or {})
            return found
        except ValidationError as error:
            failed = invalid(error.errors(include_url=False, include_input=False))
        except DureError as error:
            failed = error
        language = _language(who, params.arguments or {})
        return reply(failed.message(language), failed.as_dict(language), failed=True)

    async def list_resources(context: Context, params: Listed) -> mcp.ListResourcesResult:
        who, cursor = await caller_of(context), (params and params.cursor) or "0"
        if (start := number_of(cursor)) is None:
            raise MCPError(mcp.INVALID_PARAMS, f"Unknown cursor: {cursor[:80]}")
        ready = [each for each in await who.dure.knowledge.list(who.owner) if each.status == "ready"][start:]
        shown = [
            mcp.Resource(name=each.name, uri=f"{DOCUMENT}{each.id}", mime_type="text/plain") for each in ready[:_PAGE]
        ]
        return mcp.ListResourcesResult(resources=shown, next_cursor=str(start + _PAGE) if len(ready) > _PAGE else None)

    async def read_resource(context: Context, params: mcp.ReadResourceRequestParams) -> mcp.ReadResourceResult:
        who, id = await caller_of(context), params.uri.removeprefix(DOCUMENT)
        try:
            text = (await who.dure.knowledge.slice(who.owner, id, 0, _MOST_TEXT))["text"]
        except NotFound as error:
            raise MCPError(_NO_RESOURCE, error.message(who.language or "en"), {"uri": params.uri}) from None
        found = mcp.TextResourceContents(uri=params.uri, mime_type="text/plain", text=text)
        return mcp.ReadResourceResult(contents=[found])

    async def list_prompts(context: Context, params: Listed) -> mcp.ListPromptsResult:
        examples = _examples(await caller_of(context))
        return mcp.ListPromptsResult(
            prompts=[mcp.Prompt(name=name, title=text, description=text) for name, (_, text) in examples.items()]
        )

    async def get_prompt(context: Context, params: mcp.GetPromptRequestParams) -> mcp.GetPromptResult:
        examples = _examples(await caller_of(context))
        if params.name not in examples:
            raise MCPError(mcp.INVALID_PARAMS, f"Unknown prompt: {params.name[:80]}")
        team, text = examples[params.name]
        said = mcp.TextContent(text=f"{text}\n\n(ask_team, team: {team})")
        return mcp.GetPromptResult(messages=[mcp.PromptMessage(role="user", content=said)])

    return Server(
        "dure",
        title="Dure",
        version=__version__,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def _language(who: Caller, args: dict[str, Any]) -> Language:
    """What the client accepts, else that of what it asks, else English."""
    said = args.get("message") or args.get("queries") or ""
    said = said if isinstance(said, str) else " ".join(map(str, said))
    return who.language or (language_of_message(said) if said else "en")


def _examples(who: Caller) -> dict[str, tuple[str, str]]:
    """The teams' example questions by the prompt's name: the team's name, and the text."""
    teams = who.dure.teams.values()
    return {f"{t.name}-{number}": (t.name, text) for t in teams for number, text in enumerate(t.examples, 1)}
