"""Markdown files."""

from dure.knowledge.parse.markdown import parse


def test_kept_as_written_without_front_matter():
    parsed = parse("---\ntitle: x\n---\n# 보안 지침\n\n- **하나**\n".encode())
    assert parsed.title == "보안 지침"
    assert parsed.pages[0].text == "# 보안 지침\n\n- **하나**\n"


def test_a_rule_at_the_top_is_no_front_matter():
    assert parse(b"---\n\ntext").pages[0].text == "---\n\ntext"
