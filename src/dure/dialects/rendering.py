"""A model's chat template, rendered in a child process, where a hostile one can do no harm: `python -m …rendering`."""

import json
from typing import Any

from dure.child import Child, ChildLost, serve

SECONDS = 5.0
MEMORY = 1 << 30
"""Bytes of address space."""
LONGEST = 300_000
"""Characters of a template, and of what it renders."""


async def renderings(template: str, chats: list[list[dict[str, Any]]], tools: list[dict[str, Any]]) -> list[str]:
    """Each of `chats` as the template writes it, with the beginning of a reply where it ends in a user's message; ""
    for one that it refuses, and for all of a template that is too long, too slow or none at all."""
    child = Child("dure.dialects.rendering")
    try:
        [found] = await child.ask(
            {"template": template[: LONGEST + 1], "chats": chats, "tools": tools, "seconds": SECONDS}
        )
    except (TimeoutError, ChildLost):
        return [""] * len(chats)
    finally:
        await child.close()
    return [str(text) for text in found["texts"]]


def answered(request: dict[str, Any]) -> dict[str, Any]:
    """`{template, chats, tools}` → `{texts}`."""
    return {"texts": [_rendered(request["template"], chat, request["tools"]) for chat in request["chats"]]}


def _rendered(template: str, chat: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _json
    environment.globals.update(raise_exception=_refused, strftime_now=lambda form: "2026-01-01")
    try:
        if len(template) > LONGEST:
            return ""
        text = environment.from_string(template).render(
            messages=chat, tools=tools, bos_token="", eos_token="", add_generation_prompt=chat[-1]["role"] == "user"
        )
    except Exception:
        # Whatever a template does: one that cannot be rendered tells nothing.
        return ""
    return text if len(text) <= LONGEST else ""


def _json(value: Any, ensure_ascii: bool = False, indent: int | None = None, **others: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)


def _refused(why: str) -> None:
    raise ValueError(why)


if __name__ == "__main__":
    serve(answered, memory=MEMORY)
