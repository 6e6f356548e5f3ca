"""Tokens of the turn, where a server leaks them."""

import pytest

from dure.dialects import DIALECTS
from dure.messages import Delta


@pytest.mark.parametrize("token", ["<|im_end|>", "<|eot_id|>", "</s>", "<|end|>", "<｜end▁of▁sentence｜>", "<eos>"])
def test_tokens_at_the_end_are_not_shown(parse, token):
    assert parse(f"답입니다.{token}").content == "답입니다."


def test_a_header_is_not_shown(parse):
    assert parse("<|im_start|>assistant\n답입니다.<|im_end|>").content == "답입니다."
    assert parse("<|start_header_id|>assistant<|end_header_id|>\n\n답입니다.").content == "답입니다."


def test_a_token_in_code_is_text(parse):
    assert parse("`<|im_end|>` 로 끝납니다.").content == "`<|im_end|>` 로 끝납니다."


def test_tags_around_an_answer(parse):
    assert parse("<answer>\n42\n</answer>").content == "42"


CALL = '<tool_call>{"name": "now", "arguments": {}}</tool_call>'


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("답입니다.<|role_end|>", "답입니다."),
        ("답입니다.\n<|iquest_end|>\n", "답입니다."),
        ("The token <|role_end|> ends a turn.", "The token <|role_end|> ends a turn."),
        ("The token is <|role_end|>", "The token is <|role_end|>"),
        ("A call ends with </tool_call> and the turn with <|im_end|> then.", None),
        ("호출은 [TOOL_CALLS]로 시작합니다.", None),
        (f"<tool_calls>\n{CALL}\n</tool_calls>", ""),
        (f"<function_calls>\n{CALL[11:-12]}\n</function_calls>", ""),
        (f"<|calls|>\n{CALL}<|role_end|>", ""),
        (f"네.<tool>{CALL[11:-12]}</tool>", "네."),
    ],
)
def test_tokens_and_wrappers_that_nobody_listed(tools, text, content, size):
    reader = DIALECTS["text"].reader(tools)
    pieces = [piece for at in range(0, len(text), size) for piece in reader.feed(Delta(text[at : at + size]))]
    reply = reader.finish()
    pieces += reply.rest
    assert reply.content == (text if content is None else content)
    assert "".join(piece.text for piece in pieces if piece.kind == "text") == reply.content
    assert [call.name for call in reply.tool_calls if call.error is None] == ["now"] * ("now" in text)
