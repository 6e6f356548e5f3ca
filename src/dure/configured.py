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


def write(values: dict[str, str | None]) -> Path:
    """Set settings of one line in the `dure.toml` in force, else in the user's configuration folder; None: without it.
    All else in the file stays as it stands. Returns the file. Raises SettingsError."""
    import json
    import re
    import tomllib

    path = config_file() or user_config_path("dure", appauthor=False) / "dure.toml"
    try:
        before = path.read_text("utf-8") if path.is_file() else ""
        head, table, rest = re.split(r"(?m)(^\s*\[|\Z)", before, maxsplit=1)
        for key in values:
            head = re.sub(rf"(?m)^{key}\s*=.*\n?", "", head)
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items() if value]
        after = f"{''.join(lines)}{head}{table}{rest}"
        wanted = tomllib.loads(before) | values
        if tomllib.loads(after) != {key: value for key, value in wanted.items() if value is not None}:
            raise ValueError("; ".join(lines))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(after, "utf-8")
    except (OSError, ValueError) as error:
        raise SettingsError(key=str(path), reason=phrase("configured.write", why=error)) from None
    return path


def may_be_set(name: str) -> bool:
    """Whether the setting `name` may be another than its default: the environment has it, or there is a `dure.toml`."""
    return f"DURE_{name.upper()}" in map(str.upper, os.environ) or config_file() is not None
