"""How agents and teams go from one step to the next: graphs of LangGraph."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypedDict

from dure.agents.outcome import Outcome

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    Graph = CompiledStateGraph[Any, Any, Any, Any]


class Going(TypedDict, total=False):
    """What the state of each graph holds. Nodes decide and write it, edges only read it."""

    status: str
    """What comes next: a node, or how the work ended, with the rest as in `Outcome`."""
    answer: str
    reason: str | None
    error: dict[str, Any] | None
    response: str | None


def graph_of(state: type[Any], context: type[Any], *nodes: Callable[..., Awaitable[Any]]) -> "Graph":
    """The graph that begins with the first of the `nodes`, which are known by their names without a leading `_`."""
    # Two thirds of a second of CPU, paid by the first question.
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Command

    graph = StateGraph(state, context_schema=context)
    by_name = {node.__name__.removeprefix("_"): node for node in nodes}

    def leading(node: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        # A command, since an edge would read the whole state again.
        async def step(state: Any, runtime: Any) -> Any:
            update = await node(state, runtime)
            return Command(update=update, goto=update["status"] if update["status"] in by_name else END)

        return step

    graph.add_edge(START, next(iter(by_name)))
    for name, node in by_name.items():
        graph.add_node(name, leading(node))
    return graph.compile()


async def follow(graph: "Graph", state: Any, context: Any, most: int) -> Outcome:
    """How the work of a graph ends that begins with `state` and takes `most` nodes."""
    end = await graph.ainvoke(state, {"recursion_limit": most}, context=context)
    return Outcome(end["status"], end.get("answer", ""), end.get("reason"), end.get("error"), end.get("response"))
