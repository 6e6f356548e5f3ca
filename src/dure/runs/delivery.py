"""Takes the answers of schedules' runs to where they go: files, and other people's servers.

A request is signed: `Dure-Signature` is `sha256=` and, in hex, HMAC-SHA256 over `Dure-Timestamp`, a dot and the body.
`Dure-Delivery` is the same each time one answer is sent. One that does not arrive is sent again, later each time.
"""

import asyncio
import hashlib
import hmac
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from dure.egress import Guard, client
from dure.errors import DureError, ToolError, phrase
from dure.messages import json_bytes
from dure.runs.artifacts import Artifacts
from dure.storage import Database, stamp
from dure.storage import runs as run_rows
from dure.storage import schedules as rows
from dure.storage.vault import Vault
from dure.texts import TEXTS
from dure.tooling import File

log = logging.getLogger(__name__)

Row = dict[str, Any]
TRIES = 8
_PAUSE = timedelta(seconds=30)
"""Until the second attempt; twice as long until each further one: two hours in all."""
_SECONDS = 15.0
"""That a server has for an answer: less than the pause, so that nothing is on its way twice."""
_AT_ONCE = 16


class DeliveryFailed(ToolError):
    """An answer did not arrive."""


@dataclass
class Delivery:
    """`clock` tells the time, to schedules too."""

    database: Database
    artifacts: Artifacts
    vault: Vault
    guard: Guard
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def keep(self, schedule: str, secret: str | None) -> None:
        """What a schedule's webhooks are signed with from now on."""
        await self.vault.put(f"schedule {schedule}", secret.encode() if secret else None)

    async def secret(self, schedule: str) -> bytes | None:
        return await self.vault.get(f"schedule {schedule}")

    async def look(self) -> None:
        """Deliver once what is due by now."""
        at = self.clock()
        found = await self.database.read(rows.to_deliver, stamp(at), _AT_ONCE)
        await asyncio.gather(*(self._deliver(row, at) for row in found))

    async def _deliver(self, row: Row, at: datetime) -> None:
        told = {**row["what"]["delivery"], "attempts": row["what"]["delivery"]["attempts"] + 1}
        later = stamp(at + _PAUSE * 2 ** (told["attempts"] - 1))
        if not await self.database.write(rows.attempt, row, later, {**row["what"], "delivery": told}):
            return
        run = await self.database.read(run_rows.get, row["owner"], row["run_id"])
        if run is None:
            return
        try:
            # Where answers go by now: those of `session` are there already.
            how = {"file": self._file, "webhook": self._send}.get(row["to"]["to"])
            told |= {"status": "done"} | (await how(row, run) if how else {})
        except DureError as error:
            told |= {"error": error.both()}
            told |= {"status": "failed"} if told["attempts"] == TRIES else {}
        except Exception:
            log.exception("the answer of run %s could not be delivered", run["id"])
            return
        again = later if told["status"] == "waiting" else None
        await self.database.write(rows.attempt, row | {"try_at": later}, again, {**row["what"], "delivery": told})

    async def _file(self, row: Row, run: Row) -> Row:
        if run["error"] or run["answer"] is None:
            # Nor will it have one later.
            return {"status": "failed", "error": TEXTS.one("runs_delivery.no_answer").filled()}
        file = File(row["what"]["delivery"]["file"], run["answer"]["response"].encode(), "text/markdown")
        return {"artifact_id": (await self.artifacts.save(run["owner"], run["id"], file, ""))["id"]}

    async def _send(self, row: Row, run: Row) -> Row:
        secret = await self.secret(row["schedule"])
        if secret is None:
            raise DeliveryFailed(reason=phrase("runs_delivery.secret"))
        answer = run["answer"] or {}
        body = json_bytes(
            {
                "schedule_id": row["schedule"],
                "name": row["to"]["name"],
                "due_at": row["what"]["due_at"],
                **{key: run[key] for key in ("session_id", "status", "error", "ended_at")},
                "run_id": run["id"],
                "response": answer.get("response"),
                "citations": answer.get("citations", []),
            }
        )
        await self.post(row["to"]["url"], body, secret, str(row["id"]))
        return {}

    async def post(
        self, url: str, body: bytes, secret: bytes, delivery: str, more: Mapping[str, str] | None = None
    ) -> None:
        """Send JSON, signed where there is a secret, with `more` headers. Raises DeliveryFailed, and AddressRefused and
        its kin for an address that may not be opened."""
        import aiohttp
        from yarl import URL

        sent_at = str(int(self.clock().timestamp()))
        headers = {**(more or {}), "Content-Type": "application/json"}
        headers |= {"Dure-Delivery": delivery, "Dure-Timestamp": sent_at}
        if secret:
            signature = hmac.new(secret, f"{sent_at}.".encode() + body, hashlib.sha256).hexdigest()
            headers["Dure-Signature"] = f"sha256={signature}"
        target = await self.guard.check(url)
        try:
            async with (
                client(target, _SECONDS) as session,
                session.post(URL(target.url, encoded=True), data=body, headers=headers, allow_redirects=False) as reply,
            ):
                if reply.status // 100 != 2:
                    raise DeliveryFailed(reason=phrase("runs_delivery.status", status=reply.status))
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise DeliveryFailed(reason=str(error) or type(error).__name__) from None
