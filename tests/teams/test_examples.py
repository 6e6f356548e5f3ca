"""Routing by examples: what is asked for decides, not only what it is about."""

from pathlib import Path

import numpy as np
import pytest

from dure.teams import load_team
from dure.teams.examples import Examples
from dure.teams.learning import groups_of

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
    scores = Examples(GROUPS, None).scores(message, None)
    assert next(iter(scores)) == expected
    assert list(scores.values()) == sorted(scores.values(), reverse=True)


def test_meaning_decides_where_words_are_strange():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(8, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    scores = Examples(GROUPS, vectors).scores("zzz", vectors[4])
    assert next(iter(scores)) == ("save",)


def test_the_nearest_examples_of_a_pipeline():
    examples = Examples(GROUPS, None)
    assert examples.nearest("논문을 좀 찾아줘", None, ("find",), 1) == ["논문 찾아줘"]


def test_examples_of_the_built_in_team_are_each_of_one_pipeline():
    folder = Path(__file__).parents[2] / "src/dure/packs/papers/teams"
    groups = groups_of(load_team(folder / "papers.toml"))
    texts = [text for each in groups.values() for text in each]
    assert len(texts) == len(set(texts))
    assert len(groups) == 26
