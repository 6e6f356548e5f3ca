"""A document as its owner sees it."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from dure.errors import DureError, Language
from dure.storage.documents import Row
from dure.storage.shelves import name_of

Status = Literal["queued", "indexing", "ready", "failed"]


@dataclass(slots=True)
class Document:
    """`ready`: its text can be searched; `embedded` of its `passages` have a vector so far.

    `error`: of a failed one `{"code", "ko", "en"}`. `pages`: the last page's number, None where the format has none.
    `size` in bytes, `chars` in characters of text. `kind`: a key of `parse.KINDS`. `shelf`: "personal", or a name.
    """

    id: str
    name: str
    title: str
    kind: str
    status: Status
    error: dict[str, str] | None
    size: int
    sha256: str
    pages: int | None
    chars: int
    passages: int
    embedded: int
    created_at: str
    updated_at: str
    shelf: str

    def as_dict(self, language: Language = "en") -> dict[str, Any]:
        """For HTTP and the terminal; the error's message in `language`."""
        fields = asdict(self)
        if self.error:
            fields["error"] = {"code": self.error["code"], "message": self.error[language]}
        return fields


def of_row(row: Row) -> Document:
    return Document(**{name: row[name] for name in Document.__slots__ if name in row}, shelf=name_of(row["owner"]))


def error_dict(error: DureError) -> dict[str, str]:
    """An error as it is stored with a failed document."""
    return {"code": error.code, "ko": error.message("ko"), "en": error.message("en")}
