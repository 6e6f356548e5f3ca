"""What the READMEs say is so in both languages. Their commands and links: tests/docs."""

import re
from pathlib import Path

from dure.errors import install_line
from dure.models.bundled.weights import WEIGHTS
from dure.settings import Settings

ROOT = Path(__file__).parents[1]
ENGLISH = (ROOT / "README.md").read_text(encoding="utf-8")
KOREAN = (ROOT / "README.ko.md").read_text(encoding="utf-8")


def test_the_two_commands_are_one_line_each_and_pinned() -> None:
    for marker in ("the first command", "the test command"):
        block = ENGLISH.split(f"<!-- {marker} -->")[1].split("```")[1].removeprefix("sh\n").strip()
        assert "\n" not in block
        assert "-c constraints.txt" in block


def test_an_extra_is_installed_by_one_line_everywhere() -> None:
    assert install_line("office") in ENGLISH
    texts = [p.read_text(encoding="utf-8") for pattern in ("docs/*.md", "src/**/*.py") for p in ROOT.glob(pattern)]
    assert not [text for text in texts if "install 'dure[" in text]


def test_the_size_of_the_weights_is_the_same_everywhere() -> None:
    models = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    for text, variant in ((ENGLISH, "1.5b"), (KOREAN, "1.5b"), (ENGLISH, "0.5b"), (models, "1.5b"), (models, "0.5b")):
        assert f"{WEIGHTS[variant].size / 1e6:,.0f} MB" in text


def test_the_settings_that_are_named_exist() -> None:
    known = {f"DURE_{name.upper()}" for name in Settings.model_fields} | {"DURE_CONFIG", "DURE_DEBUG", "DURE_OWNER"}
    for text in (ENGLISH, KOREAN):
        assert set(re.findall(r"DURE_[A-Z_]+", text)) <= known
    assert set(re.findall(r"DURE_[A-Z_]+", ENGLISH)) == set(re.findall(r"DURE_[A-Z_]+", KOREAN))


def test_the_korean_readme_shows_what_a_korean_terminal_prints() -> None:
    shown = KOREAN.split("```text\n")[1].split("```")[0]
    for word in ("팀에 묻기", "예시 질문과 가까움", "\n출처\n", ", 3쪽"):
        assert word in shown
    assert "Sources" not in shown
