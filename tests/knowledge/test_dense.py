"""The dense arm: standing among the passages of one's language."""

import numpy as np
import pytest

from dure.knowledge.dense import FEW, stand
from dure.knowledge.vectors import STRANGERS, StrangersWanted
from dure.storage.terms import is_korean


def cosines(count, seed=0, mean=0.8):
    return (mean + 0.02 * np.random.default_rng(seed).standard_normal((2, count))).astype(np.float32)


def flags(korean, other=0):
    return np.array([True] * korean + [False] * other)


def test_standing_is_counted_in_deviations():
    values = cosines(100)
    similar = stand(np.arange(100), flags(100), values, None)
    assert similar.crowd == 100
    assert np.allclose(similar.standing.mean(axis=1), 0, atol=1e-3)
    assert np.allclose(similar.standing.std(axis=1), 1, atol=1e-3)
    assert (similar.standing.argsort() == values.argsort()).all()


def test_a_language_is_no_merit():
    """Passages in the question's language score higher throughout; the fitting one in the other language still wins."""
    values = np.hstack([cosines(60, mean=0.78), cosines(60, seed=1, mean=0.86)])
    values[:, 7] = 0.85
    similar = stand(np.arange(120), flags(60, 60), values, None)
    assert (values.argmax(axis=1) != 7).all()
    assert (similar.standing.argmax(axis=1) == 7).all()
    assert similar.best(None, 1) == {7}


def test_few_are_measured_against_strangers():
    for korean, others in ((FEW, FEW), (FEW, 0), (0, 0)):
        stand(np.arange(korean + others), flags(korean, others), cosines(korean + others), None)
    with pytest.raises(StrangersWanted):
        stand(np.arange(FEW + 1), flags(FEW, 1), cosines(FEW + 1), None)
    strangers = cosines(len(STRANGERS), mean=0.76)
    similar = stand(np.array([4]), flags(1), np.full((2, 1), 0.9, np.float32), strangers)
    assert similar.standing.min() > 3
    unfit = stand(np.array([4]), flags(1), np.full((2, 1), 0.76, np.float32), strangers)
    assert unfit.standing.max() < 1.5
    assert similar.crowd == sum(map(is_korean, STRANGERS))


def test_all_alike():
    similar = stand(np.arange(30), flags(30), np.full((1, 30), 0.9, np.float32), None)
    assert np.allclose(similar.standing, 0, atol=0.01)


def test_looking_up():
    ids = np.array([5, 9, 2])
    similar = stand(ids, flags(3), cosines(3), cosines(len(STRANGERS)))
    assert similar.best(None, 9) == {2, 5, 9}
    assert similar.of(None, [2, 77, 5])[1] == pytest.approx([similar.standing[1, 2], None, similar.standing[1, 0]])
