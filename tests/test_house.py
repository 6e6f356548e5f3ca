"""The house as it stands: what the import contracts of pyproject.toml do not see."""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

SOURCE = Path(__file__).parents[1] / "src" / "dure"
FILES = [path for path in SOURCE.rglob("*") if path.suffix in (".py", ".js")]
PLACE = re.compile(r"dure\.packs\.\w")


def test_no_file_is_long() -> None:
    lines = {path.relative_to(SOURCE): len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert {path: count for path, count in lines.items() if count > 400} == {}


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
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and PLACE.search(node.value):
            yield f"{path.relative_to(SOURCE)}:{node.lineno}: {node.value}"
