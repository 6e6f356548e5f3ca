"""What a model gets to read of a session: the last turns within a token budget, a summary of those before.

A session's transcript only grows; what is read of it does not. When the turns outgrow the budget, the older half
is summarised once, after the answer was given, and the summary is kept with the session.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, count, dropwhile, pairwise, takewhile, zip_longest
from typing import Any

import sqlalchemy as sa

from dure.agents import Earlier
from dure.agents.citing import EARLIER
from dure.agents.outgoing import SUMMARY
from dure.errors import DureError, UnknownModel
from dure.knowledge.claims import cited_in
from dure.knowledge.markers import without_markers
from dure.knowledge.sentences import cut_at
from dure.language import language_of_message
from dure.messages import Message, assistant, system, user
from dure.models import Model, Models
from dure.settings import Settings
from dure.sources import Citation, Passage
from dure.storage import Database, runs, sessions
from dure.teams import Team
from dure.texts import TEXTS

_LEFT_OUT = TEXTS.one("runs_history.cut")
_LINE = 160
"""Characters of a turn in a summary made without a model."""
_SUMMARY = 1500
"""Characters of a summary at most."""
_RULE = (
    "Summarise the conversation in at most 150 words, in its language: "
    "facts, decisions, open questions, names, numbers."
)
_RUNS = 10
"""Earlier runs whose results are looked at."""
_BUDGET, _MOST_BUDGET, _PART = 2000, 16_000, 6
"""Tokens of earlier turns in each request: at least and at most, and which part of a model's window."""
_LEAST = 4
"""Tokens of the shortest message."""
_ALL = 1_000_000
"""Messages: more than a session has."""
_READ = 120_000
"""Characters that a model reads at most to summarise."""


def tokens_of(text: str) -> int:
    """About how many tokens a text has: 0.75 a Hangul syllable, a quarter of any other character.

    Measured on Korean and English prose with the Qwen2.5 tokenizer, right within a fifth; no tokenizer is loaded.
    """
    hangul = sum("가" <= c <= "힣" for c in text)
    return round(hangul * 0.75 + (len(text) - hangul) * 0.25) + _LEAST


def budget_of(settings: Settings, models: Models, teams: Mapping[str, Team], row: dict[str, Any]) -> int:
    """Tokens of earlier turns in a request of the row's run, such as fit into each of its models' windows."""
    if settings.history_tokens is not None:
        return settings.history_tokens
    team = teams.get(row["team"])
    named = row["options"].get("model")
    own = [agent.model for agent in team.agents if agent.model] if team and not named else []
    try:
        window = models.window([named or (team.model if team else None), *own])
    except UnknownModel:
        # The run itself ends with it.
        window = None
    return max(_BUDGET, min((window or 0) // _PART, _MOST_BUDGET))


def within(rows: Sequence[dict[str, Any]], budget: int, *, cut: bool = True) -> list[dict[str, Any]]:
    """The last messages that fit into `budget` tokens, beginning with a user's; cut: the last question that was
    answered and its answer in any case, cut to their places."""
    sizes = accumulate(tokens_of(row["content"]) for row in reversed(rows))
    fit = sum(1 for _ in takewhile(lambda size: size <= budget, sizes))
    taken = [*dropwhile(lambda row: row["role"] != "user", rows[len(rows) - fit :])]
    if cut and all(row["role"] == "user" for row in taken):
        answered = next((at for at in reversed(range(len(rows))) if rows[at]["role"] == "assistant"), 0)
        if answered and rows[answered - 1]["role"] == "user":
            asked, answer, after = rows[answered - 1], rows[answered], rows[answered + 1 :]
            asked = _cut(asked, max(budget - tokens_of(answer["content"]), budget // 4))
            return [asked, _cut(answer, budget - tokens_of(asked["content"])), *after]
    return taken


def _cut(row: dict[str, Any], most: int) -> dict[str, Any]:
    """A message in at most about `most` tokens: its beginning and its end, and how much is missing between them."""
    text = row["content"]
    if (size := tokens_of(text)) <= most:
        return row
    mark, room = _LEFT_OUT[language_of_message(text)], len(text) * max(most, 0) // size
    while True:
        # Two thirds are its beginning. Korean takes more tokens a character than what stands beside it.
        begin = cut_at(text, 0, room * 2 // 3)
        end = len(text) - room // 3
        end = end + 1 + text[end : end + _LINE].find(" ")
        shown = f"{text[:begin].rstrip()}\n\n{mark.format(count=end - begin)}\n\n{text[end:].lstrip()}"
        if tokens_of(shown) <= most or room < 2:
            return row | {"content": shown}
        room = room * 9 // 10


@dataclass(slots=True)
class History:
    """A session so far. `turns`: as messages for a model, the summary of what was cut first, the sources of all answers
    counted through. `outgrown`: whether a new summary is due. `last_answer`: the last answer, whole."""

    turns: list[Message] = field(default_factory=list)
    plain: list[Message] = field(default_factory=list)
    """The same for a small model: only the last answer has its sources."""
    outgrown: bool = False
    last_answer: str = ""
    images: Sequence[str] = ()
    """Names of the pictures that came with the last message."""
    summary: str | None = None
    summarized_to: int = 0
    """The summary that the turns begin with, and the id of the last message in it."""
    budget: int = 0
    """In tokens, in which it was read."""


def read_history(
    connection: sa.Connection,
    owner: str,
    session_id: str,
    state: sessions.State | None,
    budget: int,
    before_run: str = "",
    *,
    cut: bool = True,
) -> History:
    """What to know of a session in that state. before_run: whose own message is left out. cut: as of `within`."""
    if state is None:
        return History(budget=budget)
    # One more than could ever fit, so that what has outgrown the budget is seen to.
    most = budget // _LEAST + 2
    rows = sessions.last_messages(connection, owner, session_id, state.summarized_to, most)
    rows = [row for row in rows if row["run_id"] != before_run]
    kept = within(rows, budget, cut=cut)
    turns, plain = _paired(_counted(connection, owner, kept)), _paired(_counted(None, owner, kept))
    images = runs.images(connection, owner, rows[-1]["run_id"]) if rows else ()
    outgrown = sum(tokens_of(r["content"]) for r in rows) > budget
    # All may be summarised already.
    newest = rows or sessions.last_messages(connection, owner, session_id, 0, 3)
    answers = [r["content"] for r in newest if r["role"] == "assistant" and r["run_id"] != before_run]
    last_answer = answers[-1] if answers else ""
    if state.summary:
        # As a pair of turns, since a second system message is refused by some chat templates.
        note = [user(f"{SUMMARY}\n{state.summary}"), assistant("OK.")]
        turns, plain = [*note, *turns], [*note, *plain]
    return History(turns, plain, outgrown, last_answer, images, state.summary, state.summarized_to, budget)


def read_earlier(connection: sa.Connection, owner: str, session_id: str, before_run: str) -> list[Earlier]:
    """The last answered runs of the session, newest first, without `before_run`."""
    rows = sessions.last_messages(connection, owner, session_id, 0, 2 * _RUNS)
    answers = {row["run_id"]: row["content"] for row in reversed(rows) if row["role"] == "assistant"}
    answers.pop(before_run, None)
    earlier = {run_id: Earlier(answer) for run_id, answer in answers.items()}
    for row in sessions.told(connection, owner, list(earlier), "tool_finished", "cited"):
        if "citations" in row["data"]:
            earlier[row["run_id"]].citations = [Citation(**each) for each in row["data"]["citations"]]
        elif row["data"]["status"] == "ok":
            its, data = earlier[row["run_id"]], row["data"]
            its.found.append((data["name"], data.get("data")))
            its.passages += [Passage(**each) for kind in ("passages", "places") for each in data.get(kind) or ()]
            its.told += [] if data.get("passages") else [data["text"]]
    return list(earlier.values())


def _paired(rows: list[dict[str, Any]]) -> list[Message]:
    """Messages with roles alternating: a question that never got its answer is left out."""
    turns: list[Message] = []
    for row, following in zip_longest(rows, rows[1:]):
        if row["role"] == "assistant":
            turns.append(assistant(row["content"]))
        elif following is not None and following["role"] == "assistant":
            turns.append(user(row["content"]))
    return turns


def _counted(connection: sa.Connection | None, owner: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages with their answers' sources, each of which counts from 1, counted through from behind `EARLIER` on as
    `read_earlier` has them, the last one's first. Those beyond it, or without `connection` all but the last, have no
    markers."""
    answers = [row for row in reversed(rows) if row["role"] == "assistant"]
    near = [row["run_id"] for row in rows[2 - 2 * _RUNS :]]
    marked = connection is not None and any(cited_in(row["content"]) for row in answers)
    told = sessions.told(connection, owner, near, "cited") if connection is not None and marked else []
    cited = {row["run_id"]: len(row["data"]["citations"]) for row in told}
    texts, before = dict[int, str](), EARLIER
    for row in answers:
        known = cited.get(row["run_id"], 0)
        texts[row["id"]] = _from(before + 1, row["content"], known) if known else unmarked(row["content"])
        before += known
    kept = {row["id"]: row["content"] for row in answers[:1] if row["run_id"] not in cited}
    return [row | {"content": (texts | kept).get(row["id"], row["content"])} for row in rows]


def _from(first: int, answer: str, known: int) -> str:
    """An answer that cites `known` sources, with these counted from `first`."""
    plain, marks = without_markers(answer, known)
    places = [0, *(place for place, _, _ in marks), len(plain)]
    told = [f"{blank}[{', '.join(str(first - 1 + n) for n in numbers)}]" for _, blank, numbers in marks]
    return "".join(plain[at:to] + mark for (at, to), mark in zip(pairwise(places), [*told, ""], strict=True))


def unmarked(answer: str) -> str:
    """An answer without its markers, where what they count does not stand beside it."""
    numbers = cited_in(answer)
    return without_markers(answer, next(n for n in count(1) if n not in numbers) - 1)[0]


async def shorten(database: Database, model: Model | None, owner: str, session_id: str, budget: int) -> None:
    """Summarise the older turns when the session has outgrown its budget; the newer half stays as it is. model: that
    writes the summary; None: it is the beginnings of what was said."""
    session = await database.read(sessions.get, owner, session_id)
    if session is None:
        return
    rows = await database.read(sessions.last_messages, owner, session_id, session["summarized_to"], _ALL)
    if sum(tokens_of(r["content"]) for r in rows) <= budget:
        return
    kept = within(rows, budget // 2)
    older = rows[: len(rows) - len(kept)]
    if not older:
        return
    summary = await _summary(model, session["summary"], older)
    # What was cut or summarised while the model wrote stands.
    await database.write(
        sessions.summarize, owner, session_id, summary, session["summarized_to"], up_to=older[-1]["id"]
    )


async def _summary(model: Model | None, before: str | None, rows: list[dict[str, Any]]) -> str:
    lines = [f"{'Q' if r['role'] == 'user' else 'A'}: {' '.join(r['content'].split())}" for r in rows]
    plain = "\n".join([*(before.splitlines() if before else []), *(line[:_LINE] for line in lines)])[-_SUMMARY:]
    if model is None:
        return plain
    longest = max(_LINE, min(2000, _READ // len(lines)))
    text = "\n".join(filter(None, [before, *(line[:longest] for line in lines)]))
    try:
        asked = await model.ask([system(_RULE), user(text)], max_tokens=400)
    except DureError:
        return plain
    return asked.reply.content.strip()[:_SUMMARY] or plain
