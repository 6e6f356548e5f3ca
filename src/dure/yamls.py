"""YAML of whoever wrote it, read in bounds: what is nested deeply takes long to read, an alias within what it stands
for has no end, and aliases of aliases may stand for more than there is room for. Of a key that stands there twice
nobody knows which was meant."""

from typing import Any

import yaml

_DEEPEST = 50
_MOST = 100_000
"""Values of a text, what its aliases stand for among them."""


class BadYaml(ValueError):
    """`line`: from 1. The sentence is in English."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def read(text: str) -> tuple[Any, yaml.Node | None]:
    """What a YAML text holds, and the same as nodes, with their places; None for an empty one. Raises BadYaml."""
    line = 0
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return None, None
            line = node.start_mark.line
            return loader.construct_document(node), node
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        # What was begun and has no end is wrong where it begins.
        begun = error.context_mark if isinstance(error, yaml.scanner.ScannerError) else None
        mark = begun or error.problem_mark or error.context_mark
        raise BadYaml(mark.line + 1 if mark else 1, error.problem or "not YAML") from None
    except (yaml.YAMLError, ValueError) as error:
        # A number or a date that is none.
        raise BadYaml(line + 1, f"not YAML: {error}") from None


class _Loader(yaml.SafeLoader):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = self._count = 0
        self._sizes: dict[yaml.Node, int] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        before = self._count
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _refused("nested too deeply", event)
        node: Any = super().compose_node(parent, index)
        if isinstance(event, yaml.MappingStartEvent):
            seen = set[str]()
            for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
                if key.value in seen:
                    raise _refused(f"'{key.value}' stands there twice", key)
                seen.add(key.value)
        if not isinstance(event, yaml.AliasEvent):
            self._count += 1
            self._sizes[node] = self._count - before
        elif node in self._sizes:
            self._count += self._sizes[node]
        else:
            raise _refused("an alias within what it stands for", event)
        if self._count > _MOST:
            raise _refused("too much, as its aliases are written out", event)
        self._depth -= 1
        return node


def _refused(reason: str, event: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=reason, problem_mark=event.start_mark)
