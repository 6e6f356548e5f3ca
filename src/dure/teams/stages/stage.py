"""A stage of a pipeline: what an agent of a router team is given, and what it hands on."""

from dataclasses import dataclass, field
from typing import Any, TypedDict, cast

from dure.agents import Agent, Speech
from dure.agents.prompts import style
from dure.agents.short import Turn
from dure.errors import DureError
from dure.messages import Message, system, user

_UNDONE = """You can write this answer alone: nothing is saved, added, sent or changed by it. Say of what the message \
wants of that kind that it was not done."""
Paper = dict[str, Any]
"""`{id, title, authors, year, venue, url}`."""


class Done(TypedDict, total=False):
    """How a stage ended. `status`: done, nothing (found nothing: another agent may take over), or failed."""

    agent: str
    status: str
    text: str
    """What it found, for the stages after it; of the last stage the answer. With `nothing`: why, in a sentence."""
    papers: list[Paper]
    whole: bool
    """Its text stands for those of all stages before it, which it was made of."""
    table: dict[str, Any] | None
    """`{"columns": [...], "rows": [[...]]}` of a statistic."""
    name: str
    """What it made is called, for a file of it."""
    reason: str | None
    error: dict[str, Any] | None


@dataclass(slots=True)
class Stage(Turn):
    """One agent's turn in a pipeline."""

    known: Any = None
    """What the message speaks of, as the team's subject has it."""
    prompt: str = ""
    """Of the team."""
    earlier: list[Done] = field(default_factory=list)
    """What the stages before it handed on."""
    later: list[Agent] = field(default_factory=list)
    """Who works after it; whoever is last writes the answer."""
    note: str = ""
    """To be said before anything else: that another agent found nothing."""
    effect: bool = False
    """The message wants something changed, and no agent that is there for that alone was chosen."""
    whole: bool = False
    """What it writes is made of what the stages before it handed on, which is not shown besides."""
    kept: str = ""
    """What of the stages before stands before its own text all the same, where that is `whole`."""
    _voice: Speech | None = None

    @property
    def last(self) -> bool:
        """Whether it writes the answer."""
        return not self.later

    @property
    def easy(self) -> bool:
        """Whether to write for beginners: also where no level was asked for."""
        return self.run.level != "hard"

    def before(self, *, papers: bool = True) -> str:
        """The texts of the stages before; without `papers` only of those that found none."""
        texts: list[str] = []
        for each in self.earlier:
            texts = [*([] if each.get("whole") else texts), each["text"] if papers or not each.get("papers") else ""]
        return "\n\n".join(filter(None, texts))

    def papers(self) -> list[Paper]:
        """The papers that the stages before found."""
        return [paper for each in self.earlier for paper in each.get("papers", [])]

    async def write(
        self, task: str, material: str, *, purpose: str = "answer", history: bool = False, said: str = ""
    ) -> str:
        """Have the model write. `task`: what to do, after the team's and the agent's own prompt; `material`: what the
        user's turn holds; `said`: what of the stage's text stands before. The last stage's words are shown as they
        come. Raises the model's errors."""
        run = self.run
        undone = _UNDONE if self.effect and self.last else ""
        rules = "\n".join(filter(None, [self.prompt.strip(), self.agent.prompt.strip(), task, undone, style(run)]))
        material = run.way.reminded(material, run.language, run.level)
        messages: list[Message] = [system(rules), *(run.history if history else ()), run.said(material)]
        self.voice.settle(self._head() + said)
        heard = self.voice if self.last else None
        asked = await run.ask(purpose, messages, on_piece=heard, max_tokens=run.way.tokens.get("text"), **self.place)
        return asked.reply.content.strip()

    async def tell(self, task: str, material: str, found: str, *, said: str = "", **more: Any) -> Done:
        """Have the model tell what was found; where it has no words or fails, `found` itself is the answer."""
        answer, reason = "", None
        try:
            answer = await self.write(task, material, history=True, said=said)
        except DureError as error:
            reason = error.code
        return self.done(said + (answer or found), reason=reason, **more)

    async def write_json(
        self, task: str, material: str, schema: dict[str, Any], *, purpose: str, history: bool = True, part: str = ""
    ) -> dict[str, Any]:
        """What the model fills into an object; {} where it wrote none. part: of the work. Raises the model's errors."""
        asked = self.run.said(material) if self.run.way.asks else user(material)
        messages: list[Message] = [system(task), *(self.run.history if history else ()), asked]
        work_id = f"{self.work_id}.{part}" if part else self.work_id
        most, agent = self.run.way.tokens.get("form"), self.agent.name
        return await self.run.fill_in(purpose, messages, schema, max_tokens=most, agent=agent, work_id=work_id)

    @property
    def voice(self) -> Speech:
        """What the user hears of it: only the last stage is heard."""
        if self._voice is None:
            self._voice = Speech(self.run, "" if self.last else self.work_id, silent=not self.last)
        return self._voice

    def _head(self) -> str:
        """What stands before the stage's words: a stage in the middle hands on its own, and what it took in."""
        parts = [self.note if self.last else "", self.kept if self.whole else self.before() if self.last else ""]
        return "".join(f"{part}\n\n" for part in parts if part)

    def done(self, said: str, **more: Any) -> Done:
        """The stage's result; of the last stage the answer, with what has to stand before it."""
        whole = self._head() + said
        self.voice.settle(whole)
        ended = Done(agent=self.agent.name, status="done", text=whole, whole=self.whole or self.last)
        return cast("Done", {**ended, **more})

    def nothing(self, why: str) -> Done:
        """It found nothing; `why` in a sentence for the user."""
        return Done(agent=self.agent.name, status="nothing", text=why)
