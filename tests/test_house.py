"""The house as it stands: what the import contracts of pyproject.toml do not see."""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

SOURCE = Path(__file__).parents[1] / "src" / "dure"
FILES = [path for path in SOURCE.rglob("*") if path.suffix in (".py", ".js")]
TESTS = Path(__file__).parent
PLACE = re.compile(r"dure\.packs\.\w")
CHECK = re.compile(r"\bassert|\b(?:raises|warns|fail|expect)\(")


def test_no_file_is_long() -> None:
    lines = {path.relative_to(SOURCE): len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert {path: count for path, count in lines.items() if count > 400} == {}


def test_no_text_keeps_the_marks_of_a_merge() -> None:
    texts = [
        *TESTS.parent.glob("*.md"),
        *TESTS.parent.glob("docs/**/*.md"),
        *SOURCE.rglob("*.toml"),
        *SOURCE.rglob("*.css"),
    ]
    assert [str(path) for path in texts if re.search(r"^(<{7}|>{7}) ", path.read_text("utf-8"), re.M)] == []


def test_every_folder_of_modules_is_a_package_so_that_contracts_see_it() -> None:
    folders = {path.parent for path in FILES if path.suffix == ".py"}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Those within functions and for types alone count too; packages' own modules are modules like others here."""
    graph = grimp.build_graph("dure", cache_dir=None)
    assert len(graph.modules) == len({path for path in FILES if path.suffix == ".py"})
    TopologicalSorter({each: graph.find_modules_directly_imported_by(each) for each in graph.modules}).prepare()


def test_no_module_of_the_core_names_a_place_in_a_pack() -> None:
    ours = [path for path in FILES if path.suffix == ".py" and SOURCE / "packs" not in path.parents]
    assert [place for path in ours for place in places(path)] == []


def places(path: Path) -> Iterator[str]:
    """Texts of a module that are a place in a pack, as `dure.registry.load` takes it."""
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text)) if "packs" in text else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and PLACE.search(node.value):
            yield f"{path.relative_to(SOURCE)}:{node.lineno}: {node.value}"


def test_every_test_says_what_it_checks() -> None:
    """By an assert, an error that is expected, or a function of its own file that has one."""
    silent = []
    for path in TESTS.rglob("test_*.py"):
        known = dict(functions(path))
        calls = {name: set(re.findall(r"\b(\w+)\(", text)) - {name} for name, text in known.items()}
        checks = {name for name, text in known.items() if CHECK.search(text)}
        for _ in range(3):
            checks |= {name for name in known if calls[name] & checks}
        silent += [f"{path.relative_to(TESTS)}: {name}" for name in known.keys() - checks if name.startswith("test_")]
    assert silent == []


def functions(path: Path) -> Iterator[tuple[str, str]]:
    """Names and texts of a module's functions, but for fixtures."""
    text = path.read_text("utf-8")
    lines = text.splitlines()
    for node in ast.parse(text).body:
        found = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if found and not any("fixture" in ast.unparse(each) for each in node.decorator_list):
            yield node.name, "\n".join(lines[node.lineno - 1 : node.end_lineno])


WORD = r"(?:[가-힣]|[A-Za-z](?=[A-Za-z]))[가-힣A-Za-z ?]*"
WORDS = re.compile(rf"{WORD}(?:\|{WORD})+")


def test_what_people_mean_is_not_read_from_lists_of_words() -> None:
    """Alternations of words in patterns, for closed forms alone: numbers, dates, headings. The bound only falls."""
    found = {path.relative_to(SOURCE).as_posix(): alternatives(path) for path in FILES if path.suffix == ".py"}
    assert sum(found.values()) <= 2411, sorted(found.items(), key=lambda each: -each[1])[:8]


def alternatives(path: Path) -> int:
    """Characters of alternations of words in a module's texts, but for docstrings and types."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    told = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in told]
    return sum(len(match[0]) for text in texts for match in WORDS.finditer(text))
