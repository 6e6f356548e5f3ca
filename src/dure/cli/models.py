"""`dure models pull|use|list`: the bundled model's weights, and what the configured server offers."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dure import configured
from dure.cli.terminal import AsJson, ending, err, note, print_json, put, run
from dure.cli.terminal import path_of as typed_path
from dure.cli.words import language, say
from dure.errors import DureError, InvalidInput, phrase

if TYPE_CHECKING:
    from dure.models.bundled.weights import Progress
    from dure.settings import Settings

app = typer.Typer(no_args_is_help=True)


@app.command("pull")
def pull(
    variant: Annotated[str | None, typer.Argument(show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    async def work() -> tuple[str, Path]:
        from dure.models.bundled.weights import WEIGHTS
        from dure.settings import load_settings

        settings = load_settings()
        chosen = variant or settings.bundled_model
        if chosen not in WEIGHTS:
            raise InvalidInput(reason=phrase("cli.bundled", chosen=chosen, known=", ".join(WEIGHTS)))
        return chosen, await fetch(settings, chosen, quiet=as_json)

    _, path = run(work, as_json, lambda made: {"model": made[0], "path": str(made[1])})
    put(str(path))


@app.command("use")
def use(
    model: str,
    sha256: str | None = None,
    as_json: AsJson = False,
) -> None:
    with ending(as_json):
        made = _used(model, sha256, quiet=as_json)
    if as_json:
        print_json(made)
        return
    put(f"{made['name']}  {made['path'] or model}")
    if made["path"]:
        context = f"{made['context']:,}" if made["context"] else "?"
        template = say("있음", "there") if made["template"] else say("없음 (ChatML로 대신)", "none (ChatML is used)")
        put(say(f"문맥 {context} 토큰, 대화 양식 {template}", f"context {context} tokens, chat template {template}"))
    note(say(f"{made['file']}에 적었습니다.", f"Written into {made['file']}."))
    if made["server"]:
        note(say("지금은 모델 서버를 씁니다.", "A model server is in use now."), "yellow")


def _used(model: str, sha256: str | None, *, quiet: bool) -> dict[str, Any]:
    """Write into the settings which model the engine runs: `{name, path, context, template, file, server}`. Not in a
    thread: what blocks here ends with Ctrl-C, and is gone on with the next time."""
    from dure.models.bundled import gguf
    from dure.models.bundled.weights import WEIGHTS, matches
    from dure.settings import BUNDLED, load_settings

    settings = load_settings()
    about: dict[str, Any] = {"name": model, "path": None}
    values: dict[str, str | None] = {"bundled_model": model, "bundled_path": None}
    if model not in WEIGHTS:
        path = typed_path(model)
        given = path.is_file()
        if not given:
            with ExitStack() as shown:
                tell = (lambda there, size: None) if quiet else _progress(shown)
                path = gguf.fetch(model, settings.cache_dir / "models", tell)
        if sha256 and not matches(path, sha256):
            if not given:
                path.unlink()
            raise InvalidInput(reason=f"{path}: SHA-256 ≠ {sha256}", key="sha256")
        values = {"bundled_path": str(path.resolve())}
        about = gguf.header(path) | {"path": values["bundled_path"]}
        about["template"] = about["template"] is not None
    return about | {"file": str(configured.write(values)), "server": settings.default_model.provider != BUNDLED}


@app.command("list")
def list_models(as_json: AsJson = False) -> None:
    found = run(_listed, as_json, dict)
    for each in found["bundled"]:
        mark = "●" if each["in_use"] else "○"
        there = each["path"] if each["fetched"] else say("받지 않음", "not fetched")
        put(f"{mark} {each['variant']}  {each['name']}  {each['size'] / 1e6:>5,.0f} MB  {there}")
    for each in found["named"]:
        put(f"{'●' if each['in_use'] else '○'} {each['name']}  {each['provider']}  {each['model']}".rstrip())
    server = found["server"]
    if server is None:
        note(say("모델 서버 없음.", "No model server."))
    elif "error" in server:
        note(f"{server['url']}: {server['error']['message']}", "red")
    else:
        for name in server["models"]:
            put(f"{'●' if name == server['in_use'] else '○'} {name}  {server['url']}")


async def _listed() -> dict[str, Any]:
    from dure.models import ChatClient, open_model
    from dure.models.bundled.weights import WEIGHTS, path_of
    from dure.settings import BUNDLED, load_settings

    settings = load_settings()
    files = {variant: (each.name, each.size, path_of(variant, settings.cache_dir)) for variant, each in WEIGHTS.items()}
    chosen: str = settings.bundled_model
    if own := settings.bundled_path:
        chosen, files["own"] = "own", (own.stem, own.stat().st_size if own.is_file() else 0, own)
    used = settings.default_model.provider == BUNDLED
    bundled = [
        {"variant": variant, "name": name, "size": size, "path": str(path)}
        | {"fetched": path.is_file(), "in_use": used and variant == chosen}
        for variant, (name, size, path) in files.items()
    ]
    named = [
        {"name": name, "provider": each.provider, "model": each.name or "", "in_use": each == settings.default_model}
        for name, each in settings.by_name.items()
    ]
    client = open_model(settings).client
    if not isinstance(client, ChatClient):
        return {"named": named, "bundled": bundled, "server": None}
    server: dict[str, Any] = {"url": client.place}
    try:
        server |= {"in_use": await client.resolve(), "models": await client.models()}
    except DureError as error:
        server |= error.as_dict(language())
    finally:
        await client.close()
    return {"named": named, "bundled": bundled, "server": server}


async def fetch_missing(settings: "Settings", *, quiet: bool = False) -> None:
    """Fetch the bundled model's weights where they will be needed and are not there."""
    from dure.models.bundled.weights import missing

    if missing(settings):
        await fetch(settings, settings.bundled_model, quiet=quiet)


async def fetch(settings: "Settings", variant: str, *, quiet: bool = False) -> Path:
    """Fetch the weights of `variant` unless they are there, showing how far it has come; ends early when cancelled."""
    from dure.models.bundled import weights

    path = weights.path_of(variant, settings.cache_dir)
    if path.is_file():
        return path
    with ExitStack() as shown:
        if not quiet:
            note(say("내장 모델을 받습니다: ", "Fetching the bundled model: ") + weights.WEIGHTS[variant].notice)
        return await weights.fetch(variant, settings.cache_dir, None if quiet else _progress(shown))


def _progress(shown: ExitStack) -> "Progress":
    """A bar in a terminal; elsewhere a line for each tenth."""
    if not err().is_terminal:
        return _Tenths()
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    columns = BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn()
    bar = shown.enter_context(Progress(*columns, console=err(), transient=True))
    task = bar.add_task("", total=None)
    return lambda there, total: bar.update(task, completed=there, total=total)


class _Tenths:
    def __init__(self) -> None:
        self._told = 0

    def __call__(self, there: int, total: int) -> None:
        tenth = there * 10 // total
        if tenth > self._told:
            self._told = tenth
            note(f"  {tenth * 10} %  {there / 1e6:,.0f} / {total / 1e6:,.0f} MB")
