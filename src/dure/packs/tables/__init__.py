"""Tables: the owner's CSV, XLSX and Parquet documents, asked by SQL and drawn as charts; sums."""

from dure.pack import Pack, beside
from dure.texts import Catalogue, Text

TEXTS = Catalogue(beside(__file__, "texts"))
PACK = Pack(
    name="tables",
    summary=Text("Tables by SQL, charts, a calculator", ko="SQL로 묻는 표, 그래프, 계산기"),
    tools="dure.packs.tables.toolset:open_tables",
    teams=beside(__file__, "teams"),
    texts=TEXTS.folder,
    erase="dure.packs.tables.toolset:erase",
    short_ways={"data": "dure.packs.tables.short:WAY", "sums": "dure.packs.tables.sums:WAY"},
)
