"""Hours worked: a pack for Dure."""

from dure.errors import Text
from dure.pack import Command, Pack, beside

PACK = Pack(
    name="timesheet",
    summary=Text("Hours worked", ko="일한 시간"),
    tools="timesheet.tools:open_timesheet",
    teams=beside(__file__, "teams"),
    tables="timesheet.hours:CHAIN",
    routes="timesheet.routes:router",
    commands={
        "timesheet": Command("timesheet.commands:app", Text("Hours worked: add, list", ko="일한 시간: 적기, 보기"))
    },
    doctor="timesheet.tools:examine",
)
