"""What example questions say: what is asked for counts, not only what it is about; and how sure that is."""

from pathlib import Path

import numpy as np
import pytest

from dure.pack import chosen, register
from dure.teams.files import load_team
from dure.teams.who.examples import Examples
from dure.teams.who.learning import groups_of

GROUPS = {
    ("find",): ["논문 찾아줘", "관련 연구 찾아줘", "find papers on graphs"],
    ("save",): ["저장해줘", "파일로 저장해줘", "save it to a file"],
    ("find", "save"): ["논문 찾아서 저장해줘", "find papers and save them"],
}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("음성 논문 찾아줘", ("find",)),
        ("이거 저장해줘", ("save",)),
        ("번역 논문 찾아서 저장해줘", ("find", "save")),
        ("find papers on speech", ("find",)),
    ],
)
def test_words_alone_decide_where_there_are_no_embeddings(message, expected):
    chances = Examples(GROUPS).chances(message).by_key
    assert next(iter(chances)) == expected
    assert list(chances.values()) == sorted(chances.values(), reverse=True)
    assert sum(chances.values()) == pytest.approx(1)


def vectors(seed: int = 0) -> np.ndarray:
    made = np.random.default_rng(seed).normal(size=(8, 16)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


@pytest.mark.parametrize("views", [1, 2])
def test_meaning_decides_where_words_are_strange(views):
    rows = [vectors(seed) for seed in range(views)]
    chances = Examples(GROUPS, rows).chances("zzz", [each[4] for each in rows]).by_key
    assert next(iter(chances)) == ("save",)


def test_likeness_of_meaning_is_no_word_for_it():
    rows = [vectors()]
    found = Examples(GROUPS, rows).chances("zzz", [rows[0][4]])
    assert "save" not in found.in_words
    assert "save" in Examples(GROUPS).chances("이거 저장해줘").in_words


def test_a_slip_changes_little():
    found = Examples(GROUPS).chances("논믄 찻아죠").by_key
    assert next(iter(found)) == ("find",)


def test_the_turn_before_counts():
    examples = Examples(GROUPS)
    before = examples.chances("논문 찾아줘\n그럼 작년은?")
    alone, together = examples.chances("그럼 작년은?"), examples.chances("그럼 작년은?", before=before)
    assert together.by_key["find",] > alone.by_key["find",]


def test_the_nearest_examples_come_first():
    assert Examples(GROUPS).chances("논문을 좀 찾아줘").nearest[0] == ("논문 찾아줘", ("find",))


def test_chances_are_as_sure_as_the_examples_are_told_apart():
    """Labels by lot cannot be told from each other, and nothing is said to be sure then."""
    texts = [f"{a} {b}" for a in ("red", "blue", "green", "white") for b in ("one", "two", "three", "four")]
    apart = Examples({("a",): [f"x {t}" for t in texts], ("b",): [f"y {t}" for t in texts]})
    sure = []
    for seed in range(20):
        lot = np.random.default_rng(seed).permutation(16)
        mixed = Examples({("a",): [texts[i] for i in lot[::2]], ("b",): [texts[i] for i in lot[1::2]]})
        sure.append(max(mixed.chances("x red five").by_key.values()))
    assert max(apart.chances("x red five").by_key.values()) > 0.9
    assert np.median(sure) < 0.75


def test_examples_of_the_built_in_team_are_each_of_one_pipeline():
    register(chosen(()))
    folder = Path(__file__).parents[3] / "src/dure/packs/papers/teams"
    groups = groups_of(load_team(folder / "papers.toml"))
    texts = [text for each in groups.values() for text in each]
    assert len(texts) == len(set(texts))
    assert len(groups) == 26
