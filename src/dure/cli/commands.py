"""The commands by place: `dure --help` tells of all and loads none, a call loads its own."""

from collections.abc import Mapping, Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from dure.cli.words import language
from dure.configured import may_be_set
from dure.errors import DureError, Text
from dure.pack import Command, chosen
from dure.registry import load

_OURS = (
    ("demo", "demo:demo", "Try Dure on the example documents", "예제 문서로 두레를 처음 써 보기"),
    ("chat", "chat:chat", "Ask a team (no server needed)", "팀에 묻기 (서버 없이)"),
    ("serve", "serve:serve", "Open the HTTP server", "HTTP 서버 열기"),
    ("worker", "serve:worker", "Work on what comes to other servers", "다른 서버에 들어온 일을 나누어 하기"),
    ("mcp", "mcp:app", "Serve an MCP client over standard input and output", "표준 입출력으로 MCP 클라이언트에 열기"),
    (
        "acp",
        "acp:acp",
        "Serve an editor as its agent over standard input and output",
        "표준 입출력으로 편집기의 에이전트가 되기",
    ),
    ("ingest", "documents:ingest", "Add documents: files or folders", "문서 넣기: 파일이나 폴더"),
    ("documents", "documents:app", "List the documents, remove some", "문서 목록과 지우기"),
    ("watch", "documents:watch", "Keep documents as a folder's files are", "폴더의 파일을 따라 문서를 고치기"),
    ("reindex", "documents:reindex", "Read documents anew", "문서를 다시 읽기"),
    ("shelves", "shelves:app", "Documents that several owners share", "여럿이 함께 보는 문서의 서가"),
    ("search", "documents:search", "Search the documents", "문서에서 찾기"),
    ("schedules", "schedules:app", "Ask at times, without anybody there", "때가 되면 스스로 묻게 예약하기"),
    ("doctor", "doctor:doctor", "Find out what works and how to mend the rest", "무엇이 되고 안 되는지 살피기"),
    ("models", "models:app", "Fetch the bundled model, list models", "내장 모델 받기와 모델 목록"),
    ("tools", "mcp:tools", "MCP servers, and what changed about their tools", "MCP 서버와 도구의 바뀐 점"),
    (
        "load",
        "load:load",
        "Ask in many sessions at once, to see what a server bears",
        "한꺼번에 많이 물어 서버가 견디는지 보기",
    ),
    ("backup", "backup:backup", "Copy the data folder, checked, while it is in use", "쓰는 중에 데이터 폴더 백업하기"),
    ("restore", "backup:restore", "Put a backup back", "백업으로 되돌리기"),
    ("erase", "erase:erase", "Delete all that is an owner's", "한 소유자의 모든 것을 지우기"),
    ("runs", "runs:app", "Look at runs and run them again", "지난 실행 보기와 다시 하기"),
)
COMMANDS = {name: Command(f"dure.cli.{place}", Text(en, ko=ko)) for name, place, en, ko in _OURS}


class Commands(TyperGroup):
    """Our commands, then those of the packs that are on."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = {name: _Placed(name, command) for name, command in COMMANDS.items()}

    def list_commands(self, ctx: Any) -> list[str]:
        for name, command in _of_packs().items():
            self.commands.setdefault(name, _Placed(name, command))
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands:
            self.list_commands(ctx)
        return self.commands.get(cmd_name)


class _Placed(TyperCommand):
    """Name and help of a command, which is loaded when it is called."""

    def __init__(self, name: str, command: Command) -> None:
        super().__init__(name, help=command.help.said(language()))
        self._place = command.place

    def make_context(self, *args: Any, **given: Any) -> Any:
        return self.loaded().make_context(*args, **given)

    def loaded(self) -> Any:
        """The command itself."""
        found, holder = load(self._place), typer.Typer()
        if isinstance(found, typer.Typer):
            holder.add_typer(found, name=self.name, help=self.help)
        else:
            holder.command(self.name, help=self.help)(found)
        return typer.main.get_group(holder).commands[str(self.name)]


def _of_packs() -> Mapping[str, Command]:
    names: Sequence[str] = ()
    try:
        if may_be_set("packs"):
            from dure.settings import load_settings

            names = load_settings().packs
        return {name: command for pack in chosen(names) for name, command in pack.commands.items()}
    except DureError:
        # The command that is called says so.
        return {}
