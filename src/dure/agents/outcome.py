"""How agents and teams go from one step to the next, in graphs of LangGraph, and how their work ends."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Self, TypedDict

from dure.errors import DureError

Node = Callable[[Any, Any], Awaitable[Any]]
"""Takes the state and the context, and gives what changes of the state."""


@dataclass(slots=True)
class Outcome:
    """`status`: completed, stopped (a limit; the answer is partial, `reason` says why), cancelled (partial too), failed
    (`error`), or waiting (for what stands in the run's `questions`; played again once that is decided)."""

    status: str
    answer: str
    reason: str | None = None
    error: dict[str, Any] | None = None
    """Code and details, as `errors.restore` takes them."""
    response: str | None = None
    """The answer in the wanted format, where it is no plain text with sources."""

    @classmethod
    def failed(cls, error: DureError) -> Self:
        """The outcome of work that failed with `error`."""
        return cls("failed", "", error=error.kept())


class Going(TypedDict, total=False):
    """What the state of each graph holds. Nodes decide and write it, edges only read it."""

    status: str
    """What comes next: a node, or how the work ended, with the rest as in `Outcome`."""
    answer: str
    reason: str | None
    error: dict[str, Any] | None
    response: str | None


@cache
def graph_of(state: type[Any], context: type[Any], *nodes: Node) -> Any:
    """The graph that begins with the first of the `nodes`, which are known by their names without a leading `_`."""
    # Two thirds of a second of CPU, paid by the first question.
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Command

    graph = StateGraph(state, context_schema=context)
    by_name = {node.__name__.removeprefix("_"): node for node in nodes}

    def leading(node: Node) -> Callable[..., Awaitable[Any]]:
        # A command, since an edge would read the whole state again.
        async def step(state: Any, runtime: Any) -> Any:
            update = await node(state, runtime.context)
            return Command(update=update, goto=update["status"] if update["status"] in by_name else END)

        return step

    graph.add_edge(START, next(iter(by_name)))
    for name, node in by_name.items():
        graph.add_node(name, leading(node))
    return graph.compile()


async def follow(start: Any, state: Any, context: Any, most: int, *nodes: Node) -> Outcome:
    """How work ends that begins with the state `start` at the first of the `nodes`, and takes `most` of them."""
    kind: Any = type(context)
    end = await graph_of(state, kind, *nodes).ainvoke(start, {"recursion_limit": most}, context=context)
    return Outcome(end["status"], end.get("answer", ""), end.get("reason"), end.get("error"), end.get("response"))
