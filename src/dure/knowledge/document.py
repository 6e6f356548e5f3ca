"""A document as its owner sees it."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from dure.errors import DureError, InvalidInput, Language, phrase
from dure.storage.documents import Row
from dure.storage.only import plain_tag
from dure.storage.shelves import name_of

Status = Literal["queued", "indexing", "ready", "failed"]

_MOST_TAGS = 50
_LONGEST_TAG = 100


@dataclass(slots=True)
class Document:
    """`ready`: its text can be searched; `embedded` of its `passages` have a vector so far.

    `error`: of a failed one `{"code", "ko", "en"}`. `pages`: the last page's number, None where the format has none.
    `size` in bytes, `chars` in characters of text. `kind`: a key of `parse.KINDS`. `shelf`: "personal", or a name.
    `author`: whom the file itself names, None where it names nobody.
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
    author: str | None
    tags: list[str]
    shelf: str

    def as_dict(self, language: Language = "en") -> dict[str, Any]:
        """For HTTP and the terminal; the error's message in `language`."""
        fields = asdict(self)
        if self.error:
            fields["error"] = {"code": self.error["code"], "message": self.error[language]}
        return fields


def of_row(row: Row) -> Document:
    fields = {name: row[name] for name in Document.__slots__ if name in row}
    return Document(**fields | {"tags": row["tags"].split("\n")[1:-1], "shelf": name_of(row["owner"])})


def tags_of(names: Iterable[str]) -> list[str]:
    """Tags as they are stored, each once. Raises InvalidInput for too many, or one that is too long."""
    tags = list(dict.fromkeys(filter(None, map(plain_tag, names))))
    if len(tags) > _MOST_TAGS or any(len(tag) > _LONGEST_TAG for tag in tags):
        reason = phrase("knowledge_document.tags", most=_MOST_TAGS, longest=_LONGEST_TAG)
        raise InvalidInput(reason=reason, key="tags")
    return tags


def error_dict(error: DureError) -> dict[str, str]:
    """An error as it is stored with a failed document."""
    return {"code": error.code, **error.both()}
