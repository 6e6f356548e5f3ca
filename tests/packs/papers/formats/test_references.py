"""What a paper cites, by the references at its end."""

import pytest

from dure.packs.papers.formats.pdf import references_in

TITLE = "Q-Fade: Early prediction of capacity fade"


@pytest.mark.parametrize(
    "entry",
    [
        f"[1] M. Dvořák, J. Seo, “{TITLE},” Letters 9, 114-120, 2022.",
        f"[1] M. Dvořák and J. Seo. 2022. {TITLE}. In Proc. Cells, 114-120.",
        f"[1] M. Dvořák, J. Seo, {TITLE}, Letters 9 (2022) 114-120.",
        f"1. Dvořák M, Seo JH. {TITLE}. Cells Lett. 2022;9:114–20.",
        f"1. Dvořák, M., Kim, S. & Seo, J. {TITLE}. Cells Lett. 9, 114–120 (2022).",
        f"[1] Dvořák, M., & Seo, J. (2022). {TITLE}. Cells Letters, 9(2), 114–120.",
        f"[1] Dvořák, M. and Seo, J., 2022. {TITLE}. Cells Letters, 9(2), pp. 114–120.",
        f'[1] Dvořák, Mila, and Jin Seo. "{TITLE}." Cells Letters 9 (2022): 114–120.',
        "[1] M. Dvořák and J. Seo. 2022. Q-Fade: Early pre-\ndiction of\ncapacity fade. In Proc. Cells.",
    ],
)
def test_the_title_is_among_what_an_entry_may_name(entry: str) -> None:
    text = f"See the references.\nReferences\n[2] Nobody, “Counting seeds by hand”, 1900.\n{entry}\n"
    found = references_in(text)
    assert TITLE in found
    assert "Counting seeds by hand" in found


@pytest.mark.parametrize("title", ["Where is influenza acquired? A review", "Which cells fade in winter?"])
def test_a_title_that_asks_is_whole_behind_initials(title: str) -> None:
    ended = title if title.endswith("?") else f"{title}."
    assert title.rstrip("?") in references_in(f"References\n6. Abernethy S, Rask T. {ended} Cells Lett. 2014;9:201–12.")


def test_ids_stand_for_their_entry() -> None:
    found = references_in(
        "참고문헌\n[1] 누구, 무엇에 관한 긴 제목의 논문, https://doi.org/10.1000/ABC.\n[2] A. arXiv:1706.03762"
    )
    assert found == ["10.1000/abc", "1706.03762"]


def test_a_text_without_references_cites_nothing() -> None:
    assert references_in("We cite [1] A. Body. A title of many words here. 1900.") == []
