"""Dure within a FastAPI app of one's own: the page and HTTP below `/dure/`, answers in its own routes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from dure import Dure, DureError
from dure.api import create_app

dure = Dure()
inside = create_app(dure)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    # What is mounted is not opened by itself.
    async with inside.router.lifespan_context(inside):
        yield


app = FastAPI(lifespan=lifespan)
app.mount("/dure", inside)


@app.exception_handler(DureError)
async def failed(request: Request, error: DureError) -> JSONResponse:
    return JSONResponse(error.as_dict("ko"), error.status)


@app.get("/answer")
async def answer(question: str) -> dict[str, object]:
    given = await dure.chat(question, team="assistant")
    return {"answer": given.response, "sources": [citation.quote for citation in given.citations]}
