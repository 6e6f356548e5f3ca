import pytest

from dure.cli.approvals import pretty
from dure.cli.show import print_answer
from dure.cli.terminal import print_json


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
