import ast
import copy
import pickle
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest

from dure import errors
from dure.errors import (
    DureError,
    InvalidInput,
    NotFound,
    OverBudget,
    SettingsError,
    Text,
    TooLarge,
    ToolInputError,
    restore,
)
from dure.texts import LANGUAGES
from dure.toolsets.mcp.server import McpTimeout


def every_error() -> list[type[DureError]]:
    """The errors of `dure.errors` itself; rooms may have more."""
    found, rest = [], [DureError]
    while rest:
        kind = rest.pop()
        rest += kind.__subclasses__()
        if kind.__module__ == errors.__name__:
            found.append(kind)
    return found


@pytest.mark.parametrize("kind", every_error(), ids=lambda kind: kind.__name__)
def test_every_error_has_a_code_a_status_and_two_sentences(kind):
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", kind.code)
    assert 400 <= kind.status <= 504
    # The same details are named in both languages, so that neither sentence has a hole.
    if not issubclass(kind, ToolInputError):
        assert len({frozenset(re.findall(r"\{(\w+)\}", kind.says[language])) for language in LANGUAGES}) == 1
    # Reporting an error never raises, even when details are missing.
    assert kind().message("ko")
    assert kind().message("en")


def test_codes_are_unique():
    codes = [kind.code for kind in every_error()]
    assert len(codes) == len(set(codes))


def test_details_fill_the_sentences():
    error = SettingsError(key="DURE_PORT", reason="no number")
    assert str(error) == "The setting DURE_PORT is not valid: no number"
    assert error.message("ko") == "설정 DURE_PORT이(가) 올바르지 않습니다: no number"
    assert isinstance(error, InvalidInput)


def test_details_are_not_templates():
    assert InvalidInput(reason="{key} {0} {x!r}").message("en") == "The input cannot be used: {key} {0} {x!r}"


def test_missing_details_stay_visible():
    assert InvalidInput().message("en") == "The input cannot be used: …"


def test_a_detail_in_both_languages():
    error = InvalidInput(reason=Text("q: empty", ko="q: 비어 있습니다"))
    assert error.message("ko") == "입력을 처리할 수 없습니다: q: 비어 있습니다"
    assert error.message("en") == str(error) == "The input cannot be used: q: empty"
    assert orjson.dumps(error.as_dict("ko")["error"]["details"]) == b'{"reason":"q: empty"}'


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_a_detail_in_both_languages_can_be_copied(copied):
    details = copied(InvalidInput(reason=Text("q: empty", ko="q: 비어 있습니다")).details)
    assert InvalidInput(**details).message("ko").endswith("q: 비어 있습니다")


def literal(node: ast.expr) -> str:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in parts)


@pytest.mark.parametrize(
    "room",
    [
        *("api", "cli", "evaluation", "data", "knowledge", "models", "packs", "runs", "storage", "teams", "toolsets"),
        *("app.py", "settings.py"),
    ],
)
def test_reasons_are_in_both_languages(room):
    """What fills the `reason` of an error is no sentence of one language: see `Text`."""
    place = Path(errors.__file__).parent / room
    for path in [place] if place.is_file() else place.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            given = [each.value for each in node.keywords if each.arg == "reason"] if isinstance(node, ast.Call) else []
            if isinstance(node, ast.Assign) and [getattr(each, "id", "") for each in node.targets] == ["reason"]:
                given = [node.value]
            for each in given:
                assert not re.search("[a-z]{2} [a-z]{2}", literal(each)), f"{path.name}:{each.lineno}"


def test_what_is_not_found_is_named_in_the_language_of_the_sentence():
    """Every word that the source says it with is known, also of an error that was stored."""
    source = Path(errors.__file__).parent
    words = {each for path in source.rglob("*.py") for each in re.findall(r'NotFound\(what="(\w+)"', path.read_text())}
    assert len(words) > 8
    for word in words:
        stored = restore("not_found", orjson.loads(orjson.dumps(NotFound(what=word, id="x").details)))
        assert stored.message("en") == f"There is no {word} 'x'."
        assert not re.search("[a-z]{2}", stored.message("ko")), word


def test_as_dict_is_the_http_body():
    body = InvalidInput(reason="x").as_dict("ko")
    assert body == {
        "error": {
            "code": "invalid_input",
            "message": "입력을 처리할 수 없습니다: x",
            "details": {"reason": "x"},
        }
    }


def test_a_sentence_of_ones_own_in_both_languages():
    error = ToolInputError(ko="0으로 나눌 수 없습니다.", en="division by zero")
    assert (error.message("ko"), error.message("en")) == ("0으로 나눌 수 없습니다.", "division by zero")


def test_an_mcp_timeout_is_a_timeout():
    assert isinstance(McpTimeout(server="s", seconds="5"), TimeoutError)


@pytest.mark.parametrize("kind", every_error(), ids=lambda kind: kind.__name__)
def test_restore_is_the_inverse(kind):
    error = restore(kind.code, {"reason": "x"})
    assert type(error).code == kind.code
    assert error.details == {"reason": "x"}


def test_restoring_an_unknown_code_gives_the_base_error():
    assert type(restore("no_such_code", {})) is DureError


def test_who_has_spent_the_days_budget_is_told_when_the_next_begins() -> None:
    before = datetime.now(UTC)
    error = OverBudget(spent="2", most="1", unit="USD")
    anew = before + timedelta(seconds=error.retry_after)
    midnight = (before + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    assert abs((anew - midnight).total_seconds()) < 5


def test_what_is_too_large_is_told_how_large_it_may_be() -> None:
    assert TooLarge(name="a.pdf", limit=50_000_000).message("en") == "'a.pdf' is too large: at most 50 MB are accepted."
