"""What a server will not take, found out by asking it a tiny question with it and without it.

No sentence of a server's is believed: what it names is only tried first.
"""

from collections.abc import Callable, Collection
from contextlib import aclosing
from typing import Any

from dure.errors import ModelError
from dure.messages import Message
from dure.models.facts import Client
from dure.pictures import part, replaced

Body = dict[str, Any]

PROBE_TOOL = "dure_probe"
"""Name of the dummy tool."""
PROBE_ARGS = {"number": 4217}
"""Its argument, which has to arrive: some servers hand on calls without what their parser did not read."""
QUESTION: list[Message] = [
    {"role": "system", "content": "Do exactly what is asked."},
    {"role": "user", "content": f"Call the tool {PROBE_TOOL} with the number {PROBE_ARGS['number']}. Say nothing."},
]
DIALECTAL = frozenset({"tools", "response_format"})
"""Changes that a dialect makes; they leave no sense to a request that needs them."""
IMAGES = "images"
UNSEEN = "(A picture belongs here that you cannot see: say so where it matters.)"
_WHITE = part(
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKUlEQVR42u3MQREAAAwCIPuX1hD7"
    "7SAA6VEEAoFAIBAIBAKBQCAQfA8Gpwvw4qrwDDIAAAAASUVORK5CYII="
)
_LEAST_TOKENS = 1024
"""The highest least `max_tokens` that a server is known to ask for."""
_LENGTH = ("context", "tokens")
"""One of these stands in what servers say of a request that is too long."""
_OTHER_REASONS = frozenset({401, 402, 403, 408, 425, 429})
"""Statuses of a refusal that no other form of the request would mend: key, quota, time, load."""


def _without(*names: str) -> Callable[[Body], Body]:
    return lambda body: {key: value for key, value in body.items() if key not in names}


def _more_tokens(body: Body) -> Body:
    names = {"max_tokens", "max_completion_tokens"} & body.keys()
    return {**body, **{name: max(body[name], _LEAST_TOKENS) for name in names}}


def _merged(body: Body) -> Body:
    """The system message before the first of the user's, in one turn."""
    first, *rest = body["messages"]
    if first["role"] != "system":
        return body
    at = next((n for n, each in enumerate(rest) if each["role"] == "user"), None)
    if at is None:
        return {**body, "messages": [{"role": "user", "content": first["content"]}, *rest]}
    said = rest[at]["content"]
    if isinstance(said, list):
        turn = {"role": "user", "content": [{"type": "text", "text": first["content"]}, *said]}
    else:
        turn = {"role": "user", "content": f"{first['content']}\n\n{said}"}
    return {**body, "messages": [*rest[:at], turn, *rest[at + 1 :]]}


CHANGES: dict[str, tuple[str, Callable[[Body], Body]]] = {
    "stream_options": ("stream_options", lambda body: {**body, "stream_options": None}),
    "cache_control": ("cache_control", _without("cache_control")),
    "temperature": ("temperature", _without("temperature")),
    "stop": ("stop", _without("stop")),
    "logprobs": ("logprobs", _without("logprobs", "top_logprobs")),
    "reasoning_effort": ("reasoning_effort", _without("reasoning_effort")),
    "least_tokens": ("max_tokens", _more_tokens),
    "max_completion_tokens": (
        "max_tokens",
        lambda body: {"max_completion_tokens" if key == "max_tokens" else key: body[key] for key in body},
    ),
    "max_tokens": ("max_tokens", _without("max_tokens", "max_completion_tokens")),
    IMAGES: ("image", lambda body: {**body, "messages": replaced(body["messages"], UNSEEN)}),
    "response_format": ("response_format", _without("response_format")),
    "tools": ("tool", _without("tools")),
    "system": ("system", _merged),
    "stream": ("stream", lambda body: {**body, "stream": False}),
}
"""What may be changed about a request, the least loss first: the word for it in servers' sentences, and how."""


def changed(body: Body, names: Collection[str]) -> Body:
    """The request body with those of `CHANGES` made."""
    for name, (_, change) in CHANGES.items():
        if name in names:
            body = change(body)
    return body


def too_long(error: ModelError) -> bool:
    """Whether a server says that a request is too long for its model; of an error that no tiny question meets."""
    said = str(error.details.get("reason")).lower()
    return may_be_form(error) and any(word in said for word in _LENGTH)


def may_be_form(error: ModelError) -> bool:
    """Whether another form of the same request might do: by the HTTP status, of the reply or inside its stream."""
    status = error.details.get("http_status") or error.details.get("upstream") or 0
    return 400 <= status <= 501 and status not in _OTHER_REASONS


async def find_out(
    client: Client, body: Body, reason: str, known: Collection[str] = (), kept: Collection[str] = ()
) -> dict[str, str]:
    """Which of `CHANGES` besides those `known` the server needs for requests such as `body`, which it refused for
    `reason`, each with what it said before; none where a tiny question in the same form does. kept: what is not to be
    changed. Raises what `Client.stream` does, other than refusals."""
    *rules, asked = QUESTION
    turn = dict(asked)
    if any(isinstance(each["content"], list) for each in body["messages"]):
        turn["content"] = [_WHITE, {"type": "text", "text": asked["content"]}]
    tiny = {**body, "messages": [*rules, turn] if body["messages"][0]["role"] == "system" else [turn]}
    said = await _refusal(client, changed(tiny, known))
    found: dict[str, str] = {}
    while said is not None:
        now = changed(tiny, {*known, *found})
        left = [name for name in CHANGES if name not in {*known, *found, *kept} and CHANGES[name][1](now) != now]
        if not left:
            return {}
        words = (said if found else f"{reason} {said}").lower().replace("_", "")
        name = min(left, key=lambda name: words.find(CHANGES[name][0].replace("_", "")) % len(words))
        found[name] = said
        said = await _refusal(client, changed(tiny, {*known, *found}))
    for name in list(found)[:-1]:
        # It may have gone for nothing, before what mattered.
        others = {each: why for each, why in found.items() if each != name}
        if await _refusal(client, changed(tiny, {*known, *others})) is None:
            found = others
    return found


async def _refusal(client: Client, body: Body) -> str | None:
    """What the server says against the form of the request; None where it begins to answer."""
    try:
        async with aclosing(client.stream(body)) as reply:
            async for _ in reply:
                break
    except ModelError as error:
        if not may_be_form(error):
            raise
        return str(error.details.get("reason"))
    return None
