"""Runs side by side: what was the same, what differed, and how the answers differ."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

from dure.records.experiment import Experiment

Json = dict[str, Any]
_ROWS = (
    *("question", "experiment", "team", "level", "status", "models", "dialects", "routing", "agents", "tools"),
    *("queries", "sources", "model_calls", "prompt_tokens", "completion_tokens", "seconds", "cost", "rating", "errors"),
)
_PIECES = re.compile(r"[^\n]*?(?:[.!?。](?=\s)|\n|$)")


def compare(runs: Sequence[Experiment]) -> Json:
    """Runs compared with the first: `{runs: [id], rows: [{name, values, same}], answers: [{run_id, changes}]}`.

    `values` are in the order of the runs. `changes` turn the first answer into this one: `[mark, text]` each, the mark
    one of `=`, `-` and `+`.
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


def changes(before: str, after: str) -> list[list[str]]:
    """What turns one text into the other, by sentences and lines: `[mark, text]`, the mark `=`, `-` or `+`."""
    old, new = _pieces(before), _pieces(after)
    found: list[list[str]] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [["=", piece] for piece in old[a:b]]
        else:
            found += [["-", piece] for piece in old[a:b]] + [["+", piece] for piece in new[c:d]]
    return found


def _pieces(text: str) -> list[str]:
    return [piece for piece in (found.strip() for found in _PIECES.findall(text)) if piece]
