"""BibTeX: what well-formed files say, and what is left of broken ones."""

import time
from collections.abc import Callable
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.papers import PaperRecord, Problem
from dure.papers.formats import bibtex
from dure.papers.formats.latex import to_text


def read(text: str) -> tuple[list[PaperRecord], list[Problem]]:
    found = list(bibtex.read(BytesIO(text.encode()), "x.bib"))
    return [r for r in found if isinstance(r, PaperRecord)], [r for r in found if isinstance(r, Problem)]


def test_an_entry_with_nested_braces_macros_and_names() -> None:
    records, problems = read(
        """
        Text outside of entries, with me@example.com in it.
        @String{neurips = "Advances in Neural " # {Information Processing Systems}}
        @InProceedings{vaswani2017,
          title     = {Attention Is {{All}} You {N}eed},
          author = {Vaswani, Ashish and {Google Brain, Inc.} and Noam Shazeer and van der Maaten, Laurens and others},
          booktitle = neurips # " 30",
          year = 2017, month = jun,
          eprint = {1706.03762v5}, archivePrefix = "arXiv", primaryClass = {cs.CL},
        }
        """
    )
    assert not problems
    (record,) = records
    assert record.title == "Attention Is All You Need"
    assert record.authors == ["Ashish Vaswani", "Google Brain Inc.", "Noam Shazeer", "Laurens van der Maaten", "others"]
    assert record.venue == "Advances in Neural Information Processing Systems 30"
    assert (record.year, record.arxiv_id, record.field) == (2017, "1706.03762", "nlp")


def test_crossref_is_followed_wherever_the_parent_stands() -> None:
    records, problems = read(
        """
        @inproceedings{child, title="A {"}quoted{"} title", crossref={Parent}}
        @proceedings{parent, title={Proceedings of X}, year=2001}
        @inproceedings{late, title="Another", crossref={parent}, year = 2002}
        """
    )
    assert not problems
    assert [(r.title, r.venue, r.year) for r in records] == [
        ('A "quoted" title', "Proceedings of X", 2001),
        ("Another", "Proceedings of X", 2002),
    ]


def test_broken_entries_are_told_of_with_their_line_and_the_rest_is_kept() -> None:
    records, problems = read(
        "@article{one, title={One title}}\n"
        "@article{open, title = {never closed,\n  year = 2000\n"
        '@article(paren, title={In (parentheses)}, year="1999")\n'
        "@misc{notitle, author={X}}\n"
        "@article{bad, title={Bad}, year 2000}\n"
        "@article{last, title={The last}}\n"
        "@article{unfinished, title={"
    )
    assert [r.title for r in records] == ["One title", "In (parentheses)", "The last"]
    assert [p.place for p in problems] == ["x.bib:2", "x.bib:5", "x.bib:6", "x.bib:8"]
    assert all(p.reason and p.ko for p in problems)


def test_ids_in_addresses_and_notes() -> None:
    records, _ = read(
        "@inproceedings{a, title={A title}, url={https://aclanthology.org/N19-1423/}, doi={10.18653/v1/N19-1423}}\n"
        "@article{b, title={B title}, journal={arXiv preprint arXiv:1810.04805}, year=2018}\n"
    )
    assert (records[0].acl_id, records[0].doi) == ("N19-1423", "10.18653/v1/N19-1423")
    assert (records[1].arxiv_id, records[1].venue) == ("1810.04805", "arXiv")


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"Erd{\H o}s and G\"{o}del, \'Etude", "Erdős and Gödel, Étude"),
        (r"{\'\i}", "í"),
        (r"\c{c}a Fran\c cois", "ça François"),
        (r"Nguy{\~{\^e}}n", "Nguyễn"),
        (r"Hlav{\'a}{\v c}ek", "Hlaváček"),
        (r"\O{}stergaard, \ss, {\L}ukasz", "Østergaard, ß, Łukasz"),
        (r"$\alpha$-GAN \& 100\% BERT~3 --- ``x''", "α-GAN & 100% BERT 3 — “x”"),
        (r"\href{http://x.y}{text} \emph{it} \textbf{bold}", "text it bold"),
        ("no latex at all", "no latex at all"),
        ("\\", ""),
        (r"\'", "'"),
    ],
)
def test_latex_becomes_unicode(latex: str, text: str) -> None:
    assert to_text(latex) == text


@given(st.text(alphabet="ab{}\\'\"`^~$ -cvéü@,=#"))
def test_any_latex_gives_text_without_braces(latex: str) -> None:
    text = to_text(latex)
    assert "{" not in text.replace("\\{", "") or "\\{" in latex
    assert to_text("plain words 한글") == "plain words 한글"


@given(st.text(alphabet='@article{}()=",#\n title2a\\éw한'))
def test_any_text_is_read_to_its_end(text: str) -> None:
    for each in bibtex.read(BytesIO(text.encode()), "x"):
        assert isinstance(each, Problem) or each.title


def test_names_are_parted_by_and_between_any_blanks() -> None:
    assert bibtex.authors("A. One  and\n\tTwo, B. \n AND  {Three and Co} and And Four") == [
        "A. One",
        "B. Two",
        "Three and Co",
        "And Four",
    ]


@pytest.mark.parametrize("unit", [" ", "\n", "\t ", " and", "and ", "{", ",", "a,", "a "])
def test_long_fields_take_linear_time(linear: Callable[..., None], unit: str) -> None:
    linear(bibtex.authors, lambda n: "A" + unit * n + "B", 5000)


words = st.text(alphabet=st.characters(categories=("L", "N")), min_size=1, max_size=12)


@given(st.lists(st.lists(words, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=8), st.integers(1000, 2200))
def test_what_is_written_is_read(titles: list[str], year: int) -> None:
    text = "\n".join(f"@article{{k{i},\n title = {{{{{t}}}}},\n year = {year}\n}}" for i, t in enumerate(titles))
    records, problems = read(text)
    assert not problems
    assert len(records) == len(titles)
    assert all(record.year == year for record in records)


@pytest.mark.parametrize(
    "hostile",
    [
        "{" * 300_000,
        "@article{a, title={" * 30_000,
        "@article{a,title=" + "{a}#" * 100_000,
        "\\'" * 200_000,
        "@a{" + '"' * 300_000,
        "and " * 200_000,
    ],
)
def test_hostile_texts_take_no_longer_than_others(hostile: str) -> None:
    began = time.process_time()
    read("@article{a, title={T}, author={" + hostile)
    read(hostile)
    bibtex.authors(hostile)
    to_text(hostile)
    assert time.process_time() - began < 8
