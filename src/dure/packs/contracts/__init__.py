"""Contracts: templates with typed fields, filled, checked and written as Markdown and DOCX."""

from dure.pack import Pack, beside
from dure.texts import Catalogue, Text

TEXTS = Catalogue(beside(__file__, "texts"))
PACK = Pack(
    name="contracts",
    summary=Text("Drafts of contracts", ko="계약서 초안"),
    tools="dure.packs.contracts.tools:open_contracts",
    teams=beside(__file__, "teams"),
    texts=TEXTS.folder,
    short_ways={"contract": "dure.packs.contracts.short:WAY"},
)
