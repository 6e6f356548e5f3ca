"""How well and how fast calls are read out of models' text, without being told which model wrote it.

    python benchmarks/parsing.py                 # the fixtures of canitoolcall, texts without a call, times, growth
    python benchmarks/parsing.py CASES.jsonl …   # recorded cases of one's own, in the shape of those fixtures

A case is right when canitoolcall's own checks say so: names and arguments, what is left for the reader, the reasoning,
nothing leaked, no call where none should be; white space around text does not count. Told means read with what a server
tells: that the reply ended at its length limit, and that its prompt opened the reasoning. Streamed means cut into
fragments of one character and, by a fixed seed, of one to eight. Recorded replies are also changed, quoted and broken
(parsing_cases.py), and everyday replies that only talk of calls (data/replies) are read with what the model had read.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from canitoolcall.checks import NONSTREAM, run_checks
from canitoolcall.fixtures import Fixture, load_families, load_fixtures
from canitoolcall.results import Observation, ParsedToolCall, ParseResult, Status, worst_status
from parsing_cases import FRAMES, MUTATIONS, PLACED, broken, lost
from rich.console import Console
from rich.table import Table

from dure.dialects import DIALECTS, Reply, ToolCallParser
from dure.dialects.formats.base import THINK
from dure.dialects.quotations import Heard
from dure.dialects.text import compact
from dure.messages import Delta

ROOT = Path(__file__).parent.parent
KORQUAD = ROOT.parent / "shared" / "data" / "KorQuAD_v1.0_dev.json"
PUBLISHED = {"vLLM": (354, 469), "llama.cpp": (324, 438)}
"""Right cases of engines that are told the model, as canitoolcall 0.1.1 publishes them."""
REPLIES = Path(__file__).parent / "data" / "replies"
WANTED_CHANGED = 0.97
SEED = 20260101
WANTED_ALL, WANTED_FAMILY = 0.95, 0.90
WANTED_MICROSECONDS = {1024: 200.0, 51_200: 10_000.0}
"""200 µs a KB."""
MICROSECONDS_A_CALL = 25.0
"""What each call beyond the first may cost besides: its name, arguments and id."""
WANTED_GROWTH = 3.0
"""Twice the length may take at most so many times as long; linear is 2, quadratic 4."""

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": name,
            "parameters": {"type": "object", "properties": {key: {"type": "string"}}, "required": [key]},
        },
    }
    for name, key in (("search", "query"), ("calculate", "expression"), ("get_weather", "city"), ("read_file", "path"))
]

ANSWERS = [
    "안녕하세요! 무엇을 도와드릴까요?",
    "연차는 15일입니다.\n\n- 1년 미만: 월 1일\n- 3년 이상: 20일\n\n출처: 인사규정.pdf",
    '{"name": "홍길동", "age": 31, "city": "서울"}',
    '[{"name": "search", "count": 3}, {"name": "calculate", "count": 1}]',
    '```json\n{"action": "approve", "reason": "예산 안"}\n```',
    "도구를 부르려면 `Action: search` 라고 씁니다.",
    '형식은 다음과 같습니다:\n\n```\nAction: search\nAction Input: {"query": "휴가"}\n```\n\n이렇게 쓰면 됩니다.',
    '예를 들면:\n\n```json\n{"name": "search", "arguments": {"query": "휴가"}}\n```\n\n이 JSON을 보내면 됩니다.',
    "The tag <tool_call> opens a call and </tool_call> closes it.",
    "> Action: search\n> Action Input: {}\n\nThat is what the log says.",
    "Use search(query) to look things up, and calculate(expression) for sums.",
    "def search(query):\n    return calculate(query)\n",
    "Final Answer: search는 문서를 찾는 도구입니다.",
    "| tool | use |\n|---|---|\n| search | 문서 검색 |\n| calculate | 계산 |",
    "수식 $\\{x \\mid x > 0\\}$ 와 집합 [a, b], f(x) = {1, 2}",
    '<think>I could call search, e.g. <tool_call>{"name": "search", "arguments": {}}</tool_call></think>아니요.',
    "질문: 휴가는?\n답변: 15일\n질문: 병가는?\n답변: 30일",
    "Observation: 표본이 적다.\nThought experiments help.\nAction items: none.",
    '"<tool_call>{"name": "search"}" 라는 문자열이 로그에 있습니다.',
    "",
    " \n ",
]

HOSTILE = {
    "<tool_call> again and again": "<tool_call>",
    "calls that never end": '<tool_call>{"name": "search", "arguments": {"query": "',
    "open braces": "{",
    "open brackets": '{"name": "search", "arguments": [[',
    "keys without values": '{"name":',
    "quotes": '{"name": "',
    "bad escapes": '{"name": "\\',
    "labels": "\nAction: search\nAction Input: ",
    "labels and braces": '\nAction: search\nAction Input: {"a": ',
    "fences": '\n```json\n{"name": ',
    "backticks": "`",
    "</think>": "</think>",
    "parameters": "<function=search><parameter=query>",
    "parameters closed wrongly": "<function=search>\n<parameter=query>\n</parameter> x ",
    "invoke": '<invoke name="search"><parameter name="query">',
    "DeepSeek": "<｜tool▁call▁begin｜>",
    "Mistral": "[TOOL_CALLS][",
    "Gemma": "<|tool_call>call:search{query:",
    "harmony": "<|channel|>commentary to=functions.search <|message|>",
    "names": "\nsearch {",
    "Python": '[search(query="',
    "spaces": " ",
    "newlines": "\n",
    "bold bullets": "\n- **Action",
}


def whole(case: Fixture) -> ParseResult:
    """The case's text, read in one go."""
    parsed = ToolCallParser(case.tools).parse(case.raw_output)
    return ParseResult(
        content=parsed.content or None, reasoning_content=parsed.thought or None, tool_calls=calls_of(parsed)
    )


def calls_of(reply: Reply) -> tuple[ParsedToolCall, ...]:
    """The calls that run: one with an error goes back to the model."""
    return tuple(ParsedToolCall(call.name, compact(call.args)) for call in reply.tool_calls if call.error is None)


def told(case: Fixture) -> ParseResult:
    """The case's text, read with what its server and its model's template tell."""
    prompt = (case.generation_prompt or "").rstrip()
    opened = prompt.endswith(tuple(THINK)) or "x-think-no-open-tag" in case.tags
    reader = DIALECTS["text"].reader([dict(tool) for tool in case.tools], reasoning=opened)
    reader.feed(Delta(case.raw_output, finish_reason="length" if case.truncated else "stop"))
    return of_reply(reader.finish())


def streamed(case: Fixture, fragments: Iterable[str]) -> tuple[ParseResult, bool]:
    """The case's text, read as it comes, and whether what was shown on the way is the content in the end."""
    reader = DIALECTS["text"].reader([dict(tool) for tool in case.tools])
    pieces = [piece for fragment in fragments for piece in reader.feed(Delta(fragment))]
    reply = reader.finish()
    pieces += reply.rest
    shown = "".join(piece.text for piece in pieces if piece.kind == "text")
    return of_reply(reply), shown == reply.content or reply.prefilled


def of_reply(reply: Reply) -> ParseResult:
    thought = "\n".join(part for part in (reply.reasoning, reply.thought) if part)
    return ParseResult(content=reply.content or None, reasoning_content=thought or None, tool_calls=calls_of(reply))


def cut(text: str, longest: int) -> Iterator[str]:
    """Fragments of one to `longest` characters, always the same."""
    chance = random.Random(SEED)
    at = 0
    while at < len(text):
        size = chance.randint(1, longest)
        yield text[at : at + size]
        at += size


def judge(cases: list[Fixture], console: Console) -> bool:
    """Print the table by family; whether the figures wanted are reached."""
    families = load_families()
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    wrong = []
    for case in cases:
        result = whole(case)
        row = rows[case.family]
        row["cases"] += 1
        detail = fault(case, families.get(case.family), result)
        row["right"] += not detail
        row["told"] += not fault(case, families.get(case.family), told(case))
        row["calls"] += calls_right(case, result)
        both = [streamed(case, cut(case.raw_output, longest)) for longest in (1, 8)]
        row["streamed"] += all(other == result for other, _ in both)
        row["shown"] += all(same for _, same in both)
        if detail:
            wrong.append((case.id, detail))
    table = Table("family", "cases", "right", "%", "told", "calls alone", "streamed = whole", "shown = content")
    total: Counter[str] = Counter()
    for family, row in sorted(rows.items()):
        total.update(row)
        table.add_row(family, *_cells(row))
    table.add_row("all", *_cells(total), style="bold")
    console.print(table)
    for name, (good, out_of) in PUBLISHED.items():
        console.print(f"{name}, told the model: {good} of {out_of} = {good / out_of:.1%}")
    for ident, detail in wrong:
        console.print(f"  wrong: {ident}: {detail}", style="dim", markup=False)
    reached = total["right"] >= WANTED_ALL * total["cases"] and total["streamed"] == total["cases"]
    return reached and all(row["right"] >= WANTED_FAMILY * row["cases"] for row in rows.values())


def fault(case: Fixture, family: Any, result: ParseResult) -> str:
    """What canitoolcall's checks say against it; nothing where it is right."""
    checks = run_checks(case, family, Observation(nonstream=result, streams={}))
    status = worst_status(check.status for check in checks if check.strategy == NONSTREAM)
    right = status in (Status.PASS, Status.SOFT_PASS)
    return "" if right else next(str(check.detail) for check in checks if check.status == status)


def calls_right(case: Fixture, result: ParseResult) -> bool:
    """Whether the calls are right, whatever became of the text around them."""
    if case.expected is None:
        return not result.tool_calls
    want = [(call.name, dict(call.arguments)) for call in case.expected.tool_calls]
    return [(call.name, call.arguments()) for call in result.tool_calls] == want


def _cells(row: Counter[str]) -> list[str]:
    good = row["right"] / row["cases"]
    return [
        str(row["cases"]),
        str(row["right"]),
        f"{good:.1%}",
        str(row["told"]),
        str(row["calls"]),
        str(row["streamed"]),
        str(row["shown"]),
    ]


def without_calls(console: Console) -> bool:
    """Count calls found in texts that hold none."""
    texts = list(ANSWERS)
    texts += [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("docs/*.md")) if path.stem != "dialects"]
    texts += [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("src/dure/a*/*.py"))]
    if KORQUAD.exists():
        data = json.loads(KORQUAD.read_text(encoding="utf-8"))["data"]
        texts += [paragraph["context"] for article in data for paragraph in article["paragraphs"]]
    found = [text for text in texts if ToolCallParser(TOOLS).parse(text).tool_calls]
    anything = [text for text in texts if ToolCallParser(None).parse(text).tool_calls]
    console.print(
        f"texts without a call: {len(texts)}; calls found: {len(found)}; with any name known: {len(anything)}"
    )
    for text in [*found, *anything]:
        console.print(f"  {text[:120]!r}", style="dim", markup=False)
    return not found and not anything


def runs(text: str, tools: Any, heard: list[str] | None = None, dialect: str = "text") -> list[tuple[str, str]]:
    """The calls in a reply that would run, their arguments as JSON. heard: what the model had read."""
    reader = DIALECTS[dialect].reader([dict(tool) for tool in tools])
    if heard is not None:
        reader.mind(Heard(heard))
    reader.feed(Delta(text))
    return [(call.name, compact(call.args)) for call in reader.finish().tool_calls if call.error is None]


def changed(cases: list[Fixture], console: Console) -> bool:
    """Print how many recorded calls are read in replies that were changed, quoted and broken."""
    calls = [case for case in cases if runs(case.raw_output, case.tools)]
    table = Table(
        "change", "calls read", "quoted in", *DIALECTS, "alone", title=f"{len(calls)} recorded replies with calls"
    )
    good = True
    rows = zip_longest(MUTATIONS.items(), FRAMES.items())
    for change, frame in rows:
        cells = ["", ""]
        if change is not None:
            same = [runs(change[1](case.raw_output), case.tools) == changed_calls(case, change[0]) for case in calls]
            good = good and sum(same) >= WANTED_CHANGED * len(same)
            cells = [change[0], f"{sum(same) / len(same):.1%}"]
        quoted = [
            sum(bool(runs(frame[1](case.raw_output), case.tools, [case.raw_output], each)) for case in calls)
            for each in DIALECTS
        ]
        good = good and not any(quoted)
        # Without knowing what the model had read, a sentence before or behind a call is no frame at all.
        alone = sum(bool(runs(frame[1](case.raw_output), case.tools)) for case in calls) if frame[0] in PLACED else "–"
        table.add_row(*cells, frame[0], *map(str, quoted), str(alone))
    console.print(table)
    tried = silent = 0
    for case in calls:
        parser = ToolCallParser(case.tools)
        had = [(call.name, call.args) for call in parser.parse(case.raw_output).tool_calls if call.error is None]
        for text in broken(case.raw_output, len(case.raw_output), 40):
            tried += 1
            silent += bool(lost(text, parser.parse(text).tool_calls, case.raw_output, had))
    console.print(f"calls with a part dropped, renamed, nested or doubled: {tried}; arguments lost silently: {silent}")
    return good and not silent


def changed_calls(case: Fixture, change: str) -> list[tuple[str, str]]:
    """The calls of a recorded reply, as they are once its lines end otherwise."""
    return [
        (name, args.replace("\\r\\n", "\\n") if change == "CRLF" else args)
        for name, args in runs(case.raw_output, case.tools)
    ]


def replies(console: Console, part: str = "dev") -> bool:
    """Print how many everyday replies run a call, and how many calls of the model's own are missed."""
    good = True
    for name in (part, "calls"):
        lines = map(json.loads, (REPLIES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
        lines = [line for line in lines if line.get("split", part) == part]
        wrong = []
        for line in lines:
            tools = [{"function": {"name": n, "parameters": s}} for n, s in line["schemas"].items()]
            want = [(call["name"], compact(call["arguments"])) for call in line.get("calls", ())]
            heard = [message["content"] for message in line["messages"]]
            if any(runs(line["reply"], tools, heard, dialect) != want for dialect in DIALECTS):
                wrong.append(line["id"])
        console.print(f"replies, {name} ({part}): {len(lines)}; otherwise than meant: {len(wrong)} {' '.join(wrong)}")
        good = good and not wrong
    return good


def seconds(parser: ToolCallParser, text: str, rounds: int = 7) -> float:
    """CPU time, the shortest of several rounds: what the work costs whatever else runs."""
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        parser.parse(text)
        best = min(best, time.process_time() - started)
    return best


def times(console: Console) -> bool:
    """Print what ordinary replies cost."""
    parser = ToolCallParser(TOOLS)
    prose = "연차휴가는 근속년수에 따라 다릅니다 [1]. Use `x`, (a) and {b}.\n- 항목: 하나\n\n"
    call = 'Thought: 찾는다.\nAction: search\nAction Input: {{"query": "{}"}}'
    hermes = '<tool_call>\n{{"name": "search", "arguments": {{"query": "{}"}}}}\n</tool_call>'
    broken = "Action: search\nAction Input: {{query: '{}', }}"
    lines = {
        "label lines": "Action: 회의록을 정리해서 팀에 보냅니다\n담당: 김민수, 다음 월요일까지\n",
        "lines of actions": "Action: search\nAction Input: 휴가\n",
        "JSON rows": '{"name": "홍길동", "age": 31, "city": "서울"}\n{"id": 3, "type": "a", "title": "b (c) [d]"}\n',
        "unfenced code": "def search(query):\n    return {row['name']: calculate(row) for row in rows[0]}\n\n",
        "a table": "| search | 문서 검색 | {a} |\n",
    }
    kinds: dict[str, Callable[[int], str]] = {
        **{kind: lambda size, unit=unit: (unit * (size // len(unit) + 1))[:size] for kind, unit in lines.items()},
        "an answer": lambda size: (prose * (size // len(prose) + 1))[:size],
        "Thought/Action": lambda size: call.format("가" * (size - 60)),
        "<tool_call>": lambda size: hermes.format("a b " * (size // 4 - 20)),
        "malformed JSON": lambda size: broken.format("가 나 " * (size // 4 - 20)),
    }
    table = Table("reply", *(f"{size // 1024} KB, µs" for size in WANTED_MICROSECONDS))
    good = True
    for kind, make in kinds.items():
        cells = []
        for size, wanted in WANTED_MICROSECONDS.items():
            text = make(size)
            taken = seconds(parser, text) * 1e6
            calls = parser.parse(text).tool_calls
            good = good and taken <= wanted + MICROSECONDS_A_CALL * max(len(calls) - 1, 0)
            cells.append(f"{taken:.0f}")
        table.add_row(kind, *cells)
    console.print(table)
    console.print(
        "wanted: "
        + ", ".join(f"≤ {wanted:.0f} µs for {size // 1024} KB" for size, wanted in WANTED_MICROSECONDS.items())
        + f", {MICROSECONDS_A_CALL:.0f} µs more for each call beyond the first"
    )
    return good


def growth(console: Console) -> bool:
    """Print what hostile texts of twice the length cost."""
    parser = ToolCallParser(TOOLS)
    table = Table("hostile text", "50 KB, ms", "100 KB, ms", "growth")
    worst = 0.0
    for name, unit in HOSTILE.items():
        short, long = (seconds(parser, (unit * (size // len(unit) + 1))[:size], 5) * 1e3 for size in (50_000, 100_000))
        ratio = long / max(short, 0.5)
        worst = max(worst, ratio)
        table.add_row(
            name, f"{short:.1f}", f"{long:.1f}", f"{ratio:.1f}", style="red" if ratio > WANTED_GROWTH else None
        )
    console.print(table)
    return worst <= WANTED_GROWTH


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("cases", nargs="*", type=Path, help="JSON lines in the shape of canitoolcall's fixtures")
    arguments.add_argument("--part", default="dev", choices=("dev", "test", "fresh"), help="of the everyday replies")
    given = arguments.parse_args()
    console = Console()
    if given.cases:
        return 0 if judge(list(load_fixtures(given.cases)), console) else 1
    cases = list(load_fixtures())
    good = [judge(cases, console), changed(cases, console), replies(console, given.part)]
    good += [without_calls(console), times(console), growth(console)]
    console.print("all figures reached" if all(good) else "not all figures reached", style="bold")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
