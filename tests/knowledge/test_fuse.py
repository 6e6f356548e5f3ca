"""The fusion of both arms."""

from dure.knowledge.fuse import Judgement, fuse, noise, share, together, with_parts
from dure.knowledge.lexical import Match

CROWD = 1000


def test_a_question_from_the_text_goes_by_words():
    judged = fuse([Match(6, 0.8), Match(2, 0.2)], 1.0, [2.0, 4.0], CROWD)
    assert judged.scores[0] > judged.scores[1]
    assert judged.evidence > 0.8


def test_chance_words_do_not_outweigh_meaning():
    judged = fuse([Match(2, 0.12), Match(0, 0)], 0.9, [1.0, 4.0], CROWD)
    assert judged.scores[1] > judged.scores[0]


def test_words_that_the_documents_do_not_know_weigh_against_the_lexical_arm():
    matches, standing = [Match(3, 0.5), Match(0, 0)], [0.0, 3.0]
    assert fuse(matches, 1.0, standing, CROWD).scores[0] > fuse(matches, 1.0, standing, CROWD).scores[1]
    assert fuse(matches, 0.3, standing, CROWD).scores[0] < fuse(matches, 0.3, standing, CROWD).scores[1]


def test_evidence_is_nothing_where_the_best_is_no_better_than_chance():
    assert fuse([Match(0, 0)], 0.5, [noise(CROWD)], CROWD).evidence < 0.01
    assert fuse([], 0.0, [], CROWD).evidence == 0
    assert noise(10) < noise(1000)
    assert noise(1) == noise(0) == 0


def test_without_vectors():
    judged = fuse([Match(3, 0.6), Match(1, 0.2)], 0.8, [None, None], 0)
    assert judged.scores == judged.lexical
    assert 0 < judged.evidence < 1


def test_a_passage_without_a_vector_yet_can_win_by_words():
    judged = fuse([Match(5, 0.7), Match(0, 0)], 1.0, [None, 3.0], CROWD)
    assert judged.scores[0] > judged.scores[1]


def test_share():
    assert share(-1, 3) == 0
    assert 0 < share(1, 3) < share(2, 3) < 1


def order(*queries):
    scores = together(list(queries))
    return sorted(range(len(scores)), key=lambda i: -scores[i])


def test_one_query_is_left_as_it_is():
    assert together([[3.0, -1.0, -2.0]]) == [3.0, -1.0, -2.0]


def test_what_one_query_finds_clearly_stands_before_what_each_finds_a_little_of():
    assert order([8.0, 4.5, 0.0], [0.0, 4.5, 8.0])[2] == 1


def test_a_phrasing_that_finds_nothing_changes_little():
    assert order([9.0, 6.0, 4.0, 1.0], [1.5, 1.4, 1.6, 2.0]) == [0, 1, 2, 3]


def test_the_best_of_a_query_whose_words_weigh_less_stands_before_what_another_finds_far_behind_its_best():
    assert order([20.0, 4.0, 3.5, 0.0], [0.0, 0.0, 0.0, 3.8])[1] == 3


def test_what_another_query_finds_below_the_crowd_takes_nothing_away():
    assert order([4.0, 3.0], [-3.0, 0.0]) == [0, 1]


def judged(words, meaning):
    return Judgement(words, meaning, [a + b for a, b in zip(words, meaning, strict=True)], 1.0)


def test_a_query_without_parts_is_left_as_it_is():
    assert with_parts(judged([3.0, 0.0], [-1.0, -2.0]), []) == [2.0, -2.0]


def test_what_tells_one_of_the_things_that_are_asked_stands_before_what_tells_a_little_of_each():
    whole, one, other = ([20.0, 7.0, 5.0], [20.0, 3.0, 0.0], [0.0, 3.0, 12.0])
    first, *parts = [judged(words, [0.0] * 3) for words in (whole, one, other)]
    scores = with_parts(first, parts)
    assert scores[0] > scores[2] > scores[1]


def test_parts_whose_words_nothing_holds_leave_the_ranking_to_the_meaning():
    whole = judged([0.0] * 3, [4.0, 3.0, -1.0])
    assert with_parts(whole, [whole, whole])[:2] == [4.0, 3.0]
