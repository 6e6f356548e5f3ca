"""The questions for the router: enough of each kind, each read as it is meant, none twice."""

import json
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

from rapidfuzz.distance import OSA

from dure.packs.evaluation.cases import read_cases

PATH = Path(__file__).parents[2] / "benchmarks" / "data" / "routing.jsonl"
LINES = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]
TOOLS = {"general", "search_paper", "glossary", "web_search", "summarize", "text2sql", "save_file"}


def test_there_are_enough_of_each_kind():
    single = Counter(each["pipeline"][0] for each in LINES if len(each["pipeline"]) == 1)
    assert set(single) == TOOLS
    assert min(single.values()) >= 12
    assert sum(single.values()) >= 100
    assert sum(len(each["pipeline"]) > 1 for each in LINES) >= 40
    assert sum("history" in each for each in LINES) >= 25
    assert 0.55 <= sum(each["language"] == "ko" for each in LINES) / len(LINES) <= 0.65


def test_each_is_a_case_of_an_evaluation():
    cases = read_cases(PATH)
    for case, line in zip(cases, LINES, strict=True):
        assert case.pipelines == [line["pipeline"], *line.get("also", [])]
        assert len(case.history) == len(line.get("history", []))
        for pipeline in case.pipelines:
            assert 1 <= len(pipeline) <= 4
            assert set(pipeline) <= TOOLS
            assert len(set(pipeline)) == len(pipeline)
        assert line["language"] == ("ko" if re.search("[가-힣]", case.question) else "en")


def test_few_can_be_taken_in_two_ways_and_say_why():
    double = [each for each in LINES if "also" in each]
    assert len(double) <= len(LINES) / 10
    assert all(each["note"] and each["pipeline"] not in each["also"] for each in double)


def test_what_comes_after_another_turn_has_one():
    for each in LINES:
        turns = [turn["role"] for turn in each.get("history", [])]
        assert turns == ["user", "assistant"] * (len(turns) // 2)
        if each["pipeline"] == ["save_file"]:
            assert turns, each["question"]


def test_no_question_is_anothers_copy():
    asked = [re.sub(r"\W", "", each["question"].casefold()) for each in LINES]
    for one, two in combinations(asked, 2):
        most = max(1, min(len(one), len(two)) // 4)
        assert OSA.distance(one, two, score_cutoff=most) > most, (one, two)
