"""A loop is noticed where a text ends in copies of one piece, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.models.bundled.loops import loop_start

SAID = "Transformer는 신경망 모델입니다. "


@pytest.mark.parametrize("times", [3, 4, 9])
def test_a_repeated_sentence_is_kept_once(times):
    text = "답: " + SAID * times
    at = loop_start(text)
    assert at is not None
    assert text[:at].count("Transformer") == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "짧다",
        SAID * 2,
        "| --- | --- | --- | --- | --- | --- | --- |",
        "=" * 300,
        "가나다라마바사아자차카타파하" + SAID * 2,
    ],
)
def test_what_is_no_loop_is_left_alone(text):
    assert loop_start(text) is None


@given(st.text(max_size=60), st.text(alphabet="가나다라마 abc.", min_size=10, max_size=40))
def test_what_is_cut_is_only_repetition(head, piece):
    text = head + piece * 4
    at = loop_start(text)
    if at is not None:
        assert text[at:] in (text[:at] + text[at:])[-len(text) :]
        period = min(
            p for p in range(1, at + 1) if text[at:] == (text[at - p : at] * (len(text) // p + 1))[: len(text) - at]
        )
        assert text[at - period : at]
