"""One request to an API of papers."""

import asyncio
from typing import Any

from dure.egress import read_up_to
from dure.errors import ToolError
from dure.packs.papers import TEXTS

_SECONDS = 60.0
_LARGEST = 20_000_000
_TRIES = 3


async def get(url: str, parameters: dict[str, Any], failure: type[ToolError], pause: float = 0.1) -> bytes:
    """What an address answers; a few tries, `pause` seconds and more apart. Raises `failure`, with the reason."""
    import aiohttp

    reason = ""
    for attempt in range(_TRIES):
        if attempt:
            await asyncio.sleep(pause * 2**attempt)
        try:
            timeout = aiohttp.ClientTimeout(total=_SECONDS)
            # A session each: requests are few and apart.
            async with (
                aiohttp.ClientSession(timeout=timeout, trust_env=True, headers={"User-Agent": "dure"}) as session,
                session.get(url, params=parameters) as response,
            ):
                data = await read_up_to(response, _LARGEST)
                if len(data) > _LARGEST:
                    raise failure(reason=TEXTS.phrase("formats.large"))
                if response.status == 200:
                    return data
                reason = f"HTTP {response.status}"
                if response.status < 500 and response.status != 429:
                    break
        except (aiohttp.ClientError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
    raise failure(reason=reason)
