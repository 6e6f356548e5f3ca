"""The paraphrase set: well formed, about passages that exist, and hard for word matching."""

import hashlib
import json
import math
import re
from collections import Counter
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
QUESTIONS = REPO / "benchmarks" / "data" / "paraphrases.jsonl"
KORQUAD = REPO.parent / "shared" / "data" / "KorQuAD_v1.0_dev.json"
KINDS = {"paraphrase": "ko", "english": "en"}
# KorQuAD's own questions share 0.65 of their weight with their passage; 95 in 100 of them more than 0.38.
MOST_SHARED = 0.30
MOST_SHARED_ON_AVERAGE = 0.10


@pytest.fixture(scope="module")
def questions() -> list[dict[str, str]]:
    return [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def passages() -> dict[str, str]:
    """KorQuAD's dev paragraphs by the sha256 of their UTF-8 text."""
    if not KORQUAD.exists():
        pytest.skip(f"{KORQUAD} is absent: get KorQuAD 1.0's dev set from its publisher to check the passages")
    articles = json.loads(KORQUAD.read_text(encoding="utf-8"))["data"]
    contexts = [paragraph["context"] for article in articles for paragraph in article["paragraphs"]]
    return {hashlib.sha256(context.encode()).hexdigest(): context for context in contexts}


def bigrams(text: str) -> set[str]:
    """Character bigrams inside words, which meet Korean stems whatever their endings."""
    return {word[i : i + 2] for word in re.findall(r"\w+", text.lower()) for i in range(len(word) - 1)}


def test_every_line_has_the_fields_of_its_kind(questions: list[dict[str, str]]) -> None:
    for line in questions:
        assert set(line) == {"id", "passage", "question", "language", "kind"}, line
        assert KINDS[line["kind"]] == line["language"], line
        assert re.fullmatch(r"(ko|en)-\d{3}", line["id"]), line
        assert line["id"].startswith(line["language"]), line
        assert re.fullmatch(r"[0-9a-f]{64}", line["passage"]), line
        assert line["question"].endswith("?"), line
        assert bool(re.search("[가-힣]", line["question"])) == (line["language"] == "ko"), line


def test_ids_and_questions_are_unique(questions: list[dict[str, str]]) -> None:
    for field in ("id", "question"):
        assert max(Counter(line[field] for line in questions).values()) == 1
    pairs = Counter((line["passage"], line["language"]) for line in questions)
    assert max(pairs.values()) == 1, "one question a passage and language"


def test_the_set_is_large_and_spread(questions: list[dict[str, str]]) -> None:
    kinds = Counter(line["kind"] for line in questions)
    assert kinds["paraphrase"] >= 60
    assert kinds["english"] >= 50
    assert len({line["passage"] for line in questions}) >= 100


def test_passages_exist(questions: list[dict[str, str]], passages: dict[str, str]) -> None:
    assert [line["id"] for line in questions if line["passage"] not in passages] == []


def test_korean_questions_share_few_words_with_their_passage(
    questions: list[dict[str, str]], passages: dict[str, str]
) -> None:
    """Shared weight: the part of a question's bigrams, weighted by idf, that stands in its passage."""
    grams = {key: bigrams(context) for key, context in passages.items()}
    frequency = Counter(gram for found in grams.values() for gram in found)

    def weight(found: set[str]) -> float:
        return sum(math.log(1 + len(grams) / (1 + frequency[gram])) for gram in found)

    shared = {}
    for line in questions:
        if line["language"] == "ko":
            asked = bigrams(line["question"])
            shared[line["id"]] = weight(asked & grams[line["passage"]]) / weight(asked)
    mean = sum(shared.values()) / len(shared)
    print(f"shared weight of {len(shared)} Korean questions: mean {mean:.3f}, most {max(shared.values()):.3f}")
    assert {key: value for key, value in shared.items() if value > MOST_SHARED} == {}
    assert mean <= MOST_SHARED_ON_AVERAGE
