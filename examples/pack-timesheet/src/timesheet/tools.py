"""The tools `list_hours` and `log_hours`."""

from dure import Dure
from dure.errors import Text
from dure.findings import Finding
from dure.pack import Parts
from dure.storage import Database
from dure.tooling import ToolContext
from dure.toolsets import Tools, as_tool
from timesheet import hours


def open_timesheet(parts: Parts) -> "Timesheet":
    return Timesheet(parts.database)


class Timesheet(Tools):
    """The hours in a database."""

    def __init__(self, database: Database) -> None:
        super().__init__([self.list_hours, as_tool(self.log_hours, effect="write")])
        self.database = database

    async def list_hours(self, context: ToolContext) -> str:
        """The hours that the user worked, by project."""
        rows = await self.database.read(hours.by_project, context.owner)
        return "\n".join(f"{row['project']}: {row['hours']:g} h" for row in rows) or "none yet"

    async def log_hours(self, project: str, worked: float, context: ToolContext) -> str:
        """Note hours that the user worked on a project."""
        await self.database.write(hours.add, context.owner, project, worked)
        return f"noted: {project}, {worked:g} h"


async def examine(dure: Dure, owner: str) -> list[Finding]:
    """For `dure doctor`: how many projects have hours."""
    count = len(await dure.database.read(hours.by_project, owner))
    detail = Text(f"{count} projects", ko=f"프로젝트 {count}개")
    return [Finding("timesheet", Text("timesheet", ko="근무 시간"), "ok", detail)]
