import datetime

import pytest

from dure.packs.contracts.draft import draft
from dure.packs.contracts.template import NAMES, PLACEHOLDER, templates
from dure.packs.contracts.values import Party, read_value


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
    clauses = [each for article in template.articles.values() for each in article.clauses]
    for field in template.fields:
        used = any(
            f"{{{field}}}" in each.words["ko"] or each.items == field or any(field in when for when in each.when)
            for each in clauses
        )
        assert used or field in [role.field for role in template.roles], field


@pytest.mark.parametrize("name", NAMES)
def test_articles_and_their_clauses_can_be_counted(name):
    assert all(len(each.clauses) <= 20 for each in templates()[name].articles.values()), (
        "there are no more circled numbers"
    )


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
    required = {each.id for each in templates()[name].articles.values() if each.required}
    assert set(wanted.split()) <= required


@pytest.mark.parametrize("name", NAMES)
def test_all_that_a_template_names_is_there(name):
    template = templates()[name]
    clauses = [each for article in template.articles.values() for each in article.clauses]
    texts = [template.intro, template.closing, *(each.words for each in clauses)]
    filled = [[{*PLACEHOLDER.findall(text[language])} for language in ("ko", "en")] for text in texts]
    assert all(ko == en for ko, en in filled), "one language says more than the other"
    named = {each for both in filled for each in both[0]}
    assert {each[1:] for each in named if each[0] == "@"} <= {*template.articles}
    fields = {each for each in named if each[0] != "@"} | {each.items for each in clauses if each.items}
    fields |= {when.removeprefix("!").partition("=")[0] for each in clauses for when in each.when}
    fields |= {each.after for each in template.fields.values() if each.after}
    named = [value for check in template.checks for key, value in check.items() if key != "kind"]
    fields |= {each for value in named for each in (value if isinstance(value, list) else [value])}
    assert fields <= {*template.fields}
    assert {template.fields[each.items].kind for each in clauses if each.items} <= {"list", "amounts"}
    assert {template.fields[role.field].kind for role in template.roles} == {"party"}
    assert all({*words} == {"ko", "en"} for each in template.fields.values() for words in (each.label, each.help))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_required_stands_whatever_was_given(name, fields):
    """A required article has a clause that always stands, or one for each case."""
    template = templates()[name]
    given = {key: each for key, each in fields(name).items() if template.fields[key].required}
    contract = draft(template, "ko", given).contract
    for article in template.articles.values():
        assert not article.required or any(article.title["ko"] in each for each in contract.headings)


def test_parties_and_dates_read_as_declared():
    template = templates()["nda"]
    assert read_value(template.fields["party_a"], "두레", "ko")[0] == Party("두레")
    assert read_value(template.fields["effective_date"], "2026-03-01", "ko")[0] == datetime.date(2026, 3, 1)
