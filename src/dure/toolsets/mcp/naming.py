"""Names under which models see MCP tools: valid for OpenAI-compatible servers, and each only once."""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable

_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST = 64


def valid(name: str) -> str:
    """`name` with every foreign character as `_`; with a hash at the end where it was too long or nothing was left."""
    plain = _FOREIGN.sub("_", name)
    return plain if len(plain) <= _LONGEST and plain.strip("_") else _hashed(plain, name)


def unique_names(tools: Iterable[tuple[str, str]], taken: Collection[str] = ()) -> dict[tuple[str, str], str]:
    """A name for each (server, tool), in order.

    A tool keeps its own name. Where several servers have one of that name, or it is `taken`, each of them gets its
    server's name before it: `server_tool`.
    """
    pairs = list(dict.fromkeys(tools))
    count = Counter(valid(tool) for _, tool in pairs)
    names: dict[tuple[str, str], str] = {}
    used = set(taken)
    # Tools that keep their names come first, so that no prefixed name takes one from them.
    for pair in sorted(pairs, key=lambda each: count[valid(each[1])] > 1 or valid(each[1]) in taken):
        server, tool = pair
        plain = valid(tool)
        name = plain if count[plain] == 1 and plain not in taken else valid(f"{server}_{tool}")
        if name in used:
            name = _hashed(name, f"{server}\0{tool}")
        used.add(name)
        names[pair] = name
    return {pair: names[pair] for pair in pairs}


def _hashed(plain: str, whole: str) -> str:
    mark = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain[: _LONGEST - 9]}_{mark}"
