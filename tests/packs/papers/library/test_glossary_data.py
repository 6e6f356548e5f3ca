"""The shipped terms: whole, and each name leading to one of them."""

import re
from collections import Counter
from importlib.resources import files

import orjson
import pytest

from dure.packs.papers.keys import title_key

FIELDS = {
    "evaluation", "generative", "graph", "learning", "llm", "multimodal", "nlp", "retrieval", "rl", "safety", "speech",
    "systems", "theory", "vision",
}  # fmt: skip
TEXTS = ("easy_ko", "easy_en", "expert_ko", "expert_en")
LINES = files("dure.packs.papers.library").joinpath("data", "glossary.jsonl").read_text("utf-8").splitlines()
TERMS = [orjson.loads(line) for line in LINES]


def test_there_are_enough_of_every_kind():
    assert len(TERMS) >= 150
    count = Counter(each["field"] for each in TERMS)
    assert set(count) == FIELDS
    assert min(count[field] for field in ("evaluation", "llm", "nlp", "retrieval", "rl", "vision", "learning")) >= 9


def test_keys_and_names_are_each_ones_own():
    assert [key for key, n in Counter(each["key"] for each in TERMS).items() if n > 1] == []
    names = Counter()
    for each in TERMS:
        names.update({title_key(name) for name in (each["term_ko"], each["term_en"], *each["aliases"])})
    assert [name for name, n in names.items() if n > 1] == []
    assert "" not in names


@pytest.mark.parametrize("term", TERMS, ids=[each["key"] for each in TERMS])
def test_each_term_is_whole(term):
    assert set(term) == {"key", "term_ko", "term_en", "aliases", "field", *TEXTS}
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", term["key"])
    aliases = [title_key(each) for each in term["aliases"]]
    assert len(set(aliases)) == len(aliases)
    assert not {title_key(term["term_ko"]), title_key(term["term_en"])} & set(aliases)
    assert not re.search("[가-힣]", term["term_en"])
    assert re.search("[가-힣]", "".join([term["term_ko"], *term["aliases"]]))
    for name in TEXTS:
        text = term[name]
        assert 2 <= len(re.findall(r"[.!?](?=\s|$)", text)) <= 5, name
        assert 40 <= len(text) <= 600, name
        assert text == " ".join(text.split()), name
        # Examples in English may stand in a Korean text, but not the other way round.
        assert bool(re.search("[가-힣]", text)) == name.endswith("ko"), name


def test_easy_texts_are_plain():
    """No formulas, and hardly any Latin words in Korean."""
    for term in TERMS:
        for name in ("easy_ko", "easy_en"):
            assert not re.search(r"[=∇Σ∈θ‖√λ\\^]", term[name]), term["key"]
        assert len(re.findall(r"[A-Za-z]{2,}", term["easy_ko"])) <= 1, term["key"]


def test_expert_texts_are_exact():
    """Most have a formula."""
    assert sum(bool(re.search(r"[=∇Σ≥≤∈≈→(]", term["expert_en"])) for term in TERMS) > 0.8 * len(TERMS)
