import re
import subprocess
import sys

import pytest

from dure.patterns import later


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    found, whole = later(r"(\d+)(?:won|원)", re.IGNORECASE), re.compile(r"(\d+)(?:won|원)", re.IGNORECASE)
    text = "3WON, 40원 and 5"
    for _ in range(2):
        assert found.findall(text) == whole.findall(text) == ["3", "40"]
        assert found.sub("x", text) == "x, x and 5"
        assert [each.span() for each in found.finditer(text, 2)] == [each.span() for each in whole.finditer(text, 2)]
    assert (found.pattern, found.flags, found.groups) == (whole.pattern, whole.flags, whole.groups)


def test_what_is_no_pattern_is_told_when_it_is_used() -> None:
    broken = later("(")
    with pytest.raises(re.error):
        broken.search("x")
    with pytest.raises(AttributeError):
        later("x").find  # noqa: B018


def test_patterns_of_what_is_imported_alone_are_not_compiled() -> None:
    code = (
        "import re, re._compiler as its\n"
        "before, made = its.compile, []\n"
        "its.compile = lambda text, flags=0: made.append(text) or before(text, flags)\n"
        "import dure.data.questions.figures as figures\n"
        "asked = figures.TOP.pattern in made\n"
        "figures.TOP.search('상위 3')\n"
        "print(asked, figures.TOP.pattern in made)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False True\n"
