"""What a small model says of a paper's lines in its own turn: a guess of what may stand there, to search with, and the
answer in a few words of the lines. It copies the figure that is meant more surely than the line that holds it, and how
sure it is of its least sure token tells what its words are worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dure.knowledge.claims import unsupported_numbers
from dure.knowledge.excerpt import words
from dure.messages import Message, assistant, language_of, system, user
from dure.models import Asked
from dure.packs.papers import data
from dure.packs.papers.stages import prompt
from dure.packs.papers.stages.lines import FIGURE, HAN, NUMBER, bare, cells
from dure.sources import Passage
from dure.teams.stages.stage import Paper, Stage

_MOST = {"guess": 70, "read": 60}
"""Tokens of a reply."""
_HELD = 0.5
"""Of the words of an answer without a figure, the share that a line has which tells it."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said, the line that it stands in, the form of it as a model that chooses a line fills it in, and how
    sure the model was of its least sure token, 0 to 1. Empty where it said nothing, or what stands in no line."""

    says: str = ""
    quote: str = ""
    form: Mapping[str, Any] | None = None
    sure: float = 0.0


async def guessed(stage: Stage, paper: Paper, asks: str) -> str:
    """A sentence that may stand in the paper and answer what it asks, in its language, to search with, as by Gao et al.
    2022, "Precise zero-shot dense retrieval without relevance labels"; shown to nobody. Raises the model's errors."""
    language = language_of(str(paper["title"]))
    rule, examples = prompt(f"briefly.guess_{language}"), data("prompts")["briefly"][f"examples_{language}"]
    asked = await _asked(stage, paper, rule, examples, asks, purpose="guess")
    return asked.reply.content.strip().partition("\n")[0]


async def said_of(stage: Stage, paper: Paper, question: str, lines: Mapping[str, Passage]) -> Said:
    """What the lines tell in answer to the question, which begins with what was said before. Raises the model's
    errors."""
    given = data("prompts")["briefly"]
    examples = [
        (_shown("RainNet: Estimating Rain", given["lines"], f"Question: {each}"), said) for each, said in given["said"]
    ]
    shown = "\n".join(f"- {text}" for text in lines)
    material = _shown(str(paper["title"]), shown, question)
    asked = await _asked(stage, paper, prompt("briefly.say"), examples, material, purpose="read")
    said = " ".join(asked.reply.content.split())
    quote = "" if said.lower().strip(". ") in ("", "none") else _pointed(said, lines)
    return Said(said, quote, _form(said, quote), asked.reply.least) if quote else Said()


def _shown(title: str, lines: str, question: str) -> str:
    return f"Paper: {title}\n{lines}\n{question}"


def _pointed(said: str, lines: Mapping[str, Passage]) -> str:
    """The line that an answer is taken from: of those that hold its figures the one that has most of its words, the
    nearest of these; empty where none is."""
    held = [text for text in lines if not unsupported_numbers(said, [text])]
    named = NUMBER.sub(" ", said)
    shares = dict(zip(held, words(named, [bare(lines[text]) for text in held]), strict=True))
    if not FIGURE.search(said):
        held = [text for text in held if shares[text] >= _HELD]
    elif any(map(str.isalpha, named)):
        # Of another language a figure's words cannot be looked for.
        foreign = HAN.search(said) is not None
        held = [text for text in held if shares[text] or foreign or language_of(said) != language_of(text)]
    return max(held, key=lambda text: (shares[text], lines[text].score), default="")


def _form(said: str, quote: str) -> dict[str, Any]:
    """An answer that is taken from a line, as the form has it; of a row its column, where one cell alone has the
    figure."""
    form = {"quote": quote, "exact": "yes"}
    if not (cells(quote) and FIGURE.search(said)):
        return form | {"asks": "words", "answer": said}
    columns = [name for name, cell in cells(quote).items() if not unsupported_numbers(said, [cell])]
    return form | {"asks": "cell", "column": columns[0] if len(columns) == 1 else ""}


async def _asked(
    stage: Stage, paper: Paper, rule: str, examples: Sequence[tuple[str, str]], question: str, *, purpose: str
) -> Asked:
    messages: list[Message] = [system(rule)]
    for asks, said in examples:
        messages += [user(asks), assistant(said)]
    place = f"{stage.work_id}.{paper['id']}{purpose}"
    return await stage.run.ask(
        purpose,
        [*messages, user(question)],
        max_tokens=_MOST[purpose],
        fixed=messages,
        agent=stage.agent.name,
        work_id=place,
    )
