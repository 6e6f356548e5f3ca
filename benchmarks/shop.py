"""Plain questions over a small business's tables and documents, as a newcomer asks them, answered by the bundled model.

    python benchmarks/shop.py                    # all of dev, team `workplace`
    python benchmarks/shop.py --set clinic --split test --quiet
    python benchmarks/shop.py --kept FILE      # what was asked before costs nothing

All files of `benchmarks/data/shop`, or of another set, are taken in, and each question goes to the whole team, which is
told neither table nor document. Of two turns the last answer counts. `asked`: the person was asked who is to work, or
which of several things is meant; the others as `data/shop/source/score.py` has them.
"""

import argparse
import asyncio
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

from model_replies import keep

from dure import Dure
from dure.app import DEFAULT_OWNER
from dure.errors import DureError
from dure.knowledge.files import files_of
from dure.texts import TEXTS

TEXT = TEXTS["data_questions.text"]
_NONE = re.compile("|".join(said for key in ("none_else", "no_condition") for said in TEXT[key].values()))
DATA = Path(__file__).parent / "data"
sys.path.insert(0, str(DATA / "shop" / "source"))
from score import KINDS, judge, load, names  # noqa: E402


async def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--set", choices=["shop", "clinic"], default="shop")
    options.add_argument("--split", choices=["dev", "test"], default="dev")
    options.add_argument("--every", type=int, default=1, help="only each N-th question")
    options.add_argument("--kind", choices=KINDS, help="only questions of this kind")
    options.add_argument("--id", nargs="*", help="only these questions")
    options.add_argument("--team", default="workplace")
    options.add_argument("--kept", type=Path, help="a file for the model's replies")
    options.add_argument("--quiet", action="store_true", help="totals alone")
    given = options.parse_args()
    keep(given.kept)
    of_set = DATA / given.set
    files = names(of_set)
    cases = [each for each in load(of_set) if each["split"] == given.split and given.kind in (None, each["kind"])]
    cases = [each for each in cases if not given.id or each["id"] in given.id][:: given.every]
    came: dict[str, Counter[str]] = defaultdict(Counter)
    spent = []
    with tempfile.TemporaryDirectory() as folder:
        async with Dure(data_dir=Path(folder)) as dure:
            own = [
                each for each in files_of([of_set]) if each[1].parent == of_set and each[1].suffix not in (".jsonl",)
            ]
            await dure.take_in(DEFAULT_OWNER, [each for each in own if each[0] != "README.md"], embedded=True)
            for case in cases:
                started = time.perf_counter()
                try:
                    for turn in case["turns"]:
                        answer = await dure.chat(turn, team=given.team, session_id=case["id"])
                except DureError as error:
                    print(f"not asked: {case['id']}: {error.code}")
                    continue
                spent.append(time.perf_counter() - started)
                # That a reading has no other conditions is no refusal.
                text = _NONE.sub("", answer.response)
                outcome = "asked" if answer.metadata.get("choices") else judge(case, text, files)
                came[case["kind"]][outcome] += 1
                if not given.quiet:
                    said = " ".join(answer.response.partition("```")[0].split())[:500]
                    print(f"{case['id']} {case['kind']}: {' / '.join(case['turns'])}")
                    print(f"    {spent[-1]:.0f} s  {outcome} by {', '.join(answer.agents)}: {said}")
                    print(f"    wanted: {case['answer']}", flush=True)
    for kind, counts in [*came.items(), ("all", sum(came.values(), Counter[str]()))]:
        print(f"{kind:10} {counts.total():3}: " + ", ".join(f"{name} {n}" for name, n in counts.most_common()))
    print(f"seconds a question: median {sorted(spent)[len(spent) // 2]:.0f}")


if __name__ == "__main__":
    asyncio.run(main())
