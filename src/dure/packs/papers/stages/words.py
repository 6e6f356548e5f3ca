"""What an answer for beginners owes its reader: the technical terms in it, in plain words from the glossary."""

import re

from dure.agents.running import look
from dure.errors import Language
from dure.knowledge.sentences import sentences
from dure.packs.papers.library.term import Term
from dure.packs.papers.stages import text
from dure.packs.papers.stages.glossary import LOOK, terms_of
from dure.teams.stages.stage import Stage

_PROSE = ("general", "glossary", "summarize", "web_search")
_MOST = 4
"""Terms that are explained: the first ones of the answer."""
_READ = 4000
"""Characters of the answer that are looked through."""
_EXPLAINED = (
    r"{name}(?:\*\*)?(?:\s?\(|이?란\s|[은는] [^.\n]*(?:뜻|말합니다|[것법술델]입니다)|\s(?:is|are|means|refers to)\s)"
)
_UNSEEN = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)


async def in_plain_words(stage: Stage, answer: str) -> str:
    """The answer with an explanation of each term that it leaves unexplained, where it is prose, a beginner asked for
    it, and there is a glossary."""
    run = stage.run
    if run.level != "easy" or stage.agent.method not in _PROSE or not answer.strip():
        return answer
    plain = _UNSEEN.sub(" ", answer)[:_READ]
    looked = await look(run, LOOK, stage.agent, stage.work_id, term=plain)
    open_ones = [term for term in terms_of(looked) if _is_open(plain, term, run.language)][:_MOST]
    if not open_ones:
        return answer
    lines = []
    for term in open_ones:
        told = getattr(term, f"easy_{run.language}")
        _, end = next(iter(sentences(told)), (0, len(told)))
        lines.append(f"- **{term.name(run.language)}**: {told[:end].strip()}")
    whole = "\n\n".join([answer, f"**{text('plain_words', run.language)}**", "\n".join(lines)])
    stage.voice.settle(whole)
    return whole


def _is_open(answer: str, term: Term, language: Language) -> bool:
    """Whether the answer uses a term and nowhere says what it is, and the glossary does in its language."""
    if not getattr(term, f"easy_{language}") or not getattr(term, f"term_{language}"):
        return False
    used = [name for name in term.names if name.casefold() in answer.casefold()]
    told = (re.search(_EXPLAINED.format(name=re.escape(name)), answer, re.IGNORECASE) for name in used)
    return bool(used) and not any(told)
