"""The figures of benchmarks/parsing.py that do not hang on the machine."""

import importlib.util
import io
import sys
from pathlib import Path

import pytest
from canitoolcall.fixtures import load_fixtures
from rich.console import Console

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "parsing.py"


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("benchmark_parsing", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_recorded_calls_of_every_family_are_read(benchmark):
    console = Console(file=io.StringIO(), width=200)
    cases = list(load_fixtures())
    assert len(cases) == 469
    assert benchmark.judge(cases, console), console.file.getvalue()


def test_texts_without_a_call_hold_none(benchmark):
    console = Console(file=io.StringIO(), width=200)
    assert benchmark.without_calls(console), console.file.getvalue()
