"""Contracts: the model fills in the template's form from what was said; what nobody said is asked for, not made up."""

import re
from typing import TYPE_CHECKING, Any

from dure.agents.outcome import Outcome
from dure.agents.short import Short, ShortWay, stopped
from dure.errors import Language
from dure.packs.contracts.texts import TEXTS
from dure.tooling import an_object

if TYPE_CHECKING:
    from dure.packs.contracts.template import Template

ASKS = TEXTS.one("short.asks")
"""How a question for missing values begins: by it the message that follows is known for their answer."""
_TEMPLATES = (
    ("nda", r"비밀\s*유지|기밀|\bnda\b|non-?disclosure|confidential"),
    ("employment", r"근로|고용|채용|employment|\blabou?r\b|\bhir(e|ing)\b"),
    ("service", r"용역|프리랜서|위탁|도급|외주|service|freelance|consult"),
)
_ENGLISH = re.compile(r"영문|영어|in english|english version", re.IGNORECASE)
_KOREAN = re.compile(r"국문|한글로|한국어|in korean|korean version", re.IGNORECASE)
_TALK_CHARS = 3000
_TOKENS = 700
_RULES = TEXTS.one("short.rules")
_TEXT = TEXTS["short.text"]
_PART: dict[str, Any] = {"type": ["string", "null"]}
_KINDS: dict[str, Any] = {
    "party": an_object(dict.fromkeys(("name", "representative", "address"), _PART)),
    "list": {"type": "array", "items": {"type": "string"}, "maxItems": 6},
    "amounts": {"type": "array", "items": an_object(dict.fromkeys(("name", "amount", "due"), _PART)), "maxItems": 6},
}
"""Of fields that are no text: what the model fills in."""


async def work(short: Short) -> Outcome:
    said = [m["content"] or "" for m in short.run.history if m["role"] == "user"] + [short.run.message]
    at, name = next(((n, found) for n in reversed(range(len(said))) if (found := _template(said[n]))), (0, ""))
    if not name:
        listed = await short.call("contract_templates")
        known = "\n".join(f"- {t['title']}: {t['description']}" for t in listed.data["templates"])
        return stopped(short.say(_TEXT, "which", known=known))
    talk = "\n\n".join(said[at:])[-_TALK_CHARS:]
    described = await short.call("contract_templates", template=name)
    fields = {f["name"]: f for f in described.data["fields"]}
    asked = [f for f in fields.values() if f["type"] != "choice" and (f["required"] or f["label"] in talk)]
    lines = "\n".join(f"- {f['name']}: {f['label']}. {f['help']}" for f in asked)
    schema = an_object({f["name"]: _KINDS.get(f["type"], _PART) for f in asked})
    form = await short.form(_RULES[short.run.language].format(fields=lines), talk, schema, _TOKENS)
    from dure.packs.contracts.spoken import spoken_fields
    from dure.packs.contracts.template import templates

    template = templates()[name]
    values = spoken_fields(template, form, talk)
    result = await short.call("draft_contract", template=name, language=_language(short, talk), fields=values)
    drafted: dict[str, Any] = result.data if isinstance(result.data, dict) else {}
    if result.is_error or drafted.get("files"):
        return Outcome("completed", result.text)
    return Outcome("completed", _asking(short, template, drafted, values, fields))


def _template(text: str) -> str:
    return next((name for name, words in _TEMPLATES if re.search(words, text, re.IGNORECASE)), "")


def _language(short: Short, talk: str) -> Language:
    if _ENGLISH.search(talk):
        return "en"
    return "ko" if _KOREAN.search(talk) else short.run.language


def _asking(
    short: Short,
    template: "Template",
    found: dict[str, Any],
    values: dict[str, Any],
    fields: dict[str, dict[str, Any]],
) -> str:
    """What is still needed, for the user."""
    language = short.run.language
    lines = [short.say(_TEXT, "missing", asks=ASKS[language], title=template.title[language]), ""]
    party = short.say(_TEXT, "party")
    for each in found["missing"]:
        more = f" ({party})" if fields[each["field"]]["type"] == "party" else ""
        lines.append(f"- {each['label']}: {each['help']}{more}")
    if found["wrong"]:
        lines += ["", short.say(_TEXT, "wrong"), ""]
        lines += [f"- {each['label']}: {each['reason']}" for each in found["wrong"]]
    wrong = {each["field"] for each in found["wrong"]}
    known = {name: value for name, value in values.items() if name not in wrong}
    if known:
        lines += ["", short.say(_TEXT, "have"), ""]
        options = {o.key: o.words[language] for each in template.fields.values() for o in each.options}
        for name, value in known.items():
            chosen = template.fields[name].kind == "choice"
            lines.append(f"- {fields[name]['label']}: {options[value] if chosen else _shown(value)}")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(str(part) for part in value.values())
    return ", ".join(map(_shown, value)) if isinstance(value, list) else str(value)


WAY = ShortWay(work, frozenset({"contract_templates", "draft_contract"}), tuple(ASKS.values()))
