"""Tokens of the turn, where a server leaks them."""

import pytest


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
