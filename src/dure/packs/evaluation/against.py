"""A set's results beside those of before, such as of another model: question by question."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import comb
from pathlib import Path
from typing import Any

import orjson

from dure.errors import InvalidInput
from dure.packs.evaluation import TEXTS


@dataclass(slots=True)
class Against:
    """Of the questions that both have: how many are right in both and in neither, and which in one alone."""

    both: int
    neither: int
    better: list[str]
    worse: list[str]

    @property
    def p(self) -> float:
        """How likely so uneven a split is among answers that are equally good: McNemar's exact test (1947)."""
        few, n = min(len(self.better), len(self.worse)), len(self.better) + len(self.worse)
        return min(1.0, 2 * sum(comb(n, k) for k in range(few + 1)) / (1 << n))

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"p": round(self.p, 4)}


def results_of(path: Path) -> dict[tuple[int, str], bool]:
    """What was right in a file of results, by line and question. Raises InvalidInput."""
    try:
        lines = [orjson.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
        return {(each["line"], each["question"]): bool(each["right"]) for each in lines}
    except OSError as error:
        raise InvalidInput(reason=f"{path}: {error.strerror}") from None
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise InvalidInput(reason=TEXTS.phrase("against.none", path=path)) from None


def against(now: Sequence[dict[str, Any]], before: dict[tuple[int, str], bool]) -> Against:
    pairs = [
        (each["question"], each["right"], before[key])
        for each in now
        if (key := (each["line"], each["question"])) in before
    ]
    return Against(
        both=sum(new and old for _, new, old in pairs),
        neither=sum(not (new or old) for _, new, old in pairs),
        better=[question for question, new, old in pairs if new and not old],
        worse=[question for question, new, old in pairs if old and not new],
    )
