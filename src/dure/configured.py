"""Where settings come from, without loading them."""

import os
from pathlib import Path

from platformdirs import user_config_path

from dure.errors import SettingsError, phrase


def config_file() -> Path | None:
    """The `dure.toml` in force, or None."""
    named = os.environ.get("DURE_CONFIG")
    if named:
        if not Path(named).is_file():
            raise SettingsError(key="DURE_CONFIG", reason=phrase("configured.file", path=named))
        return Path(named)
    places = [Path("dure.toml"), user_config_path("dure", appauthor=False) / "dure.toml"]
    return next((p for p in places if p.is_file()), None)


def may_be_set(name: str) -> bool:
    """Whether the setting `name` may be another than its default: the environment has it, or there is a `dure.toml`."""
    return f"DURE_{name.upper()}" in map(str.upper, os.environ) or config_file() is not None
