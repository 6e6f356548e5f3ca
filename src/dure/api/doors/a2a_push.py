"""Servers that are told of a task (A2A's push notifications): named by the task's client, kept sealed until they know
its end, told of each change by a signed request that leads to the public internet alone."""

import asyncio
import contextlib
import json
import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from dure.api.wires import Wire
from dure.app import Dure
from dure.egress import AddressRefused, HostUnavailable
from dure.errors import DureError, InvalidInput, NotFound, Text, phrase
from dure.events import ENDED
from dure.messages import json_bytes

log = logging.getLogger(__name__)
_NAME = "a2a "
"""Before a run's id, in the vault."""
_MOST = 10
"""Servers of a task."""
_PAUSES = (2.0, 10.0, 60.0)
"""Seconds until a server that could not be told is tried again."""
_LOOK = 1.0
"""Seconds after which a task that waits is looked at again."""
Shown = Callable[["Pushes", str, str, str], Awaitable[Wire]]
"""Owner, run and this server's address → the task."""


class Pushes:
    """Of one process: each follows what was asked of it, and what is left of a process before, which tells of the last
    change again."""

    def __init__(self, dure: Dure, shown: Shown) -> None:
        self.dure, self._shown, self._delivery = dure, shown, dure.schedules.delivery
        self._following: dict[str, asyncio.Task[None]] = {}

    async def resume(self) -> None:
        """Go on with what processes before this one were asked; what servers know is forgotten."""
        for name in await self._delivery.vault.names(_NAME):
            run_id = name.removeprefix(_NAME)
            kept = await self._kept(run_id)
            if kept and not kept.get("told"):
                self._follow(run_id, kept)
            else:
                await self._delivery.vault.put(name, None)

    async def close(self) -> None:
        for each in self._following.values():
            each.cancel()
        await asyncio.gather(*self._following.values(), return_exceptions=True)

    async def check(self, config: Wire) -> None:
        """Raises InvalidInput for an address that may not be told. One that is not found now may be later."""
        try:
            await self._delivery.guard.check(config.get("url", ""))
        except AddressRefused as error:
            raise InvalidInput(reason=Text(**error.both()), key="url") from None
        except HostUnavailable:
            pass

    async def configs(self, run_id: str) -> list[Wire]:
        configs: list[Wire] = (await self._kept(run_id)).get("configs", [])
        return configs

    async def add(self, owner: str, base: str, run_id: str, config: Wire) -> Wire:
        """Tell the server of `config` whenever the run waits or ends; it takes the place of one with its id. Raises
        InvalidInput."""
        await self.check(config)
        config = config | {"id": config.get("id") or secrets.token_hex(8), "taskId": run_id}

        def added(kept: Wire) -> Wire:
            configs = [each for each in kept.get("configs", []) if each["id"] != config["id"]] + [config]
            if len(configs) > _MOST:
                raise InvalidInput(reason=phrase("api_a2a.most", most=_MOST), key="url")
            return {"owner": owner, "base": base} | kept | {"configs": configs, "told": False}

        await self._change(run_id, added)
        self._follow(run_id, await self._kept(run_id))
        return config

    async def drop(self, run_id: str, id: str) -> None:
        def left(kept: Wire) -> Wire:
            return kept and kept | {"configs": [each for each in kept["configs"] if each["id"] != id]}

        await self._change(run_id, left)

    async def _kept(self, run_id: str) -> Wire:
        found: Wire = json.loads(await self._delivery.vault.get(_NAME + run_id) or b"{}")
        return found

    async def _change(self, run_id: str, change: Callable[[Wire], Wire]) -> None:
        """In one step: it is followed to its end while servers are added and dropped."""

        def whole(kept: bytes | None) -> bytes | None:
            new = change(json.loads(kept or b"{}"))
            return json_bytes(new) if new else None

        await self._delivery.vault.change(_NAME + run_id, whole)

    def _follow(self, run_id: str, kept: Wire) -> None:
        if run_id not in self._following:
            task = asyncio.create_task(self._tell(run_id, kept["owner"], kept["base"]))
            self._following[run_id] = task
            task.add_done_callback(lambda _: self._following.pop(run_id, None))

    async def _tell(self, run_id: str, owner: str, base: str) -> None:
        """That it waits or has ended: first as it is, since it may have come so far while it was asked."""
        known, after, status = 0, 0, ""
        with contextlib.suppress(NotFound):
            while status not in ENDED:
                # The status first: a run that has ended by then has stored all its events.
                status = (await self.dure.runs.brief(owner, run_id))["status"]
                async with aclosing(self.dure.runs.events(owner, run_id, after)) as events:
                    async for number, _ in events:
                        after = number
                if known != after:
                    body = json_bytes({"task": await self._shown(self, owner, run_id, base)})
                    configs = await self.configs(run_id)
                    await asyncio.gather(*(self._post(each, body, f"{run_id}.{after}") for each in configs))
                known = after
                await asyncio.sleep(0 if status in ENDED else _LOOK)
            await self._change(run_id, lambda kept: kept and kept | {"told": True})

    async def _post(self, config: Wire, body: bytes, delivery: str) -> None:
        token, how = config.get("token"), config.get("authentication", {})
        headers = {"X-A2A-Notification-Token": token} if token else {}
        if how.get("scheme") and how.get("credentials"):
            headers["Authorization"] = f"{how['scheme']} {how['credentials']}"
        secret = (token or how.get("credentials") or "").encode()
        for pause in (*_PAUSES, None):
            try:
                return await self._delivery.post(config["url"], body, secret, delivery, headers)
            except DureError as error:
                log.info("task of %s could not be told: %s", delivery, error)
            if pause is not None:
                await asyncio.sleep(pause)
