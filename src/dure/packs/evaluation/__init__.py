"""How well teams do on a set of one's own: routing, tool arguments, retrieval, answers."""

from dure.errors import Text
from dure.pack import Command, Pack, beside
from dure.texts import Catalogue

_SUMMARY = Text("Measure a team on questions of your own", ko="내 질문 모음으로 팀 평가하기")
TEXTS = Catalogue(beside(__file__, "texts"))
PACK = Pack(
    name="evaluation",
    summary=_SUMMARY,
    commands={"eval": Command("dure.packs.evaluation.command:evaluate_file", _SUMMARY, TEXTS["cli_help"])},
    texts=TEXTS.folder,
)
