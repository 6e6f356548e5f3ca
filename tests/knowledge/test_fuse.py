"""The fusion of both arms."""

from dure.knowledge.fuse import Crowd, fuse, share
from dure.knowledge.lexical import Match

CROWD = Crowd(mean=0.8, deviation=0.02, count=1000)


def test_a_question_from_the_text_goes_by_words():
    judged = fuse([Match(6, 0.8), Match(2, 0.2)], 1.0, [0.84, 0.88], CROWD)
    assert judged.scores[0] > judged.scores[1]
    assert judged.evidence > 0.8


def test_chance_words_do_not_outweigh_meaning():
    judged = fuse([Match(2, 0.12), Match(0, 0)], 0.9, [0.82, 0.88], CROWD)
    assert judged.scores[1] > judged.scores[0]


def test_words_that_the_documents_do_not_know_weigh_against_the_lexical_arm():
    matches, cosines = [Match(3, 0.5), Match(0, 0)], [0.80, 0.86]
    assert fuse(matches, 1.0, cosines, CROWD).scores[0] > fuse(matches, 1.0, cosines, CROWD).scores[1]
    assert fuse(matches, 0.3, cosines, CROWD).scores[0] < fuse(matches, 0.3, cosines, CROWD).scores[1]


def test_evidence_is_nothing_where_the_best_is_no_better_than_chance():
    best_of_noise = CROWD.mean + CROWD.noise * CROWD.deviation
    assert fuse([Match(0, 0)], 0.5, [best_of_noise], CROWD).evidence < 0.01
    assert fuse([], 0.0, [], CROWD).evidence == 0


def test_without_vectors():
    judged = fuse([Match(3, 0.6), Match(1, 0.2)], 0.8, [None, None], None)
    assert judged.scores == judged.lexical
    assert 0 < judged.evidence < 1


def test_a_passage_without_a_vector_yet_can_win_by_words():
    judged = fuse([Match(5, 0.7), Match(0, 0)], 1.0, [None, 0.85], CROWD)
    assert judged.scores[0] > judged.scores[1]


def test_all_cosines_alike():
    assert fuse([Match(0, 0)], 0.5, [0.9], Crowd(0.9, 0.0, 1)).scores == [0.0]


def test_share():
    assert share(-1, 3) == 0
    assert 0 < share(1, 3) < share(2, 3) < 1
