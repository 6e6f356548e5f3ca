import datetime

import pytest

from dure.packs.contracts.template import NAMES, TemplateError, read_template, templates
from dure.packs.contracts.values import Party, read_value

SMALL = """
title = { ko = "약속", en = "Promise" }
description = { ko = "짧은 약속", en = "A short promise" }
intro = { ko = "약속한다.", en = "It is promised." }
closing = { ko = "끝.", en = "End." }
roles = [{ field = "one", ko = "갑", en = "One" }]
[fields.one]
kind = "party"
label = { ko = "첫째", en = "First" }
help = { ko = "누구", en = "who" }
[articles.what]
title = { ko = "내용", en = "What" }
[[articles.what.clauses]]
ko = "{one}은(는) 지킨다."
en = "{one} keeps it."
"""


def test_the_three_templates_are_there():
    assert tuple(templates()) == NAMES == ("nda", "service", "employment")


@pytest.mark.parametrize("name", NAMES)
def test_defaults_and_bounds_can_be_read(name):
    for field in templates()[name].fields.values():
        assert not (field.required and field.default is not None)
        for language in ("ko", "en") if field.default is not None else ():
            read_value(field, field.default_in(language), language)


@pytest.mark.parametrize("name", NAMES)
def test_every_field_has_its_place_in_the_contract(name):
    """No field is asked for in vain: each is filled in, listed, or decides over a clause."""
    template = templates()[name]
    clauses = [each for article in template.articles for each in article.clauses]
    for field in template.fields:
        used = any(
            f"{{{field}}}" in each.text["ko"] or each.items == field or any(field in when for when in each.when)
            for each in clauses
        )
        assert used or field in [role.field for role in template.roles], field


@pytest.mark.parametrize("name", NAMES)
def test_articles_and_their_clauses_can_be_counted(name):
    articles = templates()[name].articles
    assert len({each.id for each in articles}) == len(articles)
    assert all(len(each.clauses) <= 20 for each in articles), "there are no more circled numbers"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("nda", "purpose definition duties return ip term termination liability law"),
        ("service", "scope term duties fee payment acceptance ip confidentiality termination liability law"),
        # What article 17 of the Labour Standards Act wants in writing, and the rest.
        ("employment", "term workplace duties hours holidays leave wage payment confidentiality ip termination law"),
    ],
)
def test_the_clauses_that_a_contract_needs_are_required(name, wanted):
    required = {each.id for each in templates()[name].articles if each.required}
    assert set(wanted.split()) <= required


def test_a_template_of_text():
    template = read_template("small", SMALL)
    assert template.fields["one"].label == {"ko": "첫째", "en": "First"}
    assert not template.fields["one"].required


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{one} keeps it.", "It is kept.", "what: one in one language"),
        ("{one} keeps it.", "{two} keeps it.", "two"),
        ("{one}", "{@where}", "@where"),
        ('kind = "party"', 'kind = "number"', "one.kind: number"),
        ('kind = "party"', 'kind = "party"\nsize = 3', "size"),
        ('kind = "party"', 'kind = "party"\nafter = "two"', "one"),
        ('field = "one"', 'field = "two"', "two"),
        ("[articles.what]", "[articles.what]\n[articles.what]", "what.*twice"),
        ("[articles.what]", "[[articles]]", "items"),
        ('title = { ko = "약속", en = "Promise" }', "", "title"),
        ('title = { ko = "약속", en = "Promise" }', 'title = { ko = "약속" }', "en"),
        ("[fields.one]", "x = 1\n[fields.one]", "unknown keys x"),
        ("[fields.one]", "[[checks]]\nkind = 'sun'\n[fields.one]", "check sun"),
        ("[fields.one]", "[[checks]]\nkind = 'differ'\nfields = ['one', 'two']\n[fields.one]", "two"),
        ("[fields.one]", "[[checks]]\nkind = 'sum'\ntotal = 'one'\n[fields.one]", "check sum"),
        ('kind = "party"', 'kind = "text"', "one"),
        ("[fields.one]", "[fields.one", "line"),
        ('ko = "내용"', "ko = 3", "split"),
    ],
)
def test_a_wrong_template_says_where(old, new, message):
    assert old in SMALL
    with pytest.raises(TemplateError, match=message):
        read_template("small", SMALL.replace(old, new))


def test_parties_and_dates_read_as_declared():
    template = templates()["nda"]
    assert read_value(template.fields["party_a"], "두레", "ko")[0] == Party("두레")
    assert read_value(template.fields["effective_date"], "2026-03-01", "ko")[0] == datetime.date(2026, 3, 1)
