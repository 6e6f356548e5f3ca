"""Work that goes on side by side."""

import asyncio

import pytest

from dure.errors import ModelUnavailable
from dure.teams.give import side_by_side


async def test_what_all_give_in_their_order() -> None:
    gate = asyncio.Event()

    async def late() -> str:
        await gate.wait()
        return "late"

    async def early() -> str:
        gate.set()
        return "early"

    assert await side_by_side([late(), early()]) == ["late", "early"]


async def test_an_error_comes_out_as_it_is_and_ends_the_others() -> None:
    ended: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("endless")

    async def failing() -> None:
        await asyncio.sleep(0)
        raise ModelUnavailable

    with pytest.raises(ModelUnavailable):
        await side_by_side([endless(), failing()])
    assert ended == ["endless"]
