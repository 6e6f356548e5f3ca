"""What the first view needs, as one script and one style sheet: fewer requests, and nothing to build.

The files stay plain modules: served one by one they work the same. Understood is what they use and no more: imports
and exports by name, on lines of their own.
"""

import re

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";\n', re.MULTILINE)
_REEXPORT = re.compile(r'^export \* from "\./([\w-]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function\*?|function\*?|class|const|let) (\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b[^(].*$", re.MULTILINE)
_STYLE = re.compile(r'^@import "\./([\w-]+\.css)";\n', re.MULTILINE)


def bundled(files: dict[str, bytes]) -> dict[str, bytes]:
    """`js/app.js` with all modules that it needs within it, `css/app.css` with all sheets that it imports.

    files: by their paths. Raises ValueError for a module that imports in another way, or in a circle; KeyError for a
    file that does not exist."""
    found: dict[str, bytes] = {}
    if "js/app.js" in files:
        found["js/app.js"] = _script(files, "app").encode()
    if "css/app.css" in files:
        sheet = files["css/app.css"].decode()
        found["css/app.css"] = _STYLE.sub(lambda m: files[f"css/{m[1]}"].decode(), sheet).encode()
    return found


def _script(files: dict[str, bytes], entry: str) -> str:
    source = files[f"js/{entry}.js"].decode()
    shown = _REEXPORT.findall(source)
    exports: dict[str, list[str]] = {}
    parts: list[str] = []
    for name in shown:
        _add(files, name, exports, parts, ())
    ends = [f"export const {{ {', '.join(exports[name])} }} = {_variable(name)};" for name in shown if exports[name]]
    return "\n".join([*parts, *ends, ""])


def _add(
    files: dict[str, bytes], name: str, exports: dict[str, list[str]], parts: list[str], above: tuple[str, ...]
) -> None:
    """Append the module `name` after what it imports: a function that is called once and returns its exports."""
    if name in exports:
        return
    if name in above:
        raise ValueError(f"modules import each other: {' → '.join([*above, name])}")
    source = files[f"js/{name}.js"].decode()
    for _, needed in _IMPORT.findall(source):
        _add(files, needed, exports, parts, (*above, name))
    exports[name] = _EXPORT.findall(source)
    source = _IMPORT.sub(lambda m: f"const {{{m[1].replace(' as ', ': ')}}} = {_variable(m[2])};\n", source)
    source = _EXPORT.sub("", source)
    if left := _LEFT.search(source):
        raise ValueError(f"js/{name}.js: {left[0]!r} is not understood")
    parts.append(f"const {_variable(name)} = (() => {{\n{source}return {{ {', '.join(exports[name])} }};\n}})();")


def _variable(name: str) -> str:
    return f"${name.replace('-', '_')}"
