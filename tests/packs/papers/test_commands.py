"""`dure papers`."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from dure.errors import InvalidInput
from dure.packs.papers.commands import _sources

Command = Callable[..., Awaitable[Any]]

BIB = """@article{rice, title={Growing rice by numbers}, author={Kimsoo, Minsu}, year=2023, journal={AgriTech}}
@misc{notitle, author={X}}
"""


def test_files_folders_and_arxiv_ids_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_text(BIB)
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / ".hidden.bib").write_text(BIB)
    (tmp_path / "link.bib").symlink_to("a.bib")
    ids = ["1706.03762", "arXiv:1810.04805v2", "https://arxiv.org/abs/cs/0112017"]
    assert _sources([str(tmp_path), str(tmp_path / "a.bib"), *ids]) == ([tmp_path / "a.bib"], ids)
    for wrong in ("none.bib", "../1706.03762", "hello"):
        with pytest.raises(InvalidInput, match="arXiv"):
            _sources([wrong])
    with pytest.raises(InvalidInput, match="home folder"):
        _sources(["~nosuchuser/x.bib"])


async def test_import_list_show_and_remove(dure: Command, tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_text(BIB)
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4 broken")
    ended = await dure("papers", "import", str(tmp_path / "a.bib"), str(tmp_path / "b.pdf"))
    assert ended.code == 1
    assert "✗ a.bib:2: @misc{notitle} has no title" in ended.out
    assert "✗ b.pdf: The document cannot be read" in ended.out
    assert ended.out.endswith("1 added, 0 completed, 0 already there, 2 not readable\n")
    again = await dure("papers", "import", str(tmp_path / "a.bib"), "--json")
    assert (again.code, again.json["skipped"], again.json["failed"]) == (0, 1, 1)
    (paper,) = (await dure("papers", "list", "rice", "--author", "Kimsoo", "--json")).json["papers"]
    listed = await dure("papers", "list", "--venue", "agritech")
    assert listed.out == f"{paper['id']}  Growing rice by numbers — Minsu Kimsoo (2023, AgriTech)\n"
    shown = await dure("papers", "show", "Growing Rice by Numbers", LC_ALL="ko_KR.UTF-8")
    assert "저자: Minsu Kimsoo" in shown.out
    assert (await dure("papers", "show", "BERT", "--json")).json["arxiv_id"] == "1810.04805"
    refused = await dure("papers", "remove", (await dure("papers", "show", "BERT", "--json")).json["id"])
    assert refused.code == 2
    assert "cannot be removed" in refused.err
    removed = await dure("papers", "remove", paper["id"])
    assert removed.out == "Removed: Growing rice by numbers\n"
    assert (await dure("papers", "show", paper["id"])).code == 1


async def test_a_paper_is_found_by_words_of_its_title_or_author_alone(dure: Command) -> None:
    shown = await dure("papers", "show", "Attention is all", "--json")
    assert shown.json["title"] == "Attention Is All You Need"
    several = await dure("papers", "show", "language models")
    assert several.code == 2
    assert "may be several" in several.err
    assert several.err.count(";") == 4
    assert "There is no paper" in (await dure("papers", "show", "no such thing at all")).err


async def test_a_list_says_that_there_are_more(dure: Command) -> None:
    listed = await dure("papers", "list", "--limit", "3")
    assert listed.out.count("\n") == 3
    assert "There are more: --limit 6" in listed.err
    assert len((await dure("papers", "list", "--limit", "3", "--json")).json["papers"]) == 3
    assert (await dure("papers", "list", "--limit", "1000")).code == 0
    assert "There are more" not in (await dure("papers", "list", "attention is all", "--limit", "3")).err


async def test_nothing_to_import_is_said(dure: Command) -> None:
    for given in ([], ["nowhere.bib"]):
        ended = await dure("papers", "import", *given)
        assert ended.code == 2
        assert "Error" in ended.err


async def test_papers_are_marked_and_found_by_their_marks(dure: Command) -> None:
    shown = await dure("papers", "mark", "BERT", "--tag", "to read", "--collection", "Thesis", "--note", "Appendix!")
    assert "  tags: to read\n  collections: Thesis\n" in shown.out
    assert (await dure("papers", "marks")).out == "tag  to read  1\ncollection  Thesis  1\n"
    (paper,) = (await dure("papers", "list", "--tag", "To read", "--collection", "thesis", "--json")).json["papers"]
    ((note),) = paper["notes"]
    assert (paper["aliases"][:1], note["text"]) == (["BERT"], "Appendix!")
    bare = await dure("papers", "mark", paper["id"], "--drop", "--tag", "to read", "--note", note["id"], "--json")
    assert (bare.json["tags"], bare.json["collections"], bare.json["notes"]) == ([], ["Thesis"], [])


async def test_papers_go_out_as_references_and_come_back(dure: Command, tmp_path: Path) -> None:
    shown = await dure("papers", "export", "BERT", "GloVe")
    assert [line.split("{")[1] for line in shown.out.splitlines() if line.startswith("@")] == [
        "devlin2019bert,",
        "pennington2014glove,",
    ]
    file = tmp_path / "out.json"
    await dure("papers", "mark", "BERT", "--tag", "seminar")
    assert (await dure("papers", "export", "--format", "csl", "--tag", "seminar", "--output", str(file))).code == 0
    assert (await dure("papers", "import", str(file), "--json")).json["skipped"] == 1
    assert (await dure("papers", "export", "--format", "ris")).code == 2


async def test_nothing_is_exported_where_nothing_fits_or_nothing_can_be_written(dure: Command, tmp_path: Path) -> None:
    kept = tmp_path / "kept.bib"
    kept.write_text("mine")
    none = await dure("papers", "export", "--tag", "nobody's", "--output", str(kept))
    assert (none.code, kept.read_text()) == (2, "mine")
    nowhere = await dure("papers", "export", "BERT", "--output", str(tmp_path / "none" / "a.bib"))
    assert (nowhere.code, "none/a.bib" in nowhere.err, "Unexpected" in nowhere.err) == (2, True, False)
    wrong = await dure("papers", "export", "--format", "ris")
    assert (wrong.code, "bibtex, csl" in wrong.err) == (2, True)
