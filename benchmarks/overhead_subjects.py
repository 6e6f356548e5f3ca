"""What `overhead.py` measures, each in a process of its own: `python overhead_subjects.py NAME URL FOLDER JSON`.

raw: the calls of one question by hand over aiohttp. bare: these as steps of a LangGraph. stack: what design document
002 names (create_supervisor, create_react_agent, ChatOpenAI, AsyncSqliteSaver). dure: the public Python API with its
SQLite storage.

Prints one JSON object. CPU is the process's own, all threads; times are seconds.
"""

import asyncio
import json
import sqlite3
import sys
import time
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

QUESTION = "회사 휴가 정책 알려줘"
POLICY = (
    "제12조(연차휴가) 연차휴가는 근속년수에 따라 차등 부여한다. 1년 미만은 월 1일, 1년 이상은 15일, 3년 이상은 20일을 "
    "부여한다. 출근율이 80% 이상이면 전액을 부여한다. 연차휴가는 사용일 3일 전까지 전자결재로 신청한다."
)
WORKPLACE = Path(__file__).parent.parent / "src" / "dure" / "teams" / "builtin" / "workplace.toml"


# What design documents 000 and 002 show of their prompts, as they show it.
SUPERVISOR = """당신은 멀티 에이전트 시스템의 supervisor입니다.

## 사용 가능한 에이전트
- rag_agent: 문서 검색 전문 에이전트
- external_agent: MCP 도구 사용 에이전트
- internal_agent: 데이터 분석 에이전트

## 라우팅 규칙
사용자의 요청을 분석하여 가장 적합한 에이전트를 선택하세요."""
AGENTS = {
    "rag_agent": """당신은 내부 지식 기반 검색 전문가입니다.

## 역할
- 회사 정책, 프로젝트 문서, 내부 데이터에 대한 질문에 답변합니다.
- 업로드된 문서에서 관련 정보를 검색합니다.""",
    "external_agent": "당신은 외부 시스템 연동 전문가입니다.",
    "internal_agent": "당신은 데이터 분석 전문가입니다.",
}
SEARCH = """Use this tool to search for internal documents and knowledge.

Args:
    queries: The queries to search for in the knowledge base."""


class Subject(Protocol):
    async def open(self, url: str, folder: Path) -> None: ...
    async def ask(self, session: str) -> str: ...
    def stored(self) -> int: ...
    async def close(self) -> None: ...


def team() -> dict[str, Any]:
    """The team's prompts: all subjects use the same."""
    return tomllib.loads(WORKPLACE.read_text(encoding="utf-8"))


def size_of(path: Path) -> int:
    """Bytes of an SQLite database, everything in its main file."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        free = connection.execute("PRAGMA freelist_count").fetchone()[0]
    return int((pages - free) * size)


class DureSubject:
    async def open(self, url: str, folder: Path) -> None:
        from dure import Dure

        self.folder = folder
        self.dure = Dure(model_base_url=url, data_dir=folder, tool_dialect="native", embeddings=False)
        await self.dure.__aenter__()
        document = await self.dure.knowledge.add("default", "인사규정.txt", POLICY.encode())
        await self.dure.knowledge.wait("default", [document.id])

    async def ask(self, session: str) -> str:
        return (await self.dure.chat(QUESTION, team="workplace", session_id=session)).response

    def stored(self) -> int:
        return size_of(self.folder / "dure.db")

    async def close(self) -> None:
        await self.dure.__aexit__(None, None, None)


class RawSubject:
    """Three calls with the bodies that Dure sends, nothing else: no graph, no storage, no events."""

    async def open(self, url: str, folder: Path) -> None:
        import aiohttp

        self.url = f"{url}/chat/completions"
        self.http = aiohttp.ClientSession()
        agents = [_function(a["name"], a["description"], {"task": {"type": "string"}}) for a in team()["agents"]]
        search = [_function("search_knowledge_base", "Search", {"queries": {"type": "array"}})]
        prompt = team()["agents"][0]["prompt"]
        question = {"role": "user", "content": QUESTION}
        routed = [{"role": "system", "content": team()["prompt"]}, question]
        asked = [{"role": "system", "content": prompt}, question]
        arguments = '{"queries": ["휴가 정책"]}'
        called = {"id": "c", "type": "function", "function": {"name": "search_knowledge_base", "arguments": arguments}}
        found = [
            *asked,
            {"role": "assistant", "content": None, "tool_calls": [called]},
            {"role": "tool", "tool_call_id": "c", "content": POLICY},
        ]
        self.bodies = [(routed, agents), (asked, search), (found, search)]

    async def ask(self, session: str) -> str:
        return [await self.reply(*each) for each in self.bodies][-1]

    async def reply(self, messages: list[Any], tools: list[Any]) -> str:
        body, text = {"model": "scripted", "messages": messages, "tools": tools, "stream": True}, ""
        async with self.http.post(self.url, json=body) as reply:
            async for line in reply.content:
                if line.startswith(b"data: {"):
                    for choice in json.loads(line[6:])["choices"]:
                        text += choice["delta"].get("content") or ""
        return text

    def stored(self) -> int:
        return 0

    async def close(self) -> None:
        await self.http.close()


class BareSubject(RawSubject):
    """The same calls, each a node of a graph that keeps nothing."""

    async def open(self, url: str, folder: Path) -> None:
        from langgraph.graph import END, START, StateGraph

        await super().open(url, folder)
        made: Any = StateGraph(dict)

        async def step(state: dict[str, Any]) -> dict[str, Any]:
            return {"at": state["at"] + 1, "text": await self.reply(*self.bodies[state["at"]])}

        made.add_node("step", step)
        made.add_edge(START, "step")
        made.add_conditional_edges("step", lambda state: "step" if state["at"] < len(self.bodies) else END)
        self.graph = made.compile()

    async def ask(self, session: str) -> str:
        return str((await self.graph.ainvoke({"at": 0}))["text"])


class StackSubject:
    """The stack with the prompts that the design documents show; `same`: with Dure's own prompts."""

    def __init__(self, same: bool = False) -> None:
        self.same = same

    async def open(self, url: str, folder: Path) -> None:
        import warnings

        warnings.simplefilter("ignore")
        from langchain_core.tools import tool
        from langchain_openai import ChatOpenAI
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
        from langgraph.prebuilt import create_react_agent
        from langgraph_supervisor import create_supervisor

        @tool(description="Search the user's documents; gives numbered passages." if self.same else SEARCH)
        def search_knowledge_base(queries: list[str]) -> str:
            if self.same:
                return f"[1] 인사규정\n{POLICY}"
            return f"[RAG Search Results]\nContent: {POLICY}\nSource: 인사규정.pdf"

        model = ChatOpenAI(base_url=url, api_key="none", model="scripted", streaming=True, stream_usage=True)
        data = team()
        # langgraph_supervisor tells its model nothing of the agents but their names; the prompt has to.
        listed = "\n".join(f"- {a['name']}: {a['description']}" for a in data["agents"])
        prompts = {a["name"]: a["prompt"] for a in data["agents"]} if self.same else AGENTS
        agents = [
            create_react_agent(model, [search_knowledge_base] if name == "rag_agent" else [], name=name, prompt=prompt)
            for name, prompt in prompts.items()
        ]
        prompt = f"{data['prompt']}\n{listed}" if self.same else SUPERVISOR
        supervisor = create_supervisor(agents, model=model, prompt=prompt)
        self.path = folder / "stack.db"
        self.saver = AsyncSqliteSaver.from_conn_string(str(self.path))
        self.graph = supervisor.compile(checkpointer=await self.saver.__aenter__())

    async def ask(self, session: str) -> str:
        config = {"configurable": {"thread_id": session}}
        inputs = {"messages": [{"role": "user", "content": QUESTION}]}
        text = ""
        # Streamed, as a chat page needs it and as the other subjects do.
        async for message, _ in self.graph.astream(inputs, config, stream_mode="messages"):
            text = str(message.content) or text
        return text

    def stored(self) -> int:
        return size_of(self.path)

    async def close(self) -> None:
        await self.saver.__aexit__(None, None, None)


def _function(name: str, description: str, properties: dict[str, Any]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


async def questions(subject: Subject, count: int) -> dict[str, float]:
    """CPU seconds per question, each in a session of its own, after a warm-up; of the best tenth, since neighbours on
    the machine slow the same work to a half."""
    for n in range(5):
        await subject.ask(f"warm{n}")
    tenths = []
    for tenth in range(10):
        cpu = time.process_time()
        for n in range(count // 10):
            await subject.ask(f"q{tenth}-{n}")
        tenths.append((time.process_time() - cpu) / (count // 10))
    return {"cpu": min(tenths)}


async def turns(subject: Subject, count: int) -> dict[str, list[float]]:
    """Per turn of one session: bytes stored and CPU seconds."""
    await subject.ask("warm")
    sizes, cpus, before = [], [], subject.stored()
    for _ in range(count):
        cpu = time.process_time()
        await subject.ask("long")
        await asyncio.sleep(0.15)  # what is stored or summarised after the answer belongs to its turn
        cpus.append(time.process_time() - cpu)
        after = subject.stored()
        sizes.append(after - before)
        before = after
    return {"bytes": sizes, "cpu": cpus}


async def together(subject: Subject, chats: int, each: int) -> dict[str, float]:
    """Wall seconds for `chats` users at once, each asking `each` questions one after another."""

    async def user(n: int) -> None:
        for m in range(each):
            await subject.ask(f"u{n}-{m}")

    await subject.ask("warm")
    wall = time.perf_counter()
    await asyncio.gather(*(user(n) for n in range(chats)))
    return {"wall": time.perf_counter() - wall}


SUBJECTS = {
    "dure": DureSubject,
    "raw": RawSubject,
    "bare": BareSubject,
    "stack": StackSubject,
    "same prompts": lambda: StackSubject(same=True),
}
MEASURES = {"questions": questions, "turns": turns, "together": together}


async def main() -> None:
    name, url, folder, task = sys.argv[1:]
    subject: Subject = SUBJECTS[name]()
    await subject.open(url, Path(folder))
    given = json.loads(task)
    result = await MEASURES[given.pop("measure")](subject, **given)
    await subject.close()
    print(json.dumps(result))


if __name__ == "__main__":
    # The event loop that `dure serve` runs on, for every subject.
    import uvloop

    uvloop.run(main())
