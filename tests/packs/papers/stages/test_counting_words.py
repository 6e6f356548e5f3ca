"""The sentence about a count: of which papers it is, ties, and numbers that are not the whole."""

from dure.packs.papers.stages.counting_words import heads, told
from dure.packs.papers.stages.filters import Filters
from dure.packs.papers.stages.sql_form import Form

X = {"id": "x", "title": "X-Net", "authors": ["A", "et al."]}


def test_it_says_of_which_papers() -> None:
    form = Form(rows="all", measure="papers", filters=Filters(2015, 2018, "He", "CVPR", "vision"), title="deep")
    assert told(form, [[3]], "ko") == (
        "2015~2018년 CVPR에 실린 vision 분야의 저자가 He인 제목에 “deep”이(가) 들어간 논문은 이 모음에 3편 있습니다."
    )
    assert told(form, [[1]], "en") == (
        "This collection has 1 paper from 2015 to 2018 at CVPR in the field vision by He with “deep” in the title."
    )
    form = Form(rows="all", measure="papers", citing=[X])
    assert told(form, [[1]], "en") == "This collection has 1 paper that cites “X-Net”."


def test_all_that_share_the_first_place_are_named() -> None:
    form = Form(rows="venue", measure="papers", order="most", limit=5, one=True)
    assert (
        told(form, [["A", 3], ["B", 3], ["C", 1]], "ko") == "이 모음에서 논문 수가 가장 많은 학회·학술지: A, B (3편)."
    )


def test_authors_that_the_source_left_out() -> None:
    form = Form(rows="all", measure="authors", only=[X])
    assert told(form, [[1]], "ko").endswith("이름이 등록된 저자만 센 수이며 실제로는 더 있습니다.")
    assert told(form, [[1]], "en").endswith("More are not named here.")


def test_facts_of_a_paper() -> None:
    assert told(Form(rows="paper", only=[X]), [["X-Net", 2019, "ICML", "nlp"]], "ko") == "“X-Net”: 2019년, ICML."
    assert told(Form(rows="author", measure="papers", only=[X]), [["A", 1]], "en") == "The authors of “X-Net”:"


def test_nothing_is_zero() -> None:
    assert told(Form(rows="paper", cited_by=[X]), [], "ko") == "“X-Net”이(가) 인용한 논문은 이 모음에 0편 있습니다."
    assert told(Form(rows="all", measure="authors", total="mean"), [[None]], "en") == "Papers: 0 authors on average."


def test_heads() -> None:
    assert heads(["title", "citations", "x"], "ko") == ["제목", "인용 수(이 모음 안)", "x"]
