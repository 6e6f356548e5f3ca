"""The process that holds an owner's tables: `python -m dure.data.child`, driven by `data/sandbox.py`."""

from dataclasses import asdict
from functools import partial

from dure.data.limits import MEMORY, Limits
from dure.data.rows import fault
from dure.data.store import Store
from dure.errors import ToolInputError
from dure.serving import Message, serve


def answered(store: Store, request: Message) -> Message:
    """Load: `{files}`, or `{columns}` and as often as needed `{table, rows}`; then `{hold: version}`, each → `{}`.

    Query: `{sql, limits, placed?}` → the fields of `Rows`. `{describe: question}` → `{tables, problems}`. Either with
    `version` → `{stale}` where another one is held, or none. What the model should know is `{ko, en}`.
    """
    try:
        match request:
            case {"version": version} if version != store.version:
                return {"stale": True}
            case {"files": files}:
                store.load(files, request["seconds"])
            case {"columns": columns}:
                store.begin(columns)
            case {"table": table, "rows": rows}:
                store.add(table, rows)
            case {"hold": version}:
                store.hold(version)
            case {"sql": sql}:
                return asdict(store.query(sql, Limits(**request["limits"]), placed=request.get("placed", False)))
            case {"describe": question}:
                tables = [{**asdict(table), "said": store.said(table, question)} for table in store.tables]
                return {"tables": tables, "problems": store.problems}
    except ToolInputError as error:
        return error.details
    except MemoryError:
        return fault("memory").details
    return {}


if __name__ == "__main__":
    serve(partial(answered, Store()), memory=MEMORY)
