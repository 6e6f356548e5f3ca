"""The questions of counting: each half has enough of each kind, and the SQL by hand gives what is expected."""

import importlib.util
import json
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2] / "benchmarks"
SETS = [HERE / "data" / f"{name}.jsonl" for name in ("text2sql", "text2sql-test")]


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("text2sql", HERE / "text2sql.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cases(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_halves_share_no_question() -> None:
    first, second = ({case["question"] for case in cases(path)} for path in SETS)
    assert not first & second
    for path in SETS:
        languages = Counter(case["language"] for case in cases(path))
        assert min(languages.values()) >= 18
        assert set(Counter(case["kind"] for case in cases(path))) == {
            "count", "glossary", "rank", "distribution", "fact", "citations", "unknown", "follow-up"
        }  # fmt: skip


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)
async def test_the_sql_gives_the_rows(opened, benchmark, path) -> None:
    assert await benchmark.wrong(await opened(), cases(path)) == []


def test_what_is_right(benchmark) -> None:
    def right(match, rows, answer="", wanted=((3,),)):
        return benchmark.right({"match": match, "rows": [list(row) for row in wanted]}, rows, answer)

    assert right("value", [[3]], "3편입니다.")
    assert not right("value", [[3]], "몇 편입니다.")
    assert not right("value", [[3]], "```sql\nSELECT 3\n```")
    assert not right("value", [[3], [4]], "3")
    assert right("all", [["a", 1], ["b", 2]], wanted=[["b"], ["a"]])
    assert not right("all", [["a"], ["b"]], wanted=[["a"]])
    assert right("first", [["a"], ["b"]], wanted=[["a"]])
    assert not right("first", [["b"], ["a"]], wanted=[["a"]])
    assert right("any", [["b"]], wanted=[["a"], ["b"]])
    assert right("none", None, "없습니다.")
    assert not right("none", [[0]], "0\n```sql\nSELECT 0\n```")
