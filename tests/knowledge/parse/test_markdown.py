"""Markdown files."""

from dure.knowledge.parse.markdown import parse


def test_kept_as_written_without_front_matter():
    parsed = parse("---\ntitle: x\n---\n# 보안 지침\n\n- **하나**\n".encode())
    assert parsed.title == "보안 지침"
    assert parsed.pages[0].text == "# 보안 지침\n\n- **하나**\n"


def test_front_matter_is_empty_or_ends_with_dots_too():
    assert parse(b"\n---\n\n--- \ntext").pages[0].text == parse(b"---\na: b\n...\ntext").pages[0].text == "text"
    assert parse(b"---\n---\ntext").pages[0].text == "---\n---\ntext"


def test_the_title_is_the_first_heading_without_its_closing_signs():
    titles = {"## 나\n# 가 나 ##\n# 다": "가 나", "# C#": "C#", "#가": "", "# ##\n#\n# 가": "가", "": ""}
    assert {text: parse(text.encode()).title for text in titles} == titles


def test_long_blanks_take_linear_time(assert_linear):
    for begin, unit in (("# a", " "), ("#", " "), ("---", "\n"), ("---\na", "\n "), ("---\n", "---")):
        assert_linear(parse, lambda n, begin=begin, unit=unit: (begin + unit * n + "x").encode(), 200_000)


def test_a_rule_at_the_top_is_no_front_matter():
    assert parse(b"---\n\ntext").pages[0].text == "---\n\ntext"


def test_a_table_has_the_name_of_its_column_beside_each_value():
    code = "\n\n```\n| a | b |\n|---|---|\n| c | d |\n```\n"
    text = "앞\n\n| 등급 | 해결 |\n| --- | ---: |\n| 1급 | 2시간 |\n| 2급 | **6시간** |"
    told = "앞\n\n등급: 1급 | 해결: 2시간\n등급: 2급 | 해결: **6시간**"
    assert parse((text + code).encode()).pages[0].text == told + code


def test_tables_take_linear_time(assert_linear):
    assert_linear(parse, lambda n: ("|a|b|\n|-|-|\n" + "|c|d|\n" * n).encode(), 4_000)
