"""`dure demo`: from nothing to a cited answer, on documents of an invented company."""

import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from dure.cli.terminal import AsJson, given_path, note, put, run
from dure.cli.words import language, say
from dure.errors import InvalidInput, phrase

DOCUMENTS = Path(__file__).parent / "documents"
QUESTION = "회사 휴가 정책 알려줘"
TEAM = "workplace"


def demo(
    documents: Annotated[Path, typer.Option("--documents", "-d", show_default=False, parser=given_path)] = DOCUMENTS,
    question: Annotated[str, typer.Option("--question", "-q")] = QUESTION,
    as_json: AsJson = False,
) -> None:
    """Read the documents, make the model ready, ask, and show the answer with its sources."""

    async def work() -> dict[str, Any]:
        from dure.cli.chat import ask, opened_for
        from dure.cli.documents import files_of, take_in
        from dure.runs import Ask
        from dure.storage import DEFAULT_OWNER

        files = files_of([str(documents)])
        asked = Ask(question, None, TEAM)
        async with opened_for(asked) as dure:
            _step(1, say(f"문서 읽기: {documents}", f"Reading the documents in {documents}"), as_json)
            read, failed = await take_in(dure, DEFAULT_OWNER, files, quiet=as_json, embedded=True)
            for name, error in failed:
                note(f"  ✗ {name}: {error.message(language())}", "yellow")
            for each in read:
                if each.error:
                    note(f"  ✗ {each.name}: {each.error[language()]}", "yellow")
            ready = [d for d in read if d.status == "ready"]
            if not ready:
                raise InvalidInput(reason=phrase("cli.unread"))
            passages = sum(d.passages for d in ready)
            note(say(f"  문서 {len(ready)}개, 단락 {passages}개", f"  {len(ready)} documents, {passages} passages"))
            _step(2, say(f"{TEAM} 팀에 묻기: {question}", f"Asking team {TEAM}: {question}"), as_json)
            return (await ask(dure, DEFAULT_OWNER, asked, quiet=as_json)).as_dict()

    answer = run(work, as_json, dict)
    from dure.cli.show import print_answer

    put()
    print_answer(answer)
    put()
    _next_steps()


def _step(number: int, text: str, quiet: bool) -> None:
    if not quiet:
        note(f"[{number}/2] {text}", "bold")


def _next_steps() -> None:
    dure = program()
    for what, how in (
        (say("서버 열기", "Serve it"), f"{dure} serve"),
        (say("내 문서 넣기", "Add your own documents"), f"{dure} ingest {say('~/문서', '~/documents')}"),
        (say("더 묻기", "Ask more"), f'{dure} chat "…"'),
        (
            say("내 모델 서버 쓰기", "Use your own model server"),
            f'DURE_MODEL_BASE_URL=http://localhost:8000/v1 {dure} chat "…"',
        ),
    ):
        put(f"{what}: {how}")


def program() -> str:
    """How this command was called, so that what we suggest works when it is pasted: `dure` where that finds it."""
    given = Path(sys.argv[0])
    if given.name != "dure" or shutil.which("dure") == str(given.absolute()):
        return "dure"
    return str(given)
