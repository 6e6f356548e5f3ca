"""`glossary`: what a term means, from the glossary where it is there; and taking a term in. What answers for beginners
owe their reader: the technical terms in them, in plain words from the glossary."""

import re
from collections.abc import Mapping
from typing import Any

from dure.agents.prompts import NO_ANSWER
from dure.agents.running import look
from dure.errors import Language
from dure.knowledge.sentences import sentences
from dure.messages import json_bytes
from dure.packs.papers.library.glossary import Term
from dure.packs.papers.stages import ours, prompt
from dure.teams.stages.method import Method
from dure.teams.stages.stage import Done, Stage
from dure.texts import TEXTS
from dure.tooling import an_object

LOOK, ADD = "lookup_term", "add_term"
_ADDS = re.compile(
    r"용어집에?\s?(?:[^.?!\n]{1,60}[을를]\s?|[\x22'‘“「][^.?!\n]{1,60}[\x22'’”」]\s?|\S{1,4}\s)?(?:추가|등록|넣)(?!로)|사전에\s?(?:추가|등록)?(?:해|넣어)\s?(?:줘|주|둬|라)"
    r"|\b(?:add|put|include)\b.*\bglossary\b",
    re.IGNORECASE,
)
_TRIES = 4
"""How often a term is written: a person may decline it with a wish."""
_TOLD = TEXTS["agents_approvals.told"]
_NAMES = ("term_ko", "term_en", "field", "easy_ko", "easy_en", "expert_ko", "expert_en")
_TEXT = {"type": "string"}
_SCHEMA = an_object({**dict.fromkeys(_NAMES, _TEXT), "aliases": {"type": "array", "items": _TEXT, "maxItems": 8}})

_PROSE = ("general", "glossary", "summarize", "web_search")
_MOST = 4
"""Terms that are explained: the first ones of the answer."""
_READ = 4000
"""Characters of the answer that are looked through."""
_EXPLAINED = (
    r"{name}(?:\*\*)?(?:\s?\(|이?란\s|[은는] [^.\n]*(?:뜻|말합니다|[것법술델]입니다)|\s(?:is|are|means|refers to)\s)"
)
_UNSEEN = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)


async def glossary(stage: Stage) -> Done:
    """Explain the term of the message, or add the one that was spoken of."""
    run = stage.run
    if ADD in stage.tools and (stage.effect or _ADDS.search(run.message)):
        return await _add(stage)
    result = await stage.call(LOOK, term=run.message[:300])
    terms = terms_of(result.fields)
    if terms and run.way.decides and not stage.last:
        # Whoever comes after takes it for what was asked.
        terms = await _asked(stage, terms)
    if not terms:
        return stage.done(await _missing(stage, result.fields))
    entry = "\n\n".join(_entry(stage, term) for term in terms)
    if not stage.last or not run.way.tells:
        return stage.done(entry, name=" - ".join(term.name(run.language) for term in terms))
    return await stage.tell(prompt("glossary.write"), f"{run.message}\n\nGlossary:\n{entry}", entry)


async def _asked(stage: Stage, terms: list[Term]) -> list[Term]:
    """Those of the terms whose names stand in the message that it asks about; all where the model does not say."""
    names = {name: term for term in terms for name in term.names[:1]}
    form = an_object({"terms": {"type": "array", "items": {"enum": [*names]}, "maxItems": len(names)}})
    asked = f"{stage.run.message}\n\nTerms: {', '.join(names)}"
    written = await stage.write_json(prompt("glossary.which"), asked, form, purpose="term")
    return [names[name] for name in written["terms"] or () if name in names] if "terms" in written else terms


def terms_of(found: Mapping[str, Any], kind: str = "terms") -> list[Term]:
    """The terms that `lookup_term` found: those that are named, or (`near`) those that may be meant."""
    return [Term(**term) for term in found.get(kind, ())]


def _entry(stage: Stage, term: Term) -> str:
    return term.entry(stage.run.language, "easy" if stage.easy else "expert").replace("\n", "\n\n")


async def _missing(stage: Stage, found: Mapping[str, Any]) -> str:
    """The answer about a term that the glossary does not have. One that is spelled nearly so may be another: it is
    given as what it is."""
    run = stage.run
    near = terms_of(found, "near")
    alike = _entry(stage, near[0]) if near and found.get("misspelled") else ""
    if alike and not run.way.tells:
        return f"{ours(run, 'spelled_alike')}\n\n{alike}"
    task, given = ("near", f"{run.message}\n\nGlossary:\n{alike}") if alike else ("unknown", run.message)
    answer = await stage.write(prompt(f"glossary.{task}"), given, history=True)
    parts = [answer or NO_ANSWER[run.language], ours(run, "not_in_glossary")]
    if near:
        parts.append(ours(run, "near_terms", names=", ".join(term.name(run.language) for term in near)))
    return "\n\n".join(parts)


async def _add(stage: Stage) -> Done:
    """Add it; where a person declined it with a wish, written again as wished."""
    run, asked, told = stage.run, stage.run.message, ""
    without = {_TOLD.say(each, run.language, reason="") for each in ("reject", "expire")}
    for at in range(_TRIES):
        written = await stage.write_json(prompt("glossary.ask"), asked, _SCHEMA, purpose="term", part=str(at or ""))
        names = [str(written.get(name) or "").strip() for name in ("term_ko", "term_en")]
        # In a first message its name stands: there is nothing else to have it from.
        if not any(name and (run.history or name.casefold() in asked.casefold()) for name in names):
            return stage.done(told or ours(run, "no_term"))
        args = {name: value for name, value in written.items() if name in _SCHEMA["properties"] and value}
        result = await stage.call(ADD, **args)
        told = result.text
        if result.status != "declined" or told in without:
            break
        asked = f"{run.message}\n\n{json_bytes(args).decode()}\n{told}\n{prompt('glossary.again')}"
    return stage.done(told)


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
    whole = "\n\n".join([answer, f"**{ours(run, 'plain_words')}**", "\n".join(lines)])
    stage.voice.settle(whole)
    return whole


def _is_open(answer: str, term: Term, language: Language) -> bool:
    """Whether the answer uses a term and nowhere says what it is, and the glossary does in its language."""
    if not getattr(term, f"easy_{language}") or not getattr(term, f"term_{language}"):
        return False
    used = [name for name in term.names if name.casefold() in answer.casefold()]
    told = (re.search(_EXPLAINED.format(name=re.escape(name)), answer, re.IGNORECASE) for name in used)
    return bool(used) and not any(told)


METHOD = Method(glossary, subject="papers", alone=True)
