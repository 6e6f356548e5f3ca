"""A run in the terminal: who is working, what is searched, the answer as it comes, and its sources."""

from typing import TYPE_CHECKING, Any, Self

from dure import events as ours
from dure.cli.terminal import clean, err, note, put
from dure.cli.words import language, say
from dure.messages import short
from dure.sources import placed
from dure.texts import TEXTS

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

_CHECKS = TEXTS.one("cli_show.unsure")
_UNSURE = 3
"""Sentences without a source that are shown."""
_HOW = TEXTS["cli_show.how"]
_WHY = TEXTS["cli_show.why"]
_STYLES: dict[type[ours.Event], str] = {
    **dict.fromkeys((ours.Routed, ours.ToolStarted, ours.ToolTold, ours.ToolFinished, ours.AgentFinished), "dim"),
    **{ours.AgentStarted: "cyan", ours.Planned: "cyan", ours.Notice: "yellow", ours.ArtifactMade: "green"},
}
"""Events of which a line is shown while they happen."""
_MARKS = {"waiting": "○", "working": "◐", "done": "●", "failed": "✗", "skipped": "–"}


class Show:
    """Shows a run's events. In a terminal the answer is seen while it is written, above all a sign of life; elsewhere
    only lines about the work go to standard error, so that standard output holds nothing but the answer."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live: Live | None = None
        self._draft: dict[str, str] = {}
        self._steps: dict[int, dict[str, Any]] = {}
        self._doing = say("생각하는 중", "thinking")

    def __enter__(self) -> Self:
        self._draft = {}
        if not self._quiet and err().is_terminal:
            from rich.live import Live

            self._live = Live(console=err(), get_renderable=self._picture, transient=True, refresh_per_second=8)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def event(self, event: ours.Event, *, told: bool = False) -> None:
        """Take in the next event of the run; told: it was shown before."""
        if isinstance(event, ours.Planned):
            self._steps = {each["step"]: each for each in event.plan["steps"]}
        if self._quiet or told:
            return
        match event:
            case ours.TextDelta(work_id=""):
                self._draft[event.message_id] = self._draft.get(event.message_id, "") + event.text
            case ours.TextRetracted():
                self._draft.pop(event.message_id, None)
            case ours.AgentStarted():
                self._doing = event.agent
            case ours.ToolStarted():
                self._doing = f"{event.agent} · {event.name}"
            case ours.Planned():
                self._doing = say("계획대로 일하는 중", "working on the plan")
            case ours.StepChanged():
                note(step_line({**self._steps.get(event.step, {}), **_changed(event)}))
            case ours.AgentFinished(error=None):
                self._doing = say("정리하는 중", "putting it together")
                return
        if type(event) in _STYLES:
            note(line(event), _STYLES[type(event)])

    def _picture(self) -> "RenderableType":
        from rich.console import Group
        from rich.spinner import Spinner
        from rich.text import Text

        console = err()
        draft = Text(clean("".join(self._draft.values())))
        tail = draft.wrap(console, console.width)[-max(3, console.height - 8) :]
        return Group(*tail, Spinner("dots", Text(clean(self._doing), style="dim")))


def line(event: ours.Event) -> str:
    """One event as a line; empty for those that have none."""
    match event:
        case ours.Routed():
            how = _HOW[event.how][language()] if event.how in _HOW else event.how
            return f"→ {', '.join(event.agents) or say('바로 답함', 'answers itself')} ({how})"
        case ours.AgentStarted():
            return f"● {event.agent}: {short(event.task)}"
        case ours.AgentFinished():
            return f"  {event.agent}: {event.error or event.status}"
        case ours.ToolStarted():
            return f"  ↳ {event.name} {_args(event.args)}".rstrip()
        case ours.ToolTold():
            return f"    {short(event.text)}"
        case ours.ToolFinished():
            what = "" if event.status == "ok" else f" {event.status}: {short(event.result)}"
            return f"  {'✓' if event.status == 'ok' else '✗'} {event.name} {event.seconds:.2f} s{what}"
        case ours.Notice():
            return f"! {event.text}"
        case ours.Planned():
            steps = [f"    {step_line(each)}" for each in event.plan["steps"]]
            return "\n".join([say("▤ 계획", "▤ plan"), *steps])
        case ours.StepChanged():
            return step_line(_changed(event))
        case ours.ArtifactMade():
            return f"  + {file_line(event.artifact)}"
        case ours.RunWaiting():
            asked = [f"    {each['id']} {short(each['title'])} {_args(each['args'])}" for each in event.approvals]
            return "\n".join([say("‖ 결정을 기다림", "‖ waits for a decision"), *map(str.rstrip, asked)])
        case ours.RunResumed():
            why = _WHY[event.why][language()] if event.why in _WHY else event.why
            said = [f"    {d['approval_id']} {d['action']} {short(d.get('message') or '')}" for d in event.decisions]
            return "\n".join([why, *map(str.rstrip, said)])
        case ours.ModelCalled():
            calls = [
                f"    → {each['name']} ({each['reader']})"
                for each in event.reply.get("tool_calls", ())
                if "reader" in each
            ]
            for each in event.reply.get("quotations", ()):
                told = say("실행하지 않음", "not run")
                calls.append(f"    “{short(each['text'], 80)}” ({each['reader']}): {told}, {each['why']}")
            tokens = f"{event.prompt_tokens}+{event.completion_tokens} {say('토큰', 'tokens')}"
            end = f" · {short(event.error, 200)}" if event.error else " · repaired" if event.repaired else ""
            who = f"  ◇ {event.agent} {event.purpose}".replace("◇  ", "◇ ")
            told = f"{who}: {event.model} ({event.dialect or '–'}) {tokens} {event.seconds:.2f} s{end}"
            return "\n".join([told, *calls])
        case ours.RunFailed():
            return f"✗ {event.code}: {event.message}"
        case ours.RunFinished():
            return f"■ {event.status} {event.seconds:.2f} s"
    return ""


def step_line(step: dict[str, Any]) -> str:
    """A step of a plan with its state."""
    mark = _MARKS.get(step.get("status") or "waiting", "·")
    who = f" {step['agent']}: {short(step['task'])}" if "agent" in step else ""
    before = ", ".join(map(str, step.get("depends_on") or []))
    took = f" {step['seconds']:.1f} s" if step.get("seconds") is not None else ""
    return f"{mark} {step['step']}.{who}{f' (← {before})' if before else ''}{took}".rstrip()


def file_line(file: dict[str, Any]) -> str:
    """A file that a run made."""
    return f"{file['id']}  {file['name']}  {file['size']:,} B  {file['media_type']}"


def _changed(event: ours.StepChanged) -> dict[str, Any]:
    return {"step": event.step, "status": event.status, "seconds": event.seconds}


def print_answer(answer: dict[str, Any], *, details: bool = True) -> None:
    """The answer to standard output: text, then each source with document, page and quoted sentence."""
    put(answer["response"])
    if _untold(answer):
        put()
        put(say("출처", "Sources"), "bold")
        for number, citation in enumerate(answer["citations"], 1):
            put(f"[{citation.get('marker') or number}] {placed(citation, language())}")
            put(f"    “{' '.join(citation['quote'].split())}”", "italic")
    if details and answer.get("metadata"):
        if checks := answer["metadata"].get("checks"):
            note(_unsure(checks), "yellow")
        note(_summary(answer))


def _untold(answer: dict[str, Any]) -> bool:
    """Whether it has sources that do not stand below its text already, as in Markdown."""
    quotes = [f": “{' '.join(each['quote'].split())}”" for each in answer["citations"][-1:]]
    return any(not answer["response"].endswith(each) for each in quotes)


def _unsure(checks: list[dict[str, Any]]) -> str:
    """The first sentences that no source confirms, each with what of it."""
    missing = (f" ({', '.join(each['missing'])})" if each["missing"] else "" for each in checks)
    said = [f"“{short(each['sentence'], 60)}”{what}" for each, what in zip(checks[:_UNSURE], missing, strict=False)]
    more = " …" if len(checks) > _UNSURE else ""
    return _CHECKS[language()].format(count=len(checks), said=" · ".join(said) + more)


def _summary(answer: dict[str, Any]) -> str:
    metadata = answer["metadata"]
    usage = metadata.get("usage", {})
    calls, tokens = usage.get("model_calls", 0), usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0)
    parts = [metadata.get("team", ""), *metadata.get("agents", [])]
    parts.append(say(f"모델 호출 {calls}번", f"{calls} model calls"))
    parts.append(say(f"토큰 {tokens:,}개", f"{tokens:,} tokens"))
    parts.append(f"{metadata.get('execution_time', 0):.1f} s")
    parts.append(say(f"세션 {metadata['thread_id']}", f"session {metadata['thread_id']}"))
    return " · ".join(p for p in parts if p)


def _args(args: dict[str, Any]) -> str:
    return short(" · ".join(", ".join(map(str, v)) if isinstance(v, list) else str(v) for v in args.values()))
