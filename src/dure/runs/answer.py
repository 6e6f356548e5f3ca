"""The record of an answer: text, citations, what was done for it. The body of `POST /v1/chat`."""

from dataclasses import dataclass, field, fields
from typing import Any

from dure.agents import OutputFormat
from dure.errors import Language
from dure.messages import json_bytes, well_formed
from dure.sources import Citation, placed
from dure.texts import TEXTS

_SOURCES = TEXTS.one("runs_answer.sources")


@dataclass(slots=True)
class AnswerRecord:
    response: str
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    """`{name, args, agent, status}` each, in the order they ended."""
    citations: list[dict[str, Any]] = field(default_factory=list)
    approvals: list[dict[str, Any]] = field(default_factory=list)
    """What the run waits for, where its status is `waiting`: `{id, kind, title, agent, tool, args, schema, actions,
    args_hash, expires_at …}` each."""
    status: str = "completed"
    metadata: dict[str, Any] = field(default_factory=dict)
    """`thread_id, run_id, team, agents, tools_used, execution_time, usage`, `reason` where it stopped, and `artifacts`
    where files were made: `{id, name, media_type, size, agent}` each; `fallbacks` where a model failed and another was
    asked: `{model, asked, code, message}` each; `unembedded`: of how many documents the vectors were still being made
    when they were searched; `checks` of `knowledge.cite`."""

    def as_dict(self) -> dict[str, Any]:
        # Not dataclasses.asdict: it copies to the depths what nobody changes.
        return {each.name: getattr(self, each.name) for each in fields(self)}


def formatted(text: str, citations: list[Citation], output_format: OutputFormat, language: Language) -> str:
    """The response in the wanted format. json: `{"answer", "sources"}`, always valid; markdown: sources below."""
    if output_format == "json":
        sources = [c.as_dict() for c in citations]
        return json_bytes({"answer": text, "sources": sources}).decode()
    if output_format == "markdown" and citations:
        # A title may come from a file's name, which need not be UTF-8.
        lines = [f"- [{c.marker}] {placed(c.as_dict(), language)}: “{' '.join(c.quote.split())}”" for c in citations]
        return well_formed(f"{text}\n\n## {_SOURCES[language]}\n\n" + "\n".join(lines))
    return text
