"""How the levels differ: the same questions asked of team `papers` as `easy` and as `hard`.

    python benchmarks/levels.py            # with the model of the settings, the bundled one where none is named
    python benchmarks/levels.py --count 2  # the first questions alone

Printed for each level: words a sentence, and the share of glossary terms in the answers that are left unexplained, that
is, of which no sentence has a sign of an explanation (a parenthesis, "즉", "란", "that is", "means", a colon after the
term …). A term counts once in an answer, by whichever of its names.
"""

import argparse
import asyncio
import re
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dure import Dure
from dure.knowledge.sentences import sentences
from dure.packs.papers.opened import glossary_of

QUESTIONS = (
    "어텐션이 뭐야?",
    "과적합이 무슨 뜻이야?",
    "What is knowledge distillation?",
    "왜 배치 정규화를 쓰면 학습이 빨라져?",
    "How does beam search work?",
    "ResNet 논문을 요약해줘",
)
_SIGN = re.compile(
    r"\(|즉|란\s|이란|뜻|말합니다|이라는|라는|that is|i\.e\.|means?\b|called|which is|refers to|is (?:a|an|the)\b",
    re.IGNORECASE,
)


@dataclass
class Measured:
    """`length`: words a sentence. `unexplained`: share of the glossary terms used, 0 to 1; 0 where none is."""

    length: float
    unexplained: float
    terms: int


def measure(texts: Iterable[str], terms: Sequence[Sequence[str]]) -> Measured:
    """`terms`: of each the names to look for, e.g. `attention`, `어텐션`."""
    words = count = used = bare = 0
    every = [name for names in terms for name in names]
    for text in texts:
        plain = re.sub(r"```.*?```|\*\*|\[\d+\]", "", text, flags=re.DOTALL)
        said = [plain[start:end].strip() for start, end in sentences(plain)]
        said = [sentence.casefold() for sentence in said if sentence]
        count += len(said)
        words += sum(len(sentence.split()) for sentence in said)
        for names in terms:
            of_it = [(name, sentence) for sentence in said for name in names if _stands(name, sentence, every)]
            used += bool(of_it)
            bare += bool(of_it) and not any(_explains(name, sentence) for name, sentence in of_it)
    return Measured(words / max(count, 1), bare / max(used, 1), used)


def _stands(name: str, sentence: str, every: Sequence[str]) -> bool:
    """Whether the name stands there by itself: a term within a longer one ("attention mechanism") is the longer one."""
    return name in sentence and not any(name != other and name in other and other in sentence for other in every)


def _explains(name: str, sentence: str) -> bool:
    return _SIGN.search(sentence) is not None or sentence.lstrip("-• ").startswith(f"{name}:")


def names(terms: Iterable[object]) -> list[list[str]]:
    """What to look for: the terms' Korean and English names, of three characters or more."""
    found = [{name.casefold() for name in (term.term_ko, term.term_en) if len(name) > 2} for term in terms]  # type: ignore[attr-defined]
    return [sorted(each) for each in found if each]


async def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with Dure(data_dir=Path(folder), embeddings=False) as dure:
            terms = names(await glossary_of(dure).list("default"))
            for level in ("easy", "hard"):
                started, answers = time.perf_counter(), []
                for question in QUESTIONS[:count]:
                    answer = await dure.chat(question, team="papers", level=level)
                    answers.append(answer.response)
                found = measure(answers, terms)
                seconds = (time.perf_counter() - started) / count
                print(
                    f"{level}: {found.length:.1f} words a sentence, {found.unexplained:.0%} of {found.terms} glossary "
                    f"terms unexplained ({dure.model.name}, {seconds:.0f} s a question)"
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=len(QUESTIONS))
    asyncio.run(main(parser.parse_args().count))
