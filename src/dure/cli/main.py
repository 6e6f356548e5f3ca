"""All commands in one place. What a command needs is loaded when it runs, so that `dure --help` is quick."""

import sys
from typing import Annotated

import typer

from dure import __version__
from dure.cli import chat, demo, doctor, documents, evaluate, glossary, models, papers, runs, serve
from dure.cli.terminal import end_properly, unexpected
from dure.cli.words import say

app = typer.Typer(
    name="dure",
    help=say(
        "두레: 출처와 함께 답하는 에이전트 팀. 시작은 `dure demo`.",
        "Dure: a team of agents that answers with sources. Begin with `dure demo`.",
    ),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo", help=say("예제 문서로 두레를 처음 써 보기", "Try Dure on the example documents"))(demo.demo)
app.command("chat", help=say("팀에 묻기 (서버 없이)", "Ask a team (no server needed)"))(chat.chat)
app.command("serve", help=say("HTTP 서버 열기", "Open the HTTP server"))(serve.serve)
app.command("ingest", help=say("문서 넣기: 파일이나 폴더", "Add documents: files or folders"))(documents.ingest)
app.command("search", help=say("문서에서 찾기", "Search the documents"))(documents.search)
app.command("doctor", help=say("무엇이 되고 안 되는지 살피기", "Find out what works and how to mend the rest"))(
    doctor.doctor
)
app.command("eval", help=say("내 질문 모음으로 팀 평가하기", "Measure a team on questions of your own"))(
    evaluate.evaluate_file
)
app.add_typer(papers.app, name="papers")
app.add_typer(models.app, name="models")
app.add_typer(glossary.app, name="glossary")
app.add_typer(runs.app, name="runs")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"dure {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help=say("버전", "Show the version"))
    ] = False,
) -> None:
    pass


def main() -> None:
    """The entry point of the command `dure`."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show Hangul shows question marks instead of failing.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    end_properly()
    try:
        app()
    except BrokenPipeError:
        # Whoever read us has seen enough (`dure runs list | head`).
        sys.stderr.close()
        raise SystemExit(141) from None
    except Exception as error:
        unexpected(error)
