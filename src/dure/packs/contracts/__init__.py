"""Contracts: templates with typed fields, filled, checked and written as Markdown and DOCX."""

from dure.errors import Text
from dure.pack import Pack, beside

PACK = Pack(
    name="contracts",
    summary=Text("Drafts of contracts", ko="계약서 초안"),
    tools="dure.packs.contracts.tools:open_contracts",
    teams=beside(__file__, "teams"),
    texts=beside(__file__, "texts"),
    short_ways={"contract": "dure.packs.contracts.short:WAY"},
)
