"""`dure doctor`: tries everything out, and says what works and how to mend the rest."""

from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import typer

from dure.cli.terminal import DEFAULT_OWNER, AsJson, Owner, clean, out, print_json, put, run
from dure.cli.words import language, say

if TYPE_CHECKING:
    from dure.findings import Finding, State

_MARKS: "dict[State, tuple[str, str]]" = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "failed": ("✗", "red")}


def doctor(as_json: AsJson = False, owner: Owner = DEFAULT_OWNER) -> None:
    """Call the model server, the tools, the stores and the MCP servers for real."""

    async def work() -> "list[Finding]":
        from dure.cli.examine import examine

        findings = []
        async with aclosing(examine(owner)) as found:
            async for each in found:
                findings.append(each)
                if not as_json:
                    _print(each.as_dict(language()))
        return findings

    findings = run(work, as_json)
    failed = [f for f in findings if f.state == "failed"]
    warned = [f for f in findings if f.state == "warning"]
    if as_json:
        print_json({"ok": not failed, "findings": [each.as_dict(language()) for each in findings]})
    elif failed:
        put(say(f"고칠 것 {len(failed)}가지.", f"{len(failed)} to mend."), "bold red")
    elif warned:
        put(say(f"됩니다. 빠진 것 {len(warned)}가지.", f"It works; {len(warned)} missing or partial."), "bold yellow")
    else:
        put(say("모두 됩니다.", "All works."), "bold green")
    if failed:
        raise typer.Exit(1)


def _print(finding: dict[str, Any]) -> None:
    from rich.text import Text as Line

    mark, style = _MARKS[finding["state"]]
    line = Line.assemble((mark, style), " ", (clean(finding["part"]), "bold"), "  ", clean(finding["detail"]))
    out().print(line)
    if finding["mend"]:
        out().print(Line(f"  → {clean(finding['mend'])}", style))
