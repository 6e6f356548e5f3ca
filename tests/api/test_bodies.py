"""Bodies as they are read, before they are checked."""

import pytest
from fastapi import APIRouter, FastAPI
from pydantic import BaseModel

from dure.api.bodies import _parse, described
from dure.errors import InvalidJson


@pytest.mark.parametrize("number", [2**63, 2**70, -(2**64), 123456789012345678901234567890])
def test_whole_numbers_are_never_rounded(number: int) -> None:
    assert _parse(b'{"account": %d}' % number) == {"account": number}


@pytest.mark.parametrize("body", [b"{", b'{"n": 1234567890123456789', b"\xff", b"[" * 100_000])
def test_what_is_no_json_is_told(body: bytes) -> None:
    with pytest.raises(InvalidJson):
        _parse(body)


def test_the_schema_of_a_body_stands_whole_in_the_document() -> None:
    class Word(BaseModel):
        said: str

    class Body(BaseModel):
        words: list[Word]

    router, app = APIRouter(), FastAPI()

    @router.post("/words", openapi_extra=described(Body))
    async def words() -> None: ...

    app.include_router(router)
    told = app.openapi()["paths"]["/words"]["post"]["requestBody"]
    items = told["content"]["application/json"]["schema"]["properties"]["words"]["items"]
    assert (told["required"], items["properties"]["said"]["type"]) == (True, "string")
