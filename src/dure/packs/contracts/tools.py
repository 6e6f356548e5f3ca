"""The tools `contract_templates` and `draft_contract`."""

from typing import Any

from dure.pack import Parts
from dure.tooling import Tool, ToolContext, ToolResult, an_object, in_thread
from dure.toolsets import Tools, Toolset

_TEMPLATES_DESCRIPTION = (
    "List the contract templates (nda, service, employment), or, with `template`, one template's fields: name, type, "
    "whether required, meaning. Call it before draft_contract to learn the fields."
)
_TEMPLATES_PARAMETERS = an_object(
    {"template": {"type": "string", "description": "nda, service or employment; leave out to list all"}}, "template"
)
_DRAFT_DESCRIPTION = (
    "Draft a contract as Markdown and DOCX files from a template's fields. Give only what the user stated; never "
    "invent a value and use no stand-ins such as OOO or TBD. It answers with what is missing or wrong, to be asked of "
    "the user, or makes the files. To change the last draft of the same parties, give what changes: the rest stays, "
    "null takes a field out. Write amounts with their currency (3,000만원, USD 12,000), dates as "
    '2026-03-01, parties as {"name", "representative", "address", "registration_number"}.'
)
_DRAFT_PARAMETERS = an_object(
    {
        "template": {"type": "string", "minLength": 1, "description": "nda, service, employment; plain: another kind"},
        "language": {"type": "string", "enum": ["ko", "en"], "description": "language of the contract"},
        "fields": {"type": "object", "description": "field name → value, as contract_templates names them"},
    }
)


async def _list(args: dict[str, Any], context: ToolContext) -> ToolResult:
    # The machinery is loaded when it is first needed, so that it costs the start nothing.
    from dure.packs.contracts.replies import list_templates

    return list_templates(args.get("template"), context.language)


async def _draft(args: dict[str, Any], context: ToolContext) -> ToolResult:
    from dure.packs.contracts.replies import draft_contract

    # python-docx takes some tenths of a second, most of it for its import.
    before = await context.run.found("draft_contract") if context.run else []
    given = args["template"], args["language"], args["fields"], context.language
    return await in_thread(lambda: draft_contract(*given, before))


TOOLS = [
    Tool("contract_templates", _TEMPLATES_DESCRIPTION, _TEMPLATES_PARAMETERS, _list, timeout=10.0),
    Tool("draft_contract", _DRAFT_DESCRIPTION, _DRAFT_PARAMETERS, _draft, timeout=30.0),
]


def open_contracts(parts: Parts) -> Toolset:
    """The tools for contracts. They hold nothing open."""
    return Tools(TOOLS)
