"""Who is chosen to work on messages of strangers: right by kind, wrong among what was decided, effects unasked, time.

    python benchmarks/routing.py papers-dev workplace-dev            # the examples alone
    python benchmarks/routing.py papers-dev --model --limit 60       # with the model of the settings, else the bundled
    python benchmarks/routing.py newteam                             # teams with five examples an agent
    python benchmarks/routing.py library-dev --data FOLDER           # a library with the twelve papers of `reading`

`--wrong` lists what was wrong; not for the sets that nobody is to tune to (`*-test`, `newteam`).
"""

import argparse
import asyncio
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import quantiles
from typing import Any

import orjson
from model_replies import keep
from reading import library

from dure import Agent, Dure, Team
from dure.app import DEFAULT_OWNER
from dure.models import ChatClient, Model

DATA = Path(__file__).parent / "data/understanding"
Json = dict[str, Any]


def lines_of(name: str, limit: int | None) -> tuple[list[Json], list[Team]]:
    """The messages of a set, every so many where `limit` is less than all, and the teams that the set describes."""
    lines = [orjson.loads(line) for line in (DATA / f"{name}.jsonl").read_bytes().splitlines()]
    teams = [
        Team(
            name=line["team"],
            kind="supervisor",
            description=line["team"],
            agents=[Agent.model_validate(each) for each in line["agents"]],
        )
        for line in lines
        if "agents" in line
    ]
    asked = [line for line in lines if "message" in line]
    step = max(1, len(asked) // limit) if limit else 1
    return asked[::step][:limit], teams


async def judged(dure: Dure, team: str, line: Json) -> Json:
    """A message and who was chosen for it."""
    team = line.get("team", "papers" if team == "library" else team)
    chosen = await dure.route(line["message"], team, line.get("history", []))
    agents = chosen["agents"] or ["direct"]
    effects = {a.name for a in dure.teams[team].agents if a.name in EFFECTS}
    return {
        **line,
        **chosen,
        "agents": agents,
        "right": agents in rights_of(line),
        "unasked": bool(effects.intersection(agents) - set(line["expected"])) and not line["effect"],
    }


def rights_of(line: Json) -> list[list[str]]:
    return [line["expected"], *line.get("also", [])]


EFFECTS = {"save_file"}
"""Agents that do nothing but change things; others also look things up."""


def told(name: str, found: list[Json], wrong: bool) -> None:
    """Print the figures of a set."""
    print(f"\n{name}: {share(found)}")
    for field in ("kind", "language", "how", "team"):
        groups = defaultdict(list)
        for each in found:
            groups[each.get(field)].append(each)
        if len(groups) > 1:
            print(f"  {field}: " + " · ".join(f"{key} {share(group)}" for key, group in groups.items()))
    decided = [each for each in found if each["how"] != "person"]
    asked = [each for each in found if each["how"] == "person"]
    among = sum(any(name.split(" > ") in rights_of(each) for name in each["scores"]) for each in asked)
    print(f"  decided without the person: {share(decided)}; asked {len(asked)}, the right choice among those {among}")
    took = sorted(each["seconds"] for each in found)
    p50, p95 = took[len(took) // 2], quantiles(took, n=20)[-1]
    print(f"  effects unasked {sum(each['unasked'] for each in found)} · p50 {p50:.3f} s, p95 {p95:.3f} s")
    for each in found if wrong else []:
        if not each["right"]:
            text = " ".join(each["message"].split())[:70]
            print(f"    {each['kind']:9} {each['how']:9} {each['agents']} for {each['expected']}: {text}")


def share(found: Iterable[Json]) -> str:
    """How many are right of how many."""
    rights = [each["right"] for each in found]
    return f"{sum(rights)}/{len(rights)} = {sum(rights) / max(len(rights), 1):.1%}"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", choices=sorted(path.stem for path in DATA.glob("*.jsonl")))
    parser.add_argument("--model", action="store_true", help="ask the model where the examples are not sure")
    parser.add_argument("--limit", type=int, help="messages of each set")
    parser.add_argument("--wrong", action="store_true", help="list what was wrong")
    parser.add_argument("--out", type=Path, help="a folder for all results")
    parser.add_argument("--data", type=Path, help="a data folder for `library-*`, filled at the first time")
    parser.add_argument("--kept", type=Path, help="a file for replies; what is there is not asked again")
    given = parser.parse_args()
    asked = keep(given.kept)
    for name in given.sets:
        lines, teams = lines_of(name, given.limit)
        with tempfile.TemporaryDirectory() as folder:
            nobody = Model(ChatClient("http://127.0.0.1:9/v1", "nobody"), dialect="schema", small=True)
            more = {} if given.model else {"model": nobody}
            full = name.startswith("library")
            async with Dure(data_dir=given.data if full and given.data else folder, teams=teams, **more) as dure:
                if full and not await dure.knowledge.list(DEFAULT_OWNER):
                    await library(dure)
                found = [await judged(dure, name.rpartition("-")[0], line) for line in lines]
        told(name, found, given.wrong and name.endswith("-dev"))
        print("  " + ", ".join(f"{name} {n}" for name, n in asked.items()))
        if given.out:
            given.out.mkdir(parents=True, exist_ok=True)
            (given.out / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(each) + b"\n" for each in found))


if __name__ == "__main__":
    asyncio.run(main())
