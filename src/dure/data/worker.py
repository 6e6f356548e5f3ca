"""Asks child processes that hold an owner's tables and run a model's SQL over them."""

from collections import OrderedDict

from dure.child import Child, ChildLost, Message
from dure.data.limits import GRACE_SECONDS, IDLE_SECONDS, MAX_PROCESSES
from dure.errors import ToolInputError


class Worker:
    """An owner's child process, which runs `module`; ended when long idle, started again at the next request."""

    def __init__(self, module: str) -> None:
        self.child = Child(module, grace=GRACE_SECONDS, idle_seconds=IDLE_SECONDS)

    @property
    def busy(self) -> bool:
        return self.child.busy

    async def ask(self, *requests: Message) -> list[Message]:
        """The answers to `requests` (see the module's `answered`), in order and with nothing in between.

        Each has `seconds`, its limit. Raises ToolInputError with what the child wants told, also when it crashed or
        took too long; it is ended then, as it is when the caller is cancelled, and forgets its tables.
        """
        try:
            answers = await self.child.ask(*requests)
        except TimeoutError as error:
            raise ToolInputError(
                ko=f"{error.args[0]:g}초 안에 끝나지 않아 중단했습니다. 범위를 줄이세요.",
                en=f"It was stopped after {error.args[0]:g} seconds. Narrow it down.",
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


class Workers:
    """A worker for each owner, made when first needed; those that were idle longest are ended when they become many."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._workers: OrderedDict[str, Worker] = OrderedDict()

    async def of(self, owner: str) -> Worker:
        """The owner's own worker."""
        worker = self._workers.get(owner)
        if worker is None:
            worker = self._workers[owner] = Worker(self._module)
        self._workers.move_to_end(owner)
        for other in [name for name, each in self._workers.items() if not each.busy and name != owner]:
            if len(self._workers) <= MAX_PROCESSES:
                break
            await self._workers.pop(other).close()
        return worker

    async def close(self) -> None:
        """End all of them."""
        while self._workers:
            await self._workers.popitem()[1].close()
