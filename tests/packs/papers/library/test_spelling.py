"""Names in texts: what is a candidate, and how far apart two spellings are."""

import pytest

from dure.packs.papers.library.spelling import allowed, candidates, letters, longest, near


def keys(text):
    return {each.key for each in candidates(text)}


def test_particles_and_plurals_are_left_off():
    assert {"어텐션이", "어텐션"} <= keys("어텐션이 뭐야?")
    assert {"rag", "rag란"} == keys("RAG란")
    assert {"transformers", "transformer"} == keys("Transformers")
    assert "gan" not in keys("organ") | keys("gander")
    assert {"kv캐시", "kv캐시를"} <= keys("KV-캐시를")


def test_particles_that_take_another_are_left_off():
    for particle in (
        "으로도",
        "으로의",
        "에서는",
        "과의",
        "들의",
        "이라는",
        "이란",
        "예요",
        "인가요",
        "이뭐야",
        "뜻은",
        "관련논문",
        "누구",
    ):
        assert "과적합" in keys(f"과적합{particle}"), particle


def test_long_texts_are_looked_at_in_part():
    assert len(candidates("단어 " * 100_000)) < 3000


@pytest.mark.parametrize(
    "asked",
    ["atention", "atttention", "attenxion", "attentoin", "어탠션", "어텐셔", "어테션", "lsmt", "ltsm", "lstn"],
)
def test_one_letter_may_be_wrong_in_any_way(asked):
    """Left out, too many, another, or two swapped; in a name of four letters only swapped."""
    expected = {"a": "attention", "어": "어텐션", "l": "lstm"}.get(asked[0])
    known = ["attention", "lstm", "어텐션"]
    assert near(asked, known) == ([(expected, True)] if expected and asked != "lstn" else [])


def test_more_letters_may_be_wrong_in_longer_names():
    known = ["hallucination"]
    assert near("halucinatoin", known) == near("hallucinatxxn", known) == [("hallucination", True)]
    assert near("halucinxtoin", known) == []
    # One at the beginning, but no more: that would be another word.
    assert near("xallucination", known) == [("hallucination", True)]
    assert near("xalucination", known) == []


def test_hangul_is_compared_by_letters():
    assert len(letters("어텐션")) == 8
    assert near("어탠션", ["어텐션"]) == [("어텐션", True)]
    assert near("어탄손", ["어텐션"]) == []
    assert allowed(letters("온도"), "온도") == 0
    assert allowed(letters("어텐션"), "어텐션") == 1
    assert allowed("gans", "gans") == 0


def test_near_first_by_spelling_then_by_beginning():
    known = ["어텐션", "셀프어텐션", "정규화기법", "organization", "lstm"]
    assert near("어탠션이 뭐야", known) == [("어텐션", True)]
    assert near("정규화", known) == [("정규화기법", False)]
    assert near("organisation", known) == [("organization", True)]
    assert near("ltsm", known) == [("lstm", True)]
    assert near("", known) == near("뭐야?", known) == []


def test_overlapping_names():
    found = candidates("self attention model")
    numbers = {"self": 1, "selfattention": 2, "attention": 3, "model": 4}
    kept = longest([(each, numbers[each.key]) for each in found if each.key in numbers])
    assert [number for _, number in kept] == [2, 4]
