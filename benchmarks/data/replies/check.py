"""Check the reply sets of this folder: fields, ids, balance, doubles, quotations; prints the counts."""

import json
import sys
from collections import Counter
from pathlib import Path

FIELDS = {"id", "language", "kind", "form", "tools", "schemas", "messages", "reply", "quoted"}
CALL_FIELDS = FIELDS | {"calls", "family", "split"}
LANGUAGES = {"ko": 7, "en": 6, "mixed": 2}  # lines a kind in dev and in test; calls hold twice as many a split
WINDOW = 16  # characters in a row that a quotation shares with what the model had read


def load(name: str) -> list[dict]:
    """The lines of one file."""
    return [json.loads(line) for line in (Path(__file__).parent / f"{name}.jsonl").read_text("utf-8").splitlines()]


def shares(reply: str, messages: list[dict]) -> bool:
    """Whether a stretch of the reply stands in the messages."""
    read = "\n".join(message["content"] for message in messages)
    return any(reply[i : i + WINDOW] in read for i in range(max(1, len(reply) - WINDOW + 1)))


def faults_of(line: dict) -> list[str]:
    """What is wrong with one line, a sentence each."""
    wrong = []
    if set(line) != (CALL_FIELDS if line["kind"] == "call" else FIELDS):
        wrong.append(f"fields are {sorted(line)}")
    if list(line["schemas"]) != line["tools"] or not 2 <= len(line["tools"]) <= 5:
        wrong.append("tools and schemas differ")
    if line["messages"][-1]["role"] not in ("user", "tool") or not line["reply"].strip():
        wrong.append("the last message is the model's own, or the reply is empty")
    if line["quoted"] and not shares(line["reply"], line["messages"]):
        wrong.append("the quoted text is not in the messages")
    for call in line.get("calls", []):
        schema = line["schemas"][call["name"]]
        if not set(schema["required"]) <= set(call["arguments"]) <= set(schema["properties"]):
            wrong.append(f"the call of {call['name']} does not fit its schema")
    return [f"{line['id']}: {fault}" for fault in wrong]


def main() -> int:
    """Print the counts and the faults; 1 when there is a fault."""
    files = {name: load(name) for name in ("dev", "test", "fresh", "calls")}
    lines = [line for part in files.values() for line in part]
    faults = [fault for line in lines for fault in faults_of(line)]
    for seen in (Counter(x["id"] for x in lines), Counter("".join(x["reply"].split()) for x in lines)):
        faults += [f"twice: {text[:60]}" for text, count in seen.items() if count > 1]
    for name, part in files.items():
        groups = Counter((x.get("split", name), x["kind"], x["language"]) for x in part)
        times = 2 if name == "calls" else 1
        faults += [f"{k}: {n} lines" for k, n in groups.items() if k[0] != "fresh" and n != times * LANGUAGES[k[2]]]
        print(name, len(part), *(dict(Counter(x[f] for x in part)) for f in ("language", "kind", "form", "quoted")))
    print(*faults, f"{len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
