"""Runs side by side: what was the same, what differed, and how the answers differ."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

from dure.knowledge.sentences import sentences
from dure.records.experiment import Experiment

Json = dict[str, Any]
_ROWS = (
    *("question", "experiment", "team", "level", "status", "models", "dialects", "routing", "agents", "tools"),
    *("queries", "sources", "model_calls", "prompt_tokens", "completion_tokens", "seconds", "cost", "rating", "errors"),
)
_WORDS = re.compile(r"\w+|\s+|.")
_ALIKE = 0.5


def compare(runs: Sequence[Experiment]) -> Json:
    """Runs compared with the first: `{runs: [id], rows: [{name, values, same}], answers: [{run_id, changes}]}`.

    `values` are in the order of the runs. `changes` turn the first answer into this one, as `changes` tells them.
    """
    columns = [_values(run) for run in runs]
    rows = []
    for name in columns[0]:
        values = [column[name] for column in columns]
        rows.append({"name": name, "values": values, "same": all(value == values[0] for value in values)})
    answers = [{"run_id": run.run_id, "changes": changes(runs[0].answer, run.answer)} for run in runs[1:]]
    return {"runs": [run.run_id for run in runs], "rows": rows, "answers": answers}


def _values(run: Experiment) -> Json:
    return {name: getattr(run, name, None) for name in _ROWS} | {
        "routing": [{"agents": each.agents, "how": each.how, "scores": each.scores} for each in run.routing],
        "tools": [{"name": each.name, "args": each.args, "status": each.status} for each in run.tools],
        "queries": [each.text for each in run.queries],
        "sources": list(dict.fromkeys(citation["title"] for citation in run.citations)),
        "errors": [each["message"] for each in run.errors],
    }


def changes(before: str, after: str) -> list[list[Any]]:
    """What turns one text into the other, by sentences and lines: `[mark, text]`, the mark `=`, `-` or `+`. One that
    much like another took the place of has its words, too: `[mark, text, [[mark, words], …]]`."""
    old, new = ([text[start:end] for start, end in sentences(text)] for text in (before, after))
    found: list[list[Any]] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [["=", piece] for piece in old[a:b]]
        else:
            alike = [_words(*pair) for pair in zip(old[a:b], new[c:d], strict=False)]
            for side, mark, pieces in ((0, "-", old[a:b]), (1, "+", new[c:d])):
                found += [
                    [mark, piece, *(pair[side] for pair in alike[n : n + 1] if pair)] for n, piece in enumerate(pieces)
                ]
    return found


def _words(before: str, after: str) -> tuple[list[list[str]], list[list[str]]] | None:
    """Two sentences in words that stand in both and words that do not; None where they have little in common."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    sides: tuple[list[list[str]], list[list[str]]] = [], []
    for kind, a, b, c, d in matcher.get_opcodes():
        for side, mark, words in zip(sides, "-+", (old[a:b], new[c:d]), strict=True):
            side += [["=" if kind == "equal" else mark, "".join(words)]] * bool(words)
    return sides if matcher.ratio() > _ALIKE else None
