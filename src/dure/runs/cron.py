"""Times that a cron line names: five fields (minute, hour, day, month, weekday) or a name such as `@daily`."""

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from dure.errors import InvalidInput, phrase

_LONGEST = 100
_YEARS = 9
"""In which a line has to name a time: the 29th of February comes within eight."""


def after(line: str, zone: str, at: datetime) -> datetime:
    """The first time after `at` that the line names by the clocks of `zone`, such as `Asia/Seoul`, in UTC. One that a
    change of clocks leaves out is that of the change; of one that comes twice the first counts, unless the line names
    every hour. Raises InvalidInput."""
    # It takes a tenth of a second to load.
    from croniter import croniter

    fields, alias = line.split(), line.startswith("@")
    place = zone_of(zone)
    try:
        if len(line) > _LONGEST or len(fields) != (1 if alias else 5):
            raise ValueError
        times = croniter(line, at.astimezone(place), max_years_between_matches=_YEARS)
        found: datetime = times.get_next(datetime)
        while found.fold and not alias and not fields[1].startswith("*"):
            found = times.get_next(datetime)
    except (ValueError, KeyError, AttributeError):
        raise InvalidInput(reason=phrase("runs_cron.line", line=line[:_LONGEST]), key="cron") from None
    return found.astimezone(UTC)


def zone_of(name: str, key: str = "zone") -> ZoneInfo:
    """A time zone such as `Asia/Seoul`. Raises InvalidInput for none such, given as `key`."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise InvalidInput(reason=phrase("runs_cron.zone", key=key, zone=name[:60]), key=key) from None


def here() -> str:
    """The zone of this process's clock (`TZ`, else the machine's), where it has such a name; else UTC."""
    for place in (os.environ.get("TZ", "").removeprefix(":"), str(Path("/etc/localtime").resolve())):
        name = place.rpartition("/zoneinfo/")[2]
        with suppress(ValueError, OSError, KeyError):
            return ZoneInfo(name).key
    return "UTC"
