"""Search inside one paper."""

from dure.packs.papers.library.inside import by_sentences, without_names
from dure.sources import Passage


class Quick:
    """An embedder of one number: how many words of a text are those of the question."""

    name, dim = "quick", 2
    second = None

    async def queries(self, texts):
        import numpy as np

        return np.array([[1.0 if "winter" in text else 0.0, 0.1] for text in texts], np.float32)

    passages = queries


class Slow(Quick):
    second = Quick()


def passages(*texts):
    return [Passage("d", "T", 1, 0, len(text), text, score=0.5) for text in texts]


async def test_the_passage_with_the_nearest_sentence_comes_first():
    found = passages("All about summers and springs.", "Of many things. In winter it was cold. The end of it.")
    assert await by_sentences("how cold was winter", found, Slow()) == found[::-1]
    assert await by_sentences("how cold was winter", found, Quick()) == found
    assert await by_sentences("how cold was winter", found, None) == found


def test_a_papers_own_name_is_not_looked_for():
    assert without_names("Q-Fade의 오차는?", ["Q-Fade: Early prediction"]).split() == ["의", "오차는?"]
    assert without_names("Q-Fade", ["Q-Fade"]) == "Q-Fade"
    assert without_names("hours of training in RainNet?", ["RainNet: Rain in Towns"]).split() == [
        "hours",
        "of",
        "training",
        "?",
    ]
