"""A run against what a case expects: of each measure, how many were right of how many, and what was wrong."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dure.numbers import numbers
from dure.packs.evaluation.cases import Case, plain
from dure.records.experiment import Experiment

Json = dict[str, Any]
Names = Mapping[str, set[str]]
"""Of documents by their id: the names that each goes by."""


@dataclass(slots=True)
class Score:
    """`parts`: right and total of each measure. `faults`: what was wrong, for people."""

    parts: dict[str, tuple[int, int]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def add(self, measure: str, right: int, n: int, fault: str = "") -> None:
        before = self.parts.get(measure, (0, 0))
        self.parts[measure] = (before[0] + right, before[1] + n)
        if right < n:
            self.faults.append(f"{measure}: {fault}")


def judge(case: Case, run: Experiment, names: Names) -> Score:
    """All that the case expects, of the run."""
    score = Score()
    check_routing(score, case, run.pipeline)
    if case.tools is not None:
        check_tools(score, case.tools, [{"name": each.name, "args": each.args} for each in run.tools])
    if case.documents is not None:
        check_documents(score, case.documents, run, names)
    if case.answer is not None:
        check_answer(score, case.answer, run, names)
    return score


def check_routing(score: Score, case: Case, chosen: Sequence[str]) -> None:
    """Who was chosen, in order, is one of the right pipelines; those of several agents are measured apart too."""
    if case.pipelines is None:
        return
    right = list(chosen) in case.pipelines
    fault = f"{_way(chosen)} instead of {_way(case.pipelines[0])}"
    score.add("routing", int(right), 1, fault)
    if len(case.pipelines[0]) > 1:
        score.add("pipelines", int(right), 1, fault)


def _way(agents: Sequence[str]) -> str:
    return " → ".join(agents) or "(nobody)"


def check_tools(score: Score, wanted: Sequence[Json], made: Sequence[Json]) -> None:
    """Each wanted call was made: of its name, the given arguments equal. One made call counts for one wanted."""
    left = list(made)
    for each in wanted:
        of_it = (call for call in left if call["name"] == each["name"])
        args = each["args"]
        found = next(
            (call for call in of_it if all(key in call["args"] and same(call["args"][key], args[key]) for key in args)),
            None,
        )
        if found is not None:
            left.remove(found)
        of_name = [call["args"] for call in made if call["name"] == each["name"]]
        calls = ", ".join(dict.fromkeys(call["name"] for call in made)) or "(none)"
        said = f"{each['name']}({each['args']}) instead: {of_name or calls}"
        score.add("tools", int(found is not None), 1, said[:500])


def same(found: Any, wanted: Any) -> bool:
    """Equal as JSON: numbers by their value, texts composed and without outer spaces."""
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    if isinstance(found, str) and isinstance(wanted, str):
        return unicodedata.normalize("NFC", found).strip() == unicodedata.normalize("NFC", wanted).strip()
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(found, dict) and isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(same(found[key], wanted[key]) for key in wanted)
    return bool(found == wanted)


def check_documents(score: Score, wanted: Sequence[str], run: Experiment, names: Names) -> None:
    """Recall: the share of the wanted documents among those of all passages that were found."""
    found = known_as([passage for tool in run.tools for passage in tool.passages], names)
    missing = [name for name in wanted if not found & spellings(name)]
    score.add("documents", len(wanted) - len(missing), len(wanted), f"not found: {', '.join(missing)}")


def check_answer(score: Score, wanted: Json, run: Experiment, names: Names) -> None:
    """Each kind of check is a measure of its own."""
    text, found, cited = plain(run.answer), numbers(run.answer), known_as(run.citations, names)
    said = ", ".join(map(str, sorted(found))) or "none"
    faults = {
        "contains": ("missing: ", [each for each in wanted.get("contains", ()) if plain(each) not in text]),
        "regex": ("no match: ", [each for each in [wanted.get("regex", "")] if not re.search(each, run.answer)]),
        "number": ("", [f"{each} is not among {said}" for each in [wanted.get("number")] if each not in found]),
        "cites": ("not cited: ", [each for each in wanted.get("cites", ()) if not cited & spellings(each)]),
    }
    for kind, (fault, left) in faults.items():
        if kind in wanted:
            score.add(f"answer {kind}", int(not left), 1, fault + ", ".join(left))


def known_as(places: Sequence[Json], names: Names) -> set[str]:
    """The names that the documents of passages or citations go by."""
    found: set[str] = set()
    for place in places:
        found |= spellings(place["title"]) | names.get(place["document_id"], set())
        if place.get("url"):
            found |= spellings(place["url"])
    return found


def spellings(name: str) -> set[str]:
    """A document's name as it is compared: whole, and without its ending."""
    text = plain(name)
    stem, dot, ending = text.rpartition(".")
    return {text, stem} if dot and stem and 0 < len(ending) <= 5 and ending.isalnum() else {text}
