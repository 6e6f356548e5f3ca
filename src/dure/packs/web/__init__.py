"""The web: search, and pages fetched from the public internet within limits."""

from dure.pack import Pack, beside
from dure.texts import Catalogue, Text

TEXTS = Catalogue(beside(__file__, "texts"))
PACK = Pack(
    name="web",
    summary=Text("Web search and web pages", ko="웹 검색과 웹 문서"),
    tools="dure.packs.web.web:open_web",
    teams=beside(__file__, "teams"),
    texts=TEXTS.folder,
    short_ways={"search": "dure.packs.web.short:SEARCH", "web": "dure.packs.web.short:PAGE"},
)
