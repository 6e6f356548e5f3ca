"""BibTeX: what well-formed files say, and what is left of broken ones."""

import tracemalloc
from collections.abc import Callable
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.packs.papers.formats import bibtex
from dure.packs.papers.formats.latex import to_text
from dure.packs.papers.formats.reading import decode
from dure.packs.papers.record import PaperRecord, Problem
from dure.texts import said


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
    assert all(said(p.reason, "en") != said(p.reason, "ko") for p in problems)


@pytest.mark.parametrize(
    ("entry", "title"),
    [
        ("  @ Article {a, title={Blanks}, year=2001}", "Blanks"),
        ('@article{a, title={Over} # "taken", TITLE={the first}, year=2001}', "Overtaken"),
        ('@article{a, title="C# and {\\"o} # no" # {, or #}, year=2001}', "C# and ö # no, or #"),
        ('@article{a, title="G\\"odel, {\\"U}", year=2001}', "Gödel, Ü"),
        ("@string{x={X = }} @string(y=x # {Y}) @article{a, title=Y, year=2001}", "X = Y"),
    ],
)
def test_entries_as_people_write_them(entry: str, title: str) -> None:
    records, problems = read(f"{entry} @article{{b, title={{Another}}, year=2001}}")
    assert not problems
    assert [(r.title, r.year) for r in records] == [(title, 2001), ("Another", 2001)]


def test_two_entries_of_one_key_are_two_papers() -> None:
    records, problems = read(
        "@misc{a, title={One}} @misc{a, title={Two}}\n@misc{a, title={Three}}\n@misc{, title={Four}}"
    )
    assert not problems
    assert [r.title for r in records] == ["One", "Two", "Three", "Four"]


def test_nothing_is_printed_of_what_cannot_be_read(caplog: pytest.LogCaptureFixture) -> None:
    records, problems = read("@article{a, title={Bad}, year 2000}\n@comment{@article{b, title={Not one}}}")
    assert (records, len(problems), caplog.records) == ([], 1, [])


def test_macros_of_macros_do_not_fill_the_memory() -> None:
    doubled = "".join(f"@string{{m{n} = m{n - 1} # m{n - 1}}}\n" for n in range(1, 30))
    waiting = "".join(f"@misc{{k{n}, title={{T}}, keywords=m16 # m16, crossref={{none}}}}\n" for n in range(400))
    others = "@misc{a, title = {A}, note = m17 # m17}\n@misc{b, title={B}}\n"
    text = "@string{m0 = {0123}}\n" + doubled + others + waiting
    tracemalloc.start()
    try:
        records, problems = read(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Each that would wait has 524,288 characters.
    assert peak < 100_000_000
    assert ([r.title for r in records if r.title != "T"], len(records)) == (["B"], 401)
    assert problems[0].place == "x.bib:19"
    assert problems[-1].place == "x.bib:31"


def test_a_file_of_any_length_is_read_a_piece_at_a_time() -> None:
    class Endless(BytesIO):
        lines = 0

        def readline(self, size: int | None = -1, /) -> bytes:
            self.lines += 1
            return b"@misc{a, title={A title}}\n"

    stream = Endless()
    found = bibtex.read(stream, "x.bib")
    assert all(isinstance(next(found), PaperRecord) for _ in range(3))
    assert stream.lines < 10


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
        (r"M$_\odot$, $x \gg 5$, \textonehalf{} \phi \epsilon \ne \S 3", "M_⊙, x ≫ 5, ½ φ ε ≠ § 3"),
        (r"a\quad b\vspace{1em}\today\unknown{kept} \LaTeX{}", "a  bkept LaTeX"),
        ("no latex at all", "no latex at all"),
        ("\\", ""),
        ("Proc.\\ of the conf.", "Proc. of the conf."),
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


def test_a_korean_name_is_one_word_however_its_parts_are_parted() -> None:
    assert bibtex.authors("홍, 길동 and 김두레 and Moor, Ada") == ["홍길동", "김두레", "Ada Moor"]
    assert bibtex.authors("홍 길동") == ["홍 길동"]


def test_names_are_parted_by_and_between_any_blanks() -> None:
    assert bibtex.authors("A. One  and\n\tTwo, B. \n AND  {Three and Co} and And Four") == [
        "A. One",
        "B. Two",
        "Three and Co",
        "And Four",
    ]


@pytest.mark.parametrize("unit", [" ", "\n", "\t ", " and", "and ", "{", ",", "a,", "a "])
def test_long_fields_take_linear_time(assert_linear: Callable[..., None], unit: str) -> None:
    assert_linear(bibtex.authors, lambda n: "A" + unit * n + "B", 50_000)


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
        lambda n: "{" * n,
        lambda n: "@article{a, title={" * (n // 10),
        lambda n: "@article{a,title=" + "{a}#" * (n // 3),
        lambda n: "\\'" * (n // 6),
        lambda n: "@a{" + '"' * n,
        lambda n: "and " * (n // 6),
    ],
)
def test_hostile_texts_take_no_longer_than_others(
    hostile: Callable[[int], str], assert_linear: Callable[..., None]
) -> None:
    def each(text: str) -> None:
        read("@article{a, title={T}, author={" + text)
        read(text)
        bibtex.authors(text)
        to_text(text)

    assert_linear(each, hostile, 100_000)


@pytest.mark.parametrize(("encoding", "title"), [("cp949", "한글 논문의 제목"), ("latin-1", "Ålesund, créé")])
def test_files_of_before_unicode(encoding: str, title: str) -> None:
    assert decode(f"@article{{a, title={{{title}}}, year=2001}}".encode(encoding)) == (
        f"@article{{a, title={{{title}}}, year=2001}}"
    )
