"""The process that runs SQL over an owner's papers, as `python -m`; driven by `data/worker.py`.

Both walls stand in here, so that what the parser or a sort costs is this process's memory and time, not the server's.
"""

import sqlite3
from contextlib import closing
from dataclasses import asdict

from dure.child import Message, serve
from dure.errors import ToolInputError
from dure.packs.papers.tools.sql_engine import Engine
from dure.packs.papers.tools.sql_facts import facts
from dure.packs.papers.tools.sql_guard import checked

MEMORY = 1 << 30
"""Bytes of address space (on Linux)."""
HEAP = 256 << 20
"""Bytes that SQLite may hold, the rows and what a query needs together."""


class Store:
    """The engine over one version of the owner's rows."""

    def __init__(self) -> None:
        self.version: str | None = None
        self.engine = Engine()
        self._coming: Engine | None = None

    def answered(self, request: Message) -> Message:
        """Load: `{open}`, then `{table, columns, rows}` as often as needed, then `{seal: version}`, each → `{}`.

        Query: `{sql, version, limit}` → `{sql, columns, rows, cut, seconds}`; `{facts, version}` → see `facts`;
        both → `{stale}` where another version is held, or none. What the model should know is `{ko, en}`.
        """
        try:
            if "ready" in request:
                return {}
            if "open" in request:
                self._drop()
                self._coming = Engine()
            elif "rows" in request:
                assert self._coming is not None
                self._coming.add(request["table"], request["columns"], request["rows"])
            elif "seal" in request:
                assert self._coming is not None
                self._coming.seal()
                self.engine, self._coming, self.version = self._coming, None, request["seal"]
            elif request["version"] != self.version:
                return {"stale": True}
            elif "facts" in request:
                return facts(self.engine)
            else:
                return self._query(request)
        except ToolInputError as error:
            return {"ko": error.message("ko"), "en": error.message("en")}
        except MemoryError:
            return {"ko": "메모리가 모자랍니다.", "en": "There is not enough memory."}
        return {}

    def _query(self, request: Message) -> Message:
        wanted = checked(request["sql"], request["limit"])
        found = self.engine.query(wanted.sql, wanted.names, seconds=request["seconds"])
        reached = wanted.limited and len(found.rows) >= request["limit"]
        return {**asdict(found), "sql": wanted.sql, "cut": found.cut or reached}

    def _drop(self) -> None:
        self.version = None
        for engine in (self.engine, self._coming):
            if engine is not None:
                engine.close()


def limit_heap(most: int) -> None:
    """Of all of SQLite in this process."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"PRAGMA hard_heap_limit = {most}")


if __name__ == "__main__":
    # Else the first question would wait for it.
    import sqlglot.optimizer.qualify  # noqa: F401

    limit_heap(HEAP)
    serve(Store().answered, memory=MEMORY)
