"""One script and one style sheet made of many: the same as those, and only what is understood."""

import re
from pathlib import Path

import pytest

from dure.web.bundle import bundled

STATIC = Path(__file__).parents[2] / "src/dure/web/static"


def bundle(**modules: str) -> str:
    files = {f"js/{name}.js": text.encode() for name, text in modules.items()}
    return bundled(files)["js/app.js"].decode()


def test_modules_come_after_what_they_import_and_once() -> None:
    shared = 'import { x } from "./c.js";\n'
    made = bundle(
        app='export * from "./a.js";\nexport * from "./b.js";\n',
        a=f"{shared}export const a = x + 1;\n",
        b=f'{shared}import {{ a as one }} from "./a.js";\nexport async function b() {{ return one; }}\n',
        c="export const x = 1;\n",
    )
    assert re.findall(r"^const \$(\w)", made, re.MULTILINE) == ["c", "a", "b"]
    assert "const { a: one } = $a;" in made
    assert made.endswith("export const { a } = $a;\nexport const { b } = $b;\n")
    assert "import" not in made


@pytest.mark.parametrize("line", ['import x from "./b.js";', 'import "./b.js";', "export default 1;", "export { x };"])
def test_what_is_not_understood_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="not understood"):
        bundle(app='export * from "./a.js";\n', a=f"{line}\n", b="export const x = 1;\n")


def test_modules_in_a_circle_are_refused() -> None:
    with pytest.raises(ValueError, match="a → b → a"):
        bundle(
            app='export * from "./a.js";\n',
            a='import { b } from "./b.js";\nexport const a = 1;\n',
            b='import { a } from "./a.js";\nexport const b = 1;\n',
        )


def test_later_views_import_from_the_whole_alone() -> None:
    """A module that was loaded twice would have its state twice."""
    for path in (STATIC / "js/views").glob("*.js"):
        for source in re.findall(r'from "([^"]+)"', path.read_text()):
            assert source == "../app.js" or source.startswith("./"), path.name


def test_markup_is_set_in_one_place() -> None:
    """`innerHTML` is for what the server sanitised; everything else is text."""
    setting = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function")
    found = [path.name for path in (STATIC / "js").rglob("*.js") if setting.search(path.read_text())]
    assert found == ["markdown.js"]
    assert len(setting.findall((STATIC / "js/markdown.js").read_text())) == 1


def test_files_stay_small() -> None:
    long = {path.name: len(path.read_text().splitlines()) for path in STATIC.rglob("*.js")}
    assert {name: lines for name, lines in long.items() if lines > 320} == {}
