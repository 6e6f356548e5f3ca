"""Registries: things that can be chosen by name, ours and anybody's.

    KINDS.add("debate", "my_package.debate:play")
    play = KINDS["debate"]

A value may be a place, `module:attribute`, which is imported when it is first asked for.
"""

from collections.abc import Awaitable, Callable, Iterator
from importlib import import_module
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class UnknownName(ValueError):
    """Nothing of that name; the sentence lists what there is."""


class Registry(Generic[T]):
    """What can be chosen by name. `what`: what it is, as the sentence about an unknown name says it."""

    def __init__(self, what: str, known: dict[str, T | str] | None = None) -> None:
        self._what = what
        self._known: dict[str, T | str] = dict(known or {})

    def add(self, name: str, value: T | str) -> None:
        """Make `value`, or what stands at the place `module:attribute`, known by `name`; the last one counts."""
        self._known[name] = value

    def __getitem__(self, name: str) -> T:
        """What is known by `name`. Raises UnknownName."""
        self.check(name)
        value = self._known[name]
        if isinstance(value, str):
            value = self._known[name] = load(value)
        return value

    def check(self, name: str) -> str:
        """`name`, without loading what it stands for. Raises UnknownName."""
        if name not in self._known:
            raise UnknownName(f"no {self._what} '{name}'; there are {', '.join(self._known)}")
        return name

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)


def load(place: str) -> Any:
    """What stands at `module:attribute`. Raises ImportError and AttributeError."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def late(place: str) -> Callable[..., Awaitable[Any]]:
    """The async function at `module:attribute`, loaded when it is first called, in a thread, since that takes long."""
    found: list[Callable[..., Awaitable[Any]]] = []

    async def call(*args: Any) -> Any:
        if not found:
            import asyncio

            found.append(await asyncio.to_thread(load, place))
        return await found[0](*args)

    return call
