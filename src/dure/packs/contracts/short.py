"""Contracts: the model fills in the template's form from what was said; what nobody said is asked for, not made up."""

from typing import TYPE_CHECKING, Any

from dure.agents.context import RunContext
from dure.agents.outcome import Outcome
from dure.agents.short import Short, ShortWay, stopped
from dure.messages import user
from dure.packs.contracts import TEXTS
from dure.texts import LANGUAGES
from dure.tooling import an_object

if TYPE_CHECKING:
    from dure.packs.contracts.template import Template

ASKS = TEXTS.one("short.asks")
"""How a question for missing values begins: by it the message that follows is known for their answer."""
_TALK_CHARS = 3000
_TOKENS = 700
_WANTED_TOKENS = 120
_RULES = TEXTS.one("short.rules")
_WANTED = TEXTS.one("short.wanted")
_TEXT = TEXTS["short.text"]
_PART: dict[str, Any] = {"type": ["string", "null"]}
_KINDS: dict[str, Any] = {
    "party": an_object(dict.fromkeys(("name", "representative", "address"), _PART)),
    "list": {"type": "array", "items": {"type": "string"}, "maxItems": 6},
    "amounts": {"type": "array", "items": an_object(dict.fromkeys(("name", "amount", "due"), _PART)), "maxItems": 6},
}
"""Of fields that are no text: what the model fills in."""


async def work(short: Short) -> Outcome:
    talk = "\n\n".join(_talk(short.run))[-_TALK_CHARS:]
    listed = await short.call("contract_templates")
    wanted = await _wanted(short, talk, listed.data["templates"])
    name = wanted["kind"]
    if not name:
        known = "\n".join(f"- {t['title']}: {t['description']}" for t in listed.data["templates"])
        return stopped(short.say(_TEXT, "which", known=known))
    described = await short.call("contract_templates", template=name)
    asked = [f for f in described.data["fields"] if f["type"] != "choice" and (f["required"] or f["label"] in talk)]
    lines = "\n".join(f"- {f['name']}: {f['label']}. {f['help']}" for f in asked)
    schema = an_object({f["name"]: _KINDS.get(f["type"], _PART) for f in asked})
    rules = short.opening(_RULES[short.run.language].format(fields=lines))
    form = await short.form([*rules, user(talk)], schema, max_tokens=_TOKENS)
    from dure.packs.contracts.spoken import spoken_fields
    from dure.packs.contracts.template import templates

    template = templates()[name]
    values = await _before(short, name) | spoken_fields(template, form, talk, wanted["worker"])
    result = await short.call("draft_contract", template=name, language=wanted["language"], fields=values)
    drafted = result.fields
    if result.is_error or drafted.get("files"):
        return Outcome("completed", result.text)
    return Outcome("completed", _asking(short, template, drafted, values))


async def _before(short: Short, name: str) -> dict[str, Any]:
    """What was read for the same contract when the last answer asked for the rest."""
    last = (await short.run.earlier())[:1] if len(_talk(short.run)) > 1 else []
    drafted = (data for each in last for tool, data in each.found if tool == "draft_contract" and data)
    return next((dict(data.get("given") or {}) for data in drafted if data["template"] == name), {})


def _talk(run: RunContext) -> list[str]:
    """The user's messages since the contract was asked for: those that answer what is missing, and the one before."""
    said = [run.message]
    for asked, before in zip(run.history[::-1][::2], run.history[::-1][1::2], strict=False):
        if not (asked["content"] or "").startswith(tuple(ASKS.values())):
            break
        said.insert(0, before["content"] or "")
    return said


async def _wanted(short: Short, talk: str, known: list[dict[str, Any]]) -> dict[str, Any]:
    """Which contract is wanted, in which language, and who does the work in it. What the model says of these counts
    where the words stand in the talk that it read it from."""
    from dure.packs.contracts.clean import folded

    language, heard, text = short.run.language, folded(talk), {"type": "string"}
    kinds = {"type": "string", "enum": [*(each["name"] for each in known), "none"]}
    tongue = {"type": "string", "enum": list(LANGUAGES)}
    schema = an_object({"named": text, "kind": kinds, "written_in": text, "language": tongue, "worker": text})
    lines = "\n".join(f"- {each['name']}: {each['title']}. {each['description']}" for each in known)
    rules = short.opening(_WANTED[language].format(templates=lines))
    form = await short.form([*rules, user(talk)], schema, max_tokens=_WANTED_TOKENS)
    said = {key: form.get(key) if folded(str(form.get(key) or "")) in heard else "" for key in schema["properties"]}
    return {
        "kind": form["kind"] if said["named"] and form.get("kind") in kinds["enum"][:-1] else "",
        "language": form["language"] if said["written_in"] and form.get("language") in LANGUAGES else language,
        "worker": said["worker"] or "",
    }


def _asking(short: Short, template: "Template", found: dict[str, Any], values: dict[str, Any]) -> str:
    """What is still needed, for the user."""
    language = short.run.language
    lines = [short.say(_TEXT, "missing", asks=ASKS[language], title=template.title[language]), ""]
    party = short.say(_TEXT, "party")
    for each in found["missing"]:
        more = f" ({party})" if template.fields[each["field"]].kind == "party" else ""
        lines.append(f"- {each['label']}: {each['help']}{more}")
    if found["wrong"]:
        lines += ["", short.say(_TEXT, "wrong"), ""]
        lines += [f"- {each['label']}: {each['reason']}" for each in found["wrong"]]
    wrong = {each["field"] for each in found["wrong"]}
    known = {name: value for name, value in values.items() if name not in wrong}
    if known:
        lines += ["", short.say(_TEXT, "have"), ""]
        for name, value in known.items():
            field = template.fields[name]
            said = field.options[value].words[language] if field.kind == "choice" else _shown(value)
            lines.append(f"- {field.label[language]}: {said}")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(str(part) for part in value.values())
    return ", ".join(map(_shown, value)) if isinstance(value, list) else str(value)


WAY = ShortWay(work, frozenset({"contract_templates", "draft_contract"}), tuple(ASKS.values()))
