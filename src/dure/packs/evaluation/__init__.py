"""How well teams do on a set of one's own: routing, tool arguments, retrieval, answers."""

from dure.errors import Text
from dure.pack import Command, Pack

PACK = Pack(
    name="evaluation",
    summary=Text("Measure a team on questions of your own", ko="내 질문 모음으로 팀 평가하기"),
    commands={
        "eval": Command(
            "dure.packs.evaluation.command:evaluate_file",
            Text("Measure a team on questions of your own", ko="내 질문 모음으로 팀 평가하기"),
        )
    },
)
