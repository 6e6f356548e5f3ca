import pytest
import typer

from dure.cli.approvals import pretty
from dure.cli.show import print_answer
from dure.cli.terminal import given_path, print_json


def test_numbers_beyond_64_bits_are_printed(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    print_json({"account": 2**70})
    assert capsysbinary.readouterr().out == f'{{\n  "account": "{2**70}"\n}}\n'.encode()
    assert pretty({"account": 2**70}) == f'{{\n  "account": "{2**70}"\n}}'


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("ko", "출처로 확인되지 않은 문장 4개: “A is 5.” (5, 6) · “B.” · “C.” …"),
        ("en", "4 sentences that no source confirms: “A is 5.” (5, 6) · “B.” · “C.” …"),
    ],
)
def test_what_no_source_confirms_is_told(capsys, monkeypatch, language: str, line: str) -> None:
    monkeypatch.setenv("LC_ALL", language)
    checks = [
        {"sentence": "A is 5.", "missing": ["5", "6"]},
        *({"sentence": s, "missing": []} for s in ("B.", "C.", "D.")),
    ]
    answer = {"response": "A is 5. B. C. D.", "citations": [], "metadata": {"thread_id": "s", "checks": checks}}
    print_answer(answer)
    shown = capsys.readouterr()
    assert shown.out == "A is 5. B. C. D.\n"
    assert line in " ".join(shown.err.split())


@pytest.mark.parametrize(
    ("response", "listed"),
    [
        ("## 요약\n하루 전에 신청한다 [1].", True),
        ("하루 전에 신청한다 [1].\n\n## 출처\n\n- [1] 지침, p. 2: “하루 전에 신청한다.”", False),
    ],
)
def test_sources_are_listed_once(capsys, response: str, listed: bool) -> None:
    source = {"marker": 1, "title": "지침", "page": 2, "quote": "하루 전에\n신청한다."}
    print_answer({"response": response, "citations": [source]})
    assert ("Sources" in capsys.readouterr().out) is listed


def test_a_path_given_with_an_equals_sign_may_begin_at_home(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert given_path("~/out") == tmp_path / "out"
    with pytest.raises(typer.BadParameter, match="~nobody-of-that-name"):
        given_path("~nobody-of-that-name/out")
