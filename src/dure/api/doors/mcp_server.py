"""Dure as an MCP server (https://modelcontextprotocol.io): teams and documents as tools, documents as resources, the
teams' example questions as prompts."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

import mcp_types as mcp
from mcp.server import Server
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, Field, ValidationError

from dure import __version__
from dure.api.auth import Caller
from dure.api.bodies import invalid
from dure.api.doors.mcp_asking import Context, Reply, answered, reply, uri_of
from dure.errors import DureError, NotFound
from dure.runs import Ask

_PAGE = 100
"""Documents of a list."""
_MOST_TEXT = 200_000
"""Characters of a text."""
_DOCUMENT = uri_of("")
_NO_RESOURCE = -32002
"""The protocol's code."""


class AskTeam(BaseModel):
    """Ask a team of agents a question. It searches documents, papers, data and the web, and answers with sources.
    Before it does anything that matters a person is asked."""

    message: Annotated[str, Field(description="the question, understood without the conversation")]
    team: Annotated[str | None, Field(description="the team's name; the usual one without it")] = None
    session_id: Annotated[str | None, Field(description="of an earlier answer, to go on with its conversation")] = None


class SearchDocuments(BaseModel):
    """Search the user's documents; gives the passages that say most about it, best first, with their places."""

    queries: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=500)]],
        Field(min_length=1, max_length=3, description="1-3 phrasings, one in the documents' language"),
    ]
    count: Annotated[int, Field(ge=1, le=20, description="passages")] = 6


class ReadPassage(BaseModel):
    """Read a document's text from one character to another, as around a passage that was found."""

    document_id: str
    start: Annotated[int, Field(ge=0)] = 0
    end: Annotated[int | None, Field(ge=0)] = None


class ListDocuments(BaseModel):
    """List the user's documents: id, name, status, pages."""


class Decide(BaseModel):
    """Pass on what a person decided about the approvals that an answer waits for; gives what comes of it. Never decide
    without the person."""

    run_id: str
    approval_id: str
    action: Literal["approve", "edit", "reject", "answer"]
    args: Annotated[dict[str, Any] | None, Field(description="the changed arguments, for edit")] = None
    message: Annotated[str | None, Field(description="the answer, or a reason")] = None


Call = mcp.CallToolRequestParams
Listed = mcp.PaginatedRequestParams | None


async def _ask_team(context: Context, who: Caller, call: Call, args: AskTeam) -> Reply:
    if call.request_state:
        # The client's own runs alone can be named.
        return await answered(context, who, call.request_state, call.input_responses)
    asked = Ask(args.message, args.session_id, args.team, output_format="markdown")
    return await answered(context, who, (await who.dure.runs.start(who.owner, asked)).id)


async def _decide(context: Context, who: Caller, call: Call, args: Decide) -> Reply:
    if call.request_state is None:
        decision = args.model_dump(include={"approval_id", "action", "args", "message"}, exclude_none=True)
        await who.dure.runs.decide(who.owner, args.run_id, [decision])
    return await answered(context, who, args.run_id, call.input_responses)


async def _search_documents(context: Context, who: Caller, call: Call, args: SearchDocuments) -> Reply:
    found = await who.dure.knowledge.search(who.owner, args.queries, args.count)
    said = [f"{p.heading} [{p.document_id} {p.start}-{p.end}]\n{p.text}" for p in found.passages]
    return reply("\n\n".join(said), {"passages": [p.as_dict() for p in found.passages], "evidence": found.evidence})


async def _read_passage(context: Context, who: Caller, call: Call, args: ReadPassage) -> Reply:
    most = args.start + _MOST_TEXT
    end = most if args.end is None else min(args.end, most)
    found = await who.dure.knowledge.slice(who.owner, args.document_id, args.start, end)
    return reply(found["text"], found)


async def _list_documents(context: Context, who: Caller, call: Call, args: ListDocuments) -> Reply:
    found = [each.as_dict(who.language or "en") for each in await who.dure.knowledge.list(who.owner)]
    return reply("\n".join(f"{d['id']} {d['name']} ({d['status']})" for d in found), {"documents": found})


Run = Callable[[Context, Caller, Call, Any], Awaitable[Reply]]
_TOOLS: dict[str, tuple[type[BaseModel], Run]] = {
    "ask_team": (AskTeam, _ask_team),
    "search_documents": (SearchDocuments, _search_documents),
    "read_passage": (ReadPassage, _read_passage),
    "list_documents": (ListDocuments, _list_documents),
    "decide": (Decide, _decide),
}


def server_of(caller_of: Callable[[Context], Awaitable[Caller]]) -> Server[Any]:
    """The server. caller_of: who asks; raises Unauthorized."""

    async def list_tools(context: Context, params: Listed) -> mcp.ListToolsResult:
        who = await caller_of(context)
        teams = "; ".join(f"{team.name}: {team.description}" for team in who.dure.teams.values())
        tools = []
        for name, (args, _) in _TOOLS.items():
            reads = args not in (AskTeam, Decide)
            about = " ".join((args.__doc__ or "").split()) + (f" Teams: {teams}" if args is AskTeam else "")
            hints = mcp.ToolAnnotations(read_only_hint=reads, destructive_hint=False, open_world_hint=not reads)
            tools.append(
                mcp.Tool(name=name, description=about, input_schema=args.model_json_schema(), annotations=hints)
            )
        return mcp.ListToolsResult(tools=tools)

    async def call_tool(context: Context, params: Call) -> Reply:
        if params.name not in _TOOLS:
            raise MCPError(mcp.INVALID_PARAMS, f"Unknown tool: {params.name[:80]}")
        args, run = _TOOLS[params.name]
        try:
            return await run(context, await caller_of(context), params, args.model_validate(params.arguments or {}))
        except ValidationError as error:
            return _failed(invalid(error.errors(include_url=False, include_input=False)))
        except DureError as error:
            return _failed(error)

    async def list_resources(context: Context, params: Listed) -> mcp.ListResourcesResult:
        who = await caller_of(context)
        ready = [each for each in await who.dure.knowledge.list(who.owner) if each.status == "ready"]
        start = int(params.cursor) if params and params.cursor and params.cursor.isdecimal() else 0
        shown = [
            mcp.Resource(name=each.name, uri=uri_of(each.id), mime_type="text/plain")
            for each in ready[start : start + _PAGE]
        ]
        more = str(start + _PAGE) if len(ready) > start + _PAGE else None
        return mcp.ListResourcesResult(resources=shown, next_cursor=more)

    async def read_resource(context: Context, params: mcp.ReadResourceRequestParams) -> mcp.ReadResourceResult:
        who, id = await caller_of(context), params.uri.removeprefix(_DOCUMENT)
        try:
            text = (await who.dure.knowledge.slice(who.owner, id, 0, _MOST_TEXT))["text"]
        except NotFound as error:
            raise MCPError(_NO_RESOURCE, str(error), {"uri": params.uri}) from None
        return mcp.ReadResourceResult(
            contents=[mcp.TextResourceContents(uri=params.uri, mime_type="text/plain", text=text)]
        )

    async def list_prompts(context: Context, params: Listed) -> mcp.ListPromptsResult:
        examples = _examples(await caller_of(context))
        prompts = [mcp.Prompt(name=name, title=text, description=text) for name, (_, text) in examples.items()]
        return mcp.ListPromptsResult(prompts=prompts)

    async def get_prompt(context: Context, params: mcp.GetPromptRequestParams) -> mcp.GetPromptResult:
        examples = _examples(await caller_of(context))
        if params.name not in examples:
            raise MCPError(mcp.INVALID_PARAMS, f"Unknown prompt: {params.name[:80]}")
        team, text = examples[params.name]
        said = mcp.TextContent(text=f"{text}\n\n(ask_team, team: {team})")
        return mcp.GetPromptResult(description=text, messages=[mcp.PromptMessage(role="user", content=said)])

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


def _failed(error: DureError) -> mcp.CallToolResult:
    return reply(str(error), error.as_dict("en"), failed=True)


def _examples(who: Caller) -> dict[str, tuple[str, str]]:
    """The teams' example questions by the prompt's name: the team's name, and the text."""
    return {
        f"{team.name}-{number}": (team.name, example)
        for team in who.dure.teams.values()
        for number, example in enumerate(team.examples, 1)
    }
