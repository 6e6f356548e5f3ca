"""What the contract tools answer: templates described, a contract's files, or what to ask the user."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from dure.errors import Language, ToolInputError
from dure.packs.contracts import TEXTS
from dure.packs.contracts.clean import folded
from dure.packs.contracts.document import Contract, files_of, hyphened, shown
from dure.packs.contracts.draft import Draft, draft, find_template
from dure.packs.contracts.faults import quoted
from dure.packs.contracts.template import Field, Template, templates
from dure.packs.contracts.values import Party
from dure.tooling import File, ToolResult

_MAX_NAME_CHARS: Final = 30
_MAX_LISTED: Final = 20
PLAIN: Final = "plain"
"""What a draft without a template is called in a template's place: of a kind that no template is for, which the model
writes; the file says that nothing stands behind it."""
_GAP: Final = re.compile(r"_{3,}")
_MAX_TITLE_CHARS: Final = 60
_HEADING: Final = re.compile(r"\s*# .*\n")

_KINDS = TEXTS["replies.kinds"]
_TEXT = TEXTS["replies.text"]
_PLAIN = TEXTS["plain"]
_NOTICE = TEXTS["document.words"]["plain"]


def list_templates(name: str | None, language: Language) -> ToolResult:
    """All templates and what is drafted without one, or the fields of the one named. Raises ToolInputError."""
    if name == PLAIN:
        return ToolResult(_PLAIN.say("described", language), data={"name": PLAIN})
    if name:
        template = find_template(name)
        articles = ", ".join(each.title[language] for each in template.articles.values() if each.required)
        titles = {"title": template.title[language], "articles": articles}
        lines = [
            _TEXT.say("fields", language, name=template.name, **titles),
            *(f"- {_field_line(each, language)}" for each in template.fields.values()),
        ]
        return ToolResult("\n".join(lines), data=_template_data(template, language))
    told = [_template_data(each, language) for each in templates().values()]
    lines = []
    for each in told:
        names = ", ".join(field["name"] for field in each["fields"] if field["required"])
        lines += [_TEXT.say("template", language, **each), _TEXT.say("required_of", language, names=names)]
    return ToolResult("\n".join([*lines, _PLAIN.say("described", language)]), data={"templates": told})


def _field_line(field: Field, language: Language) -> str:
    kind = _KINDS[field.kind][language].format(options=", ".join(each.key for each in field.options.values()))
    facts = [kind, _TEXT.say("required" if field.required else "optional", language)]
    if field.default is not None:
        facts.append(_TEXT.say("default", language, value=field.default_in(language)))
    return f"{field.name} ({'; '.join(facts)}): {field.label[language]} – {field.help[language]}"


def _template_data(template: Template, language: Language) -> dict[str, Any]:
    fields = [
        {
            "name": each.name,
            "type": each.kind,
            "required": each.required,
            "label": each.label[language],
            "help": each.help[language],
            "default": each.default_in(language),
            "options": [option.key for option in each.options.values()],
        }
        for each in template.fields.values()
    ]
    title = {"name": template.name, "title": template.title[language]}
    return {**title, "description": template.description[language], "fields": fields}


def draft_contract(
    name: str, language: Language, fields: dict[str, Any], speaks: Language, before: Sequence[dict[str, Any]] = ()
) -> ToolResult:
    """A contract in `language` as files, or what stands in its way; said in `speaks`. before: the data of drafts of the
    conversation, newest first; the last one of the same template is the one that is changed.

    Raises ToolInputError for an unknown template.
    """
    if name == PLAIN:
        return draft_plain(language, fields, speaks, before)
    template = find_template(name)
    last = next((each.get("given") for each in before if each.get("template") == template.name), None)
    done = draft(template, language, fields, last or {})
    if done.contract is None:
        return _asking(done, speaks)
    return _made(done, files_of(done.contract, file_stem(done), signed=True), speaks)


def draft_plain(
    language: Language, fields: Mapping[str, Any], speaks: Language, before: Sequence[Mapping[str, Any]] = ()
) -> ToolResult:
    """The contract that `fields` hold (`title`; `text`, the articles in Markdown) as two files, with the notice at its
    head; before: the data of drafts before, newest first, whose title stays where none is given.

    Raises ToolInputError where either is not there, and for a title that a template has."""
    last = next((each.get("given") or {} for each in before if each.get("template") == PLAIN), {})
    title, text = (str(fields.get(key) or last.get(key) or "").strip() for key in ("title", "text"))
    if not (title and str(fields.get("text") or "").strip()):
        raise ToolInputError(**_PLAIN["needed"].filled())
    for each in templates().values():
        if folded(title) in each.called:
            raise ToolInputError(**_PLAIN["known"].filled(title=quoted(title), name=each.name))
    title, notice = " ".join(title.split()), _NOTICE[language]
    body = _HEADING.sub("", f"{text}\n", count=1) if _HEADING.match(f"{text}\n") else text
    contract = Contract(language, title, notice, [], f"# {title}\n\n> {notice}\n\n{body.strip()}\n")
    files = files_of(contract, hyphened(title, _MAX_TITLE_CHARS) or PLAIN)
    names, gaps = [each.name for each in files], [line.strip() for line in body.splitlines() if _GAP.search(line)]
    lines = [_PLAIN.say("made", speaks, title=title, files=", ".join(names))]
    if gaps:
        lines += [_PLAIN.say("gaps", speaks, count=len(gaps)), *(f"- {quoted(each)}" for each in gaps[:_MAX_LISTED])]
    data = {"template": PLAIN, "language": language, "given": {"title": title, "text": text}, "gaps": gaps}
    data |= {"files": names, "content": contract.markdown, "missing": [], "wrong": []}
    return ToolResult("\n".join(lines), data=data, files=files)


def _under(key: str, language: Language, rows: Sequence[str]) -> list[str]:
    """One of the texts with rows below it, where there are any."""
    return [_TEXT.say(key, language), *(f"- {each}" for each in rows)] if rows else []


def _asking(done: Draft, language: Language) -> ToolResult:
    label = {name: each.label[language] for name, each in done.template.fields.items()}
    missing = [{"field": f.name, "label": label[f.name], "help": f.help[language]} for f in done.missing]
    wrong = [
        {"field": name, "label": label.get(name, name), "reason": fault.said[language]}
        for name, fault in done.wrong.items()
    ]
    parts = [
        [_TEXT.say("not_made", language, title=done.template.title[language])],
        _under("missing", language, [f"{each['label']} ({each['field']}): {each['help']}" for each in missing]),
        _under(
            "wrong", language, [f"{each['label']} ({each['field']}): {each['reason']}" for each in wrong[:_MAX_LISTED]]
        ),
    ]
    data = {"template": done.template.name, "language": done.language, "missing": missing, "wrong": wrong}
    read = {name: done.given[name] for name in done.values if name in done.given}
    return ToolResult("\n\n".join("\n".join(each) for each in parts if each), data={**data, "given": read})


def _made(done: Draft, files: list[File], language: Language) -> ToolResult:
    label = {name: each.label[language] for name, each in done.template.fields.items()}
    names = [each.name for each in files]
    checks, warnings = ([each[language] for each in found] for found in (done.passed, done.warnings))
    value = {name: shown(each, language) for name, each in done.values.items()}
    assumed = [{"field": name, "label": label[name], "value": value[name]} for name in done.assumed]

    def listed(key: str, told: Sequence[str]) -> list[str]:
        return [_TEXT.say(key, language, list=", ".join(label[each] for each in told))] if told else []

    lines = [
        _TEXT.say("made", language, title=done.template.title[language], files=", ".join(names)),
        _TEXT.say("contents", language),
        *(f"- {label[name]}: {quoted(value[name])}" for name in value if name not in done.assumed),
        _TEXT.say("passed", language, list="; ".join(checks)),
        *listed("kept", done.kept),
        *_under("warnings", language, warnings),
        *_under("assumed", language, [f"{each['label']}: {each['value']}" for each in assumed]),
        *listed("ignored", done.ignored),
        _TEXT.say("draft", language),
    ]
    data: dict[str, Any] = {"template": done.template.name, "language": done.language, "given": done.given}
    data |= {"files": names, "content": files[0].data.decode(), "missing": [], "wrong": []}
    data |= {"checks": checks, "warnings": warnings, "assumed": assumed}
    return ToolResult("\n".join(lines), data=data, files=files)


def file_stem(done: Draft) -> str:
    """`nda-에이컴퍼니-비컴퍼니`: the template's name and the parties', letters and digits alone."""
    parts = [done.template.name]
    for role in done.template.roles:
        party = done.values[role.field]
        name = party.name.replace("(주)", " ").replace("㈜", " ") if isinstance(party, Party) else ""
        parts.append(hyphened(name, _MAX_NAME_CHARS) or role.field)
    return "-".join(parts)
