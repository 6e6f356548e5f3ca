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


def test_the_schema_of_a_body_is_worked_out_for_the_document_alone() -> None:
    worked_out = list[str]()

    class Word(BaseModel):
        said: str

    class Body(BaseModel):
        words: list[Word]

        @classmethod
        def __get_pydantic_json_schema__(cls, core, handler):
            worked_out.append("body")
            return handler(core)

    router, app = APIRouter(), FastAPI()

    @router.post("/words", openapi_extra=described(Body))
    async def words() -> None: ...

    app.include_router(router)
    assert worked_out == []
    told = app.openapi()["paths"]["/words"]["post"]["requestBody"]
    items = told["content"]["application/json"]["schema"]["properties"]["words"]["items"]
    assert (told["required"], items["properties"]["said"]["type"], worked_out) == (True, "string", ["body"])
