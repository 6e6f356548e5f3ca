"""Asks the child process that holds an owner's tables."""

from dure.child import Child, ChildLost, Message
from dure.errors import ToolInputError

_GRACE = 5.0
"""Seconds beyond a query's own limit, after which it is interrupted inside, before the process is ended."""


class Worker:
    """An owner's child process; ended after a while without a request, and started again at the next."""

    def __init__(self, idle_seconds: float = 300.0) -> None:
        self.child = Child("dure.tools.tabular.child", grace=_GRACE, idle_seconds=idle_seconds)

    @property
    def busy(self) -> bool:
        return self.child.busy

    async def ask(self, *requests: Message) -> list[Message]:
        """The answers to `requests` (see `child.answered`), in order and with nothing in between.

        Each has `seconds`, its limit. Raises ToolInputError with what the child wants told, also when it crashed or
        took too long; it is ended then and forgets its tables.
        """
        try:
            answers = await self.child.ask(*requests)
        except TimeoutError:
            seconds = max(request["seconds"] for request in requests)
            raise ToolInputError(
                ko=f"{seconds:g}초 안에 끝나지 않아 중단했습니다. 범위를 줄이세요.",
                en=f"It was stopped after {seconds:g} seconds. Narrow it down.",
            ) from None
        except ChildLost:
            raise ToolInputError(
                ko="메모리나 시간이 모자라 처리가 중단되었습니다. 범위를 줄이세요.",
                en="It came to a sudden end for want of memory or time. Narrow it down.",
            ) from None
        for answer in answers:
            if "ko" in answer:
                raise ToolInputError(ko=answer["ko"], en=answer["en"])
        return answers

    async def close(self) -> None:
        """End the child; it starts again when asked."""
        await self.child.close()
