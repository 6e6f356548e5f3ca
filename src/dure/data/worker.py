"""Asks child processes that hold an owner's tables and run a model's SQL over them."""

from collections import OrderedDict

from dure.child import Child, ChildLost, Message
from dure.data.faults import fault
from dure.data.limits import GRACE_SECONDS, IDLE_SECONDS, MAX_PROCESSES
from dure.errors import ToolInputError


class Workers:
    """A child process for each owner, which runs `module`: made when first needed, ended when long idle, and those that
    were idle longest when they become many."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._children: OrderedDict[str, Child] = OrderedDict()

    async def ask(self, owner: str, *requests: Message) -> list[Message]:
        """The answers of the owner's own child to `requests` (see the module's `answered`), in order and with nothing
        in between.

        Each has `seconds`, its limit. Raises ToolInputError with what the child wants told, also when it crashed or
        took too long; it is ended then, as it is when the caller is cancelled, and forgets its tables.
        """
        child = await self.of(owner)
        try:
            answers = await child.ask(*requests)
        except TimeoutError as error:
            raise fault("slow", seconds=error.args[0]) from None
        except ChildLost:
            raise fault("lost") from None
        for answer in answers:
            if "ko" in answer:
                raise ToolInputError(**answer)
        return answers

    async def of(self, owner: str) -> Child:
        """The owner's own child."""
        child = self._children.get(owner)
        if child is None:
            child = self._children[owner] = Child(self._module, grace=GRACE_SECONDS, idle_seconds=IDLE_SECONDS)
        self._children.move_to_end(owner)
        for other in [name for name, each in self._children.items() if not each.busy and name != owner]:
            if len(self._children) <= MAX_PROCESSES:
                break
            await self._children.pop(other).close()
        return child

    async def close(self) -> None:
        """End all of them."""
        while self._children:
            await self._children.popitem()[1].close()
