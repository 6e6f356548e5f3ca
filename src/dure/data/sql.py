"""What every guard of a model's SQL begins with: one query, read by sqlglot."""

from typing import TYPE_CHECKING, Any

from dure.errors import ToolInputError

if TYPE_CHECKING:
    from sqlglot import exp

MAX_SQL_CHARS = 10_000


def check_text(sql: str) -> None:
    """Raises ToolInputError for text that is too long or that an engine could read in part only."""
    if len(sql) > MAX_SQL_CHARS:
        raise refused(f"SQL은 {MAX_SQL_CHARS}자까지입니다", f"SQL is limited to {MAX_SQL_CHARS} characters")
    if "\0" in sql:
        raise refused("SQL에 NUL 문자가 있습니다", "the SQL holds a NUL character")


def one_query(sql: str, dialect: str) -> "exp.Query":
    """The tree of the one query in `sql`. Raises ToolInputError for anything else."""
    import sqlglot
    from sqlglot import exp

    try:
        trees = [tree for tree in sqlglot.parse(sql, read=dialect) if tree is not None]
    except MemoryError:
        raise
    except Exception:
        # What a parser does with text that nobody meant it for is anybody's guess.
        raise not_understood() from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise refused("SELECT 문 하나만 실행할 수 있습니다", "exactly one SELECT statement is accepted")
    return trees[0]


def function_name(node: Any) -> str:
    """What a function node is called, in lower case."""
    from sqlglot import exp

    name = node.name if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc) else node.sql_name()
    return str(name).casefold()


def not_understood() -> ToolInputError:
    return refused("SQL을 이해할 수 없습니다. 더 단순하게 써 주세요", "the SQL is not understood; write it more simply")


def refused(ko: str, en: str) -> ToolInputError:
    return ToolInputError(ko=f"실행하지 않았습니다: {ko}.", en=f"Not run: {en}.")
