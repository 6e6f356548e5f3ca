"""The process that holds an owner's tables: `python -m dure.data.child`, driven by `data/worker.py`."""

from dataclasses import asdict
from functools import partial

from dure.child import Message, serve
from dure.data.store import Store
from dure.errors import ToolInputError

MEMORY = 3 << 30
"""Bytes of address space. The engine's own limit is lower, but it does not count everything."""


def answered(store: Store, request: Message) -> Message:
    """Load: `{load, seconds}` → `{tables, problems}`. Query: `{sql, limit, seconds}` → `{columns, types, rows, more}`.

    What the model should know is `{ko, en}`.
    """
    try:
        if "load" in request:
            store.load(request["load"], request["seconds"])
            return {"tables": [asdict(table) for table in store.tables], "problems": store.problems}
        return asdict(store.query(request["sql"], request["limit"], request["seconds"]))
    except ToolInputError as error:
        return {"ko": error.message("ko"), "en": error.message("en")}
    except MemoryError:
        return {"ko": "메모리가 모자랍니다.", "en": "There is not enough memory."}


if __name__ == "__main__":
    serve(partial(answered, Store()), memory=MEMORY)
