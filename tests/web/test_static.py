"""The page's files: what is loaded first, what is vendored, and where markup could come in."""

import hashlib
import re
from graphlib import TopologicalSorter
from pathlib import Path

from dure.web.page import assets

STATIC = Path(__file__).parents[2] / "src/dure/web/static"
SCRIPTS = sorted((STATIC / "js").rglob("*.js"))
IMPORT = re.compile(r'^(?:import|\} from) ?(?:.*? from )?"(\.[^"]+)";', re.MULTILINE)
LATER = re.compile(r'\bimport\("(\.[^"]+)"\)')


def needed(path: Path, found: set[Path]) -> set[Path]:
    for name in IMPORT.findall(path.read_text()):
        if (other := (path.parent / name).resolve()) not in found:
            needed(other, found | {other})
            found.add(other)
            found |= needed(other, found)
    return found


FIRST = {"js/main.js", "js/preact.js", "css/main.css"}


def test_the_page_names_what_it_needs_at_once() -> None:
    index = (STATIC / "index.html").read_text()
    assert set(re.findall(r'"static/([^"]+)"', index)) == {*FIRST, "icon.svg", "manifest.webmanifest"}
    sheets = re.findall(r'^@import "\./([\w-]+\.css)";$', (STATIC / "css/main.css").read_text(), re.MULTILINE)
    assert sorted([*sheets, "main.css"]) == sorted(path.name for path in (STATIC / "css").iterdir())


def test_the_first_view_is_one_script_and_one_sheet() -> None:
    """All that `main.js` needs is within it; what comes later takes what both need from there, and nothing twice."""
    files = assets(STATIC).files.items()
    served = {name: asset.data.decode() for name, asset in files if name.endswith((".js", ".css"))}
    assert "@import" not in served["css/main.css"]
    assert IMPORT.findall(served["js/main.js"]) == ["./preact.js"]
    within = needed(STATIC / "js/main.js", set()) - {STATIC / "js/preact.js"}
    assert len(within) > 20
    for path in set(SCRIPTS) - within - {STATIC / "js/main.js"}:
        imported = IMPORT.findall(served[path.relative_to(STATIC).as_posix()])
        assert not {(path.parent / each).resolve() for each in imported} & within, path.name


def test_no_module_imports_itself_by_way_of_others() -> None:
    """What is loaded when it is wanted counts too."""
    imported = {
        path: {(path.parent / name).resolve() for name in (*IMPORT.findall(text), *LATER.findall(text))}
        for path, text in ((path, path.read_text()) for path in SCRIPTS)
    }
    assert set(TopologicalSorter(imported).static_order()) == set(SCRIPTS)


VENDORED = {
    # `preact/standalone.module.js` of the npm package htm 3.1.1: htm, preact and its hooks, MIT and Apache-2.0.
    "js/preact.js": "72284e8e9079c87817145df1110f74e8a2aa040b2fc384922e18dfcb46fc1fd7",
    # `dist/temml.min.js` of the npm package temml 0.13.5, MIT.
    "js/temml.js": "1ab19148afe0dbc836b7a74f344071b3f3a70a7a8259ae4049e76894fcdf8d95",
    # `dist/web/static/woff2-subset/` of the npm package pretendard 1.3.9, OFL-1.1.
    "face/Pretendard-Regular.subset.woff2": "01dd73155fdfab7ce9b25224523e85a96927e21aef97f21957d41f1bfa7e3878",
    "face/Pretendard-SemiBold.subset.woff2": "4247dc5e260b92640c2cbd0e75091154647b71e1d5884116655e2903468c54cc",
}


def test_what_is_vendored_is_as_it_was_published() -> None:
    for name, digest in VENDORED.items():
        assert hashlib.sha256((STATIC / name).read_bytes()).hexdigest() == digest, name
    licences = {"preact": "MIT License", "htm": "Apache License", "temml": "MIT License"}
    licences["pretendard"] = "SIL OPEN FONT LICENSE Version 1.1"
    for name, words in licences.items():
        assert words in (STATIC.parent / f"licences/{name}.txt").read_text()


def test_nothing_becomes_markup() -> None:
    """Elements are made from data, never parsed from it. preact alone knows `innerHTML`, by a property nobody sets."""
    setting = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function")
    found = [path.name for path in SCRIPTS if setting.search(path.read_text())]
    assert found == ["preact.js"]
    assert [path.name for path in SCRIPTS if "dangerously" in path.read_text()] == ["preact.js"]


def test_files_stay_small() -> None:
    long = {path.name: len(path.read_text().splitlines()) for path in SCRIPTS}
    assert {name: lines for name, lines in long.items() if lines > 320} == {}


def luminance(colour: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-relative-luminance"""
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_colours_of_agents_are_read_on_every_ground() -> None:
    sheet = (STATIC / "css/base.css").read_text()
    hues = re.findall(r"--hue: light-dark\((#\w{6}), (#\w{6})\);", sheet)
    grounds = [re.findall(rf"--{name}: (#\w{{6}});", sheet) for name in ("ground", "surface", "raised", "accent-soft")]
    assert len(hues) == len(set(hues)) == 6
    for hue in hues:
        for ground in grounds:
            for one, other in zip(hue, ground, strict=True):
                dark, light = sorted((luminance(one), luminance(other)))
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (one, other)
