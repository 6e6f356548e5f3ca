"""What a planner team hands to the user: its answer, the steps, sources, files, and what was not done.

`chat` is text, `markdown` has headings, lists and links, `json` is valid by `docs/report.schema.json`.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson

from dure.agents import Outcome, OutputFormat
from dure.errors import Language
from dure.sources import Citation, placed
from dure.teams.plan import Step
from dure.texts import TEXTS

_STEP = ("step", "agent", "task", "status", "seconds")
"""What the format `json` tells of a step, besides its result."""
_WORDS = TEXTS["teams_report.words"]
NOT_DONE = _WORDS["not_done"]


@dataclass(slots=True)
class Report:
    """`results`: by number of the step, with the run's numbers for passages."""

    run_id: str
    language: Language
    title: str
    steps: Sequence[Step] = ()
    results: dict[int, str] = field(default_factory=dict)
    not_done: list[dict[str, Any]] = field(default_factory=list)
    """`{step, agent, task, reason}` each."""
    artifacts: Sequence[dict[str, Any]] = ()
    settled: Collection[int] = ()
    """Steps that were not done as the reader had it: no text says so."""

    def outcome(self, status: str, text: str, output_format: OutputFormat, reason: str | None = None) -> Outcome:
        """The team's outcome with `text` as its answer, told in a format once it is cited; in `json` the results are
        cited with it, so that a number means the same source in the summary and in every result."""
        beside = [self.results[n] for n in self._told] if output_format == "json" else []
        return Outcome(status, text, reason, render=partial(self.render, output_format), beside=beside)

    def render(
        self, output_format: OutputFormat, text: str, citations: Sequence[Citation], results: Sequence[str] = ()
    ) -> str:
        """The whole response in a format. text, results: the answer and steps' results, numbered as `citations`."""
        if output_format == "json":
            return self._json(text, citations, results)
        return self._markdown(text, citations) if output_format == "markdown" else self._chat(text)

    @property
    def _told(self) -> list[int]:
        """The steps whose results the format `json` tells."""
        return [s["step"] for s in self.steps if s["step"] in self.results]

    def _chat(self, text: str) -> str:
        files = [f"- {each['name']}" for each in self.artifacts if each["name"] not in text]
        lists = {"not_done": self._not_done(), "files": files}
        said = ["\n".join([f"{self._word(key)}:", *lines]) for key, lines in lists.items() if lines]
        return "\n\n".join(filter(None, [text, *said]))

    def _markdown(self, text: str, citations: Sequence[Citation]) -> str:
        lists = {
            "steps": [self._step_line(s) for s in self.steps],
            "not_done": self._not_done(),
            "files": [f"- {_link(a['name'], self._address(a))}" for a in self.artifacts],
            "sources": [_source_line(c, self.language) for c in citations],
        }
        said = ["\n".join([f"## {self._word(key)}", "", *lines]) for key, lines in lists.items() if lines]
        return "\n\n".join([f"{self.heading()}{text}", *said])

    def heading(self) -> str:
        """What a Markdown answer begins with: known before its text."""
        return f"# {_line(self.title)}\n\n" if self.title.strip() else ""

    def _json(self, summary: str, citations: Sequence[Citation], texts: Sequence[str]) -> str:
        results = dict(zip(self._told, texts, strict=True))
        told = {
            "summary": summary,
            "steps": [
                {k: v for k, v in s.items() if k in _STEP} | {"result": results.get(s["step"])} for s in self.steps
            ],
            "sources": [citation.as_dict() for citation in citations],
            "artefacts": [{**each, "url": self._address(each)} for each in self.artifacts],
            "not_done": self.not_done,
        }
        return orjson.dumps(told).decode()

    def _word(self, key: str) -> str:
        return _WORDS[key][self.language]

    def _who(self, agent: str) -> str:
        return self._word("hitl") if agent == "hitl" else agent

    def _not_done(self) -> list[str]:
        return [
            f"- {_line(each['task'])} ({self._who(each['agent'])}): {_line(each['reason'])}"
            for each in self.not_done
            if each["step"] not in self.settled
        ]

    def _step_line(self, step: Step) -> str:
        ended = self._word(step["status"]) if step["status"] in _WORDS else step["status"]
        if step["seconds"] is not None and step["agent"] != "hitl":
            ended = f"{ended}, {self._word('seconds').format(n=step['seconds'])}"
        return f"{step['step']}. **{self._who(step['agent'])}** {_line(step['task'])} ({ended})"

    def _address(self, artifact: dict[str, Any]) -> str:
        return f"/v1/runs/{self.run_id}/artifacts/{artifact['id']}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _link(text: str, address: str) -> str:
    shown = re.sub(r"([\[\]\\])", r"\\\1", _line(text))
    return f"[{shown}](<{address}>)" if re.search(r"[()\s]", address) else f"[{shown}]({address})"


def _source_line(citation: Citation, language: Language) -> str:
    title = _line(placed(citation.as_dict(), language))
    # Only what a browser may be led to.
    web = citation.url is not None and re.match(r"https?://[^\s<>]+$", citation.url)
    place = _link(title, citation.url or "") if web else title
    return f"- [{citation.marker}] {place}: “{_line(citation.quote)}”"
