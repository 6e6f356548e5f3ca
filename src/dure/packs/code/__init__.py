"""Runs programs that a model wrote, in a sandbox."""

from dure.pack import Pack, beside
from dure.texts import Catalogue, Text

TEXTS = Catalogue(beside(__file__, "texts"))
PACK = Pack(
    name="code",
    summary=Text("Python in a sandbox", ko="샌드박스에서 도는 파이썬"),
    tools="dure.packs.code.tool:open_code",
    teams=beside(__file__, "teams"),
    texts=TEXTS.folder,
    short_ways={"code": "dure.packs.code.short:WAY"},
)
