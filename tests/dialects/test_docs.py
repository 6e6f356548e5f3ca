"""The examples of docs/dialects.md are what they say they are."""

import re
from pathlib import Path

import pytest

from dure.dialects import ToolCallParser, scan
from dure.dialects.formats.base import Format

TEXT = (Path(__file__).parents[2] / "docs" / "dialects.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture
def with_the_documented_format(monkeypatch):
    """Dure as it is once the format of the example is on the list."""
    names = {}
    exec(compile(CODE[2], "docs/dialects.md", "exec"), names)
    added = names["FORMAT"]
    assert isinstance(added, Format)
    with monkeypatch.context() as patched:
        patched.setattr(scan, "FORMATS", (*scan.FORMATS, added))
        scan.table.cache_clear()
        yield
    scan.table.cache_clear()


def test_the_example_of_a_format_passes_its_own_test(with_the_documented_format, assert_round_trip):
    names = {}
    exec(compile(CODE[3], "docs/dialects.md", "exec"), names)
    names["test_a_written_call_comes_back"](assert_round_trip)
    parsed = ToolCallParser(None).parse('<|run|>go {"a": "cut sh')
    assert (parsed.tool_calls, parsed.unfinished, parsed.content) == ([], "go", "")
