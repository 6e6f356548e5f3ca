"""Runs programs that a model wrote, in a sandbox."""

from dure.errors import Text
from dure.pack import Pack, beside

PACK = Pack(
    name="code",
    summary=Text("Python in a sandbox", ko="샌드박스에서 도는 파이썬"),
    tools="dure.packs.code.tool:open_code",
    teams=beside(__file__, "teams"),
    texts=beside(__file__, "texts"),
    short_ways={"code": "dure.packs.code.short:WAY"},
)
