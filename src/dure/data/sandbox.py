"""The one place where a model's SQL runs: `Sandbox.run(owner, tables, sql, limits)`."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from dure.child import Child, ChildLost, Message
from dure.data.limits import COMMON, GRACE_SECONDS, IDLE_SECONDS, LOAD_SECONDS, MAX_PROCESSES, Limits
from dure.data.rows import Rows, fault, received
from dure.errors import ToolInputError

_CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class Files:
    """Tables read from files, each `{key, path, name, kind}`, or given as `{key, name, rows}`, a header first; what is
    held by its key is not read again. When `version` changes the tables are loaded again, by the requests `loads` (see
    `child.answered`)."""

    files: list[dict[str, Any]]

    @property
    def version(self) -> str:
        return orjson.dumps(self.files).decode()

    async def loads(self) -> list[Message]:
        return [{"files": self.files}]


@dataclass(frozen=True, slots=True)
class Given:
    """Tables given as rows. columns: of each table, by name, its columns' SQL types. read: asked only where the
    version is not held; the rows of each table, values in the order of its columns."""

    version: str
    columns: Mapping[str, Mapping[str, str]]
    read: Callable[[], Awaitable[Mapping[str, Sequence[Sequence[Any]]]]]

    async def loads(self) -> list[Message]:
        loads: list[Message] = [{"columns": self.columns}]
        for table, rows in (await self.read()).items():
            # In pieces, so that no single one keeps the event loop.
            loads += [{"table": table, "rows": rows[at : at + _CHUNK]} for at in range(0, len(rows), _CHUNK)]
        return loads


Tables = Files | Given


class Sandbox:
    """Runs SQL that nobody has to trust. Each owner's tables live in a DuckDB in the memory of a process of its own,
    made when first needed, loaded when they change, kept for a while, and ended by `close`.

    Three walls, each of which holds alone: `guard` takes one SELECT over the tables, made of what only computes; the
    engine reaches no file, network, extension or setting and writes nothing; the process has no keys in its
    environment, and limited memory and time.
    """

    def __init__(self, module: str = "dure.data.child") -> None:
        self._module = module
        self._children: OrderedDict[str, Child] = OrderedDict()

    async def run(self, owner: str, tables: Tables, sql: str, limits: Limits = COMMON, *, placed: bool = False) -> Rows:
        """The rows of one SELECT over the owner's tables, which must be all that this owner may see. placed: with where
        they stand in the files.

        Raises ToolInputError with a sentence for whoever wrote the SQL: it was refused, it is wrong (DuckDB's own
        words), or it was ended by its limits.

            rows = await sandbox.run("me", Files(files), "SELECT 부서, sum(금액) FROM 매출 GROUP BY 부서")
            rows.columns, rows.rows, rows.more
        """
        sql = sql.encode("utf-8", "replace").decode()
        query = {"sql": sql, "limits": asdict(limits), "seconds": limits.seconds, "placed": placed}
        return received(await self._ask(owner, tables, query))

    async def describe(self, owner: str, tables: Tables, question: str = "") -> Message:
        """What the tables hold that were read from files: `{tables: [see store.Table, and `said`: the values that stand
        in the question], problems: [{document, ko, en}]}`."""
        return await self._ask(owner, tables, {"describe": question, "seconds": LOAD_SECONDS})

    async def close(self) -> None:
        """End all processes."""
        while self._children:
            await self._children.popitem()[1].close()

    async def _ask(self, owner: str, tables: Tables, request: Message) -> Message:
        """The answer of the owner's process, which holds the tables then. Raises ToolInputError with what it wants
        told, also when it crashed or took too long; it is ended then, as it is when the caller is cancelled."""
        version, child = tables.version, await self.child(owner)
        try:
            (answer,) = await child.ask({**request, "version": version})
            if "stale" in answer:
                loads = [{**load, "seconds": LOAD_SECONDS} for load in [*await tables.loads(), {"hold": version}]]
                answers = await child.ask(*loads, request)
                answer = next((each for each in answers if "ko" in each), answers[-1])
        except TimeoutError as error:
            raise fault("slow", seconds=error.args[0]) from None
        except ChildLost:
            raise fault("lost") from None
        if "ko" in answer:
            raise ToolInputError(**answer)
        return answer

    async def child(self, owner: str) -> Child:
        """The owner's process; those that were idle longest are ended when they become many."""
        child = self._children.get(owner)
        if child is None:
            child = self._children[owner] = Child(self._module, grace=GRACE_SECONDS, idle_seconds=IDLE_SECONDS)
        self._children.move_to_end(owner)
        for other in [name for name, each in self._children.items() if not each.busy and name != owner]:
            if len(self._children) <= MAX_PROCESSES:
                break
            await self._children.pop(other).close()
        return child
