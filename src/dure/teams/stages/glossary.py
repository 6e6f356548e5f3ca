"""`glossary`: what a term means, from the glossary where it is there; and taking a term in."""

import re
from collections.abc import Mapping
from typing import Any

from dure.agents.prompts import NO_ANSWER
from dure.errors import Language
from dure.teams.stages.stage import Done, Stage
from dure.teams.stages.texts import text

LOOK, ADD = "lookup_term", "add_term"
_ADDS = re.compile(r"(?:용어집|사전)에?\s?(?:추가|등록|넣어)|\badd\b.*\bglossary\b", re.IGNORECASE)
_WRITE = "Explain the term the message asks about, from this entry of the glossary; add no facts of your own."
_UNKNOWN = "Explain the term the message asks about, in at most six sentences. Claim no source."
_ASK = """Write the term that the conversation was about as an entry of a glossary, as JSON: its name in Korean and in \
English, other names, the field of research in a word, and two definitions in each language: an easy one for beginners \
and an exact one for experts, two or three sentences each."""
_NAMES = ("term_ko", "term_en", "field", "easy_ko", "easy_en", "expert_ko", "expert_en")
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        **{name: {"type": "string"} for name in _NAMES},
        "aliases": {"type": "array", "items": {"type": "string"}, "maxItems": 8},
    },
    "required": [*_NAMES, "aliases"],
    "additionalProperties": False,
}


async def glossary(stage: Stage) -> Done:
    """Explain the term of the message, or add the one that was spoken of."""
    run = stage.run
    if ADD in stage.tools and _ADDS.search(run.message):
        return await _add(stage)
    result = await stage.call(LOOK, term=run.message[:300])
    if result is None:
        return stage.waiting()
    terms = _terms(result.data)
    if result.is_error or not terms:
        answer = await stage.write(_UNKNOWN, run.message, history=True)
        return stage.done(f"{answer or NO_ANSWER[run.language]}\n\n{text('not_in_glossary', run.language)}")
    entry = "\n\n".join(_entry(stage, term) for term in terms)
    if not stage.last or run.model.small:
        return stage.done(entry)
    return stage.done(await stage.write(_WRITE, f"{run.message}\n\nGlossary:\n{entry}", history=True) or entry)


def _terms(data: Any) -> list[Mapping[str, Any]]:
    found = data.get("terms") if isinstance(data, Mapping) else None
    return [term for term in found if isinstance(term, Mapping)] if isinstance(found, list) else []


def _entry(stage: Stage, term: Mapping[str, Any]) -> str:
    """Name, definition for the level in the user's language, other names."""
    language: Language = stage.run.language
    names = [term.get(f"term_{language}") or "", term.get("term_ko") or "", term.get("term_en") or ""]
    shown = [name for name in dict.fromkeys(names) if name]
    told = term.get(f"{'easy' if stage.easy else 'expert'}_{language}") or term.get(f"expert_{language}") or ""
    if not told:
        told = next((term[key] for key in ("easy_ko", "easy_en", "expert_ko", "expert_en") if term.get(key)), "")
    title = shown[0] + (f" ({', '.join(shown[1:])})" if shown[1:] else "")
    lines = [f"**{title}**", told]
    if aliases := [alias for alias in term.get("aliases") or [] if alias not in shown]:
        lines.append(text("also_known", language, names=", ".join(aliases)))
    return "\n\n".join(filter(None, lines))


async def _add(stage: Stage) -> Done:
    run = stage.run
    if not run.history:
        return stage.done(text("no_term", run.language))
    written = await stage.write_json(_ASK, run.message, _SCHEMA, purpose="term")
    if not isinstance(written, Mapping) or not (written.get("term_ko") or written.get("term_en")):
        return stage.done(text("no_term", run.language))
    args = {name: value for name, value in written.items() if name in _SCHEMA["properties"] and value}
    result = await stage.call(ADD, **args)
    return stage.waiting() if result is None else stage.done(result.text)
