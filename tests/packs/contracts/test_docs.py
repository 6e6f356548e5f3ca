"""docs/contracts.md is true."""

import re
from pathlib import Path
from typing import get_args

import pytest

from dure.packs.contracts.template import Kind, templates
from dure.packs.contracts.values import read_value

KINDS = get_args(Kind)
TEXT = (Path(__file__).parents[3] / "docs" / "contracts.md").read_text("utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in re.findall(r"^\|.*\|$", TEXT, re.MULTILINE)]
READ = {row[0]: row[1] for row in ROWS if row[0] in KINDS}


def test_templates_and_fields_are_listed():
    listed = {row[0].strip("`"): row[1:] for row in ROWS if row[0].strip("`") in templates()}
    assert list(listed) == list(templates())
    for name, (title, required, optional) in listed.items():
        template = templates()[name]
        assert title == f"{template.title['ko']} · {template.title['en']}"
        fields = template.fields.values()
        assert re.findall(r"`(\w+)`", required) == [each.name for each in fields if each.required]
        assert re.findall(r"`(\w+)`", optional) == [each.name for each in fields if not each.required]
        for each in fields:
            default = each.default["en"] if isinstance(each.default, dict) else each.default
            assert (f"`{each.name}` = {default}" in optional) == (default is not None)


@pytest.mark.parametrize(
    ("kind", "template", "field"),
    [
        ("date", "nda", "effective_date"),
        ("money", "service", "fee"),
        ("duration", "nda", "term"),
        ("time", "employment", "work_start"),
    ],
)
def test_what_is_said_to_be_read_is_read(kind, template, field):
    examples = re.findall(r"`(.*?)`", READ[kind])
    assert len(examples) >= 3
    for each in examples:
        read_value(templates()[template].fields[field], each, "en")


def test_every_type_is_told():
    listed = {kind for row in ROWS for kind in row[0].split(", ")}
    assert set(KINDS) <= listed
