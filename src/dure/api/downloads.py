"""Files that browsers save and never show."""

import re
from urllib.parse import quote

from dure.knowledge.files import UNSEEN

_PLAIN = re.compile(r"[^A-Za-z0-9 ._()-]+")


def saved_as(name: str) -> dict[str, str]:
    """The headers under which a file is saved as `name`, and runs nothing wherever it is opened.

    The name (RFC 6266) is for old clients in ASCII, for all others in UTF-8 (RFC 5987). Nothing in it can end the field
    or begin another, or turn its ending around.
    """
    name = UNSEEN.sub("", name)
    plain, whole = _PLAIN.sub("_", name), quote(name.encode("utf-8", "replace"), safe="")
    return {
        "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{whole}",
        "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    }
