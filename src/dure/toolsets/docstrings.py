"""What a function's docstring says of it, and of each of its arguments."""

import inspect
import re
from collections.abc import Callable, Collection
from typing import Any

_SECTION = re.compile(r"^\s*(?::\w+|-{3,}\s*$|\w[\w ]*:\s*$)", re.MULTILINE)
"""Where a section may begin: of Sphinx, of NumPy, of Google. What has none needs no parser."""
_QUIET = {"warnings": False}


def described(fn: Callable[..., Any], names: Collection[str]) -> tuple[str, dict[str, str]]:
    """A function's description and those of its arguments, of which `names` are known: the docstring's sections by the
    conventions of Google, NumPy or Sphinx. Where it describes none of `names` it is the description as it stands."""
    text = inspect.getdoc(fn) or ""
    if not _SECTION.search(text):
        return text, {}
    from griffe import Docstring, DocstringSectionKind

    google = {**_QUIET, "returns_named_value": False, "returns_multiple_items": False}
    styles = {"google": google, "numpy": _QUIET, "sphinx": _QUIET}
    sections = Docstring(text).parse("auto", per_style_options=styles)
    arguments: dict[str, str] = {}
    rest: list[str] = []
    for section in sections:
        match section.kind:
            case DocstringSectionKind.parameters | DocstringSectionKind.other_parameters:
                arguments |= {each.name: " ".join(each.description.split()) for each in section.value}
            case DocstringSectionKind.text:
                rest.append(section.value)
            case DocstringSectionKind.returns:
                rest.append("Returns: " + "; ".join(each.description for each in section.value))
            case DocstringSectionKind.examples:
                rest.append("Examples:\n" + "\n".join(each for _, each in section.value))
            case DocstringSectionKind.admonition:
                rest.append(f"{section.title}: {section.value.contents}")
    known = {name: told for name, told in arguments.items() if name in names and told}
    return ("\n\n".join(rest), known) if known else (text, {})
