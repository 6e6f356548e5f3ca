"""Under which owner the index of documents keeps papers: on shelves of their own, apart from the owners' documents."""

from dure.errors import InvalidInput
from dure.packs.papers import TEXTS

SHARED = "papers/"
"""The shelf of the papers that everybody sees."""

LONGEST_OWNER = 56
"""Characters of an owner's name, so that the shelf's fits the column; it has no "/", so that it is never a shelf's."""


def shelf(owner: str) -> str:
    """The shelf of an owner's own papers; of everybody's for ""."""
    return SHARED + owner


def shelves(owner: str) -> tuple[str, str]:
    """The shelves that an owner may read: everybody's, the owner's own."""
    return SHARED, shelf(owner)


def check_owner(owner: str) -> None:
    """Raises InvalidInput for a name that no shelf can have."""
    if not owner or "/" in owner or len(owner) > LONGEST_OWNER:
        raise InvalidInput(reason=TEXTS.phrase("library.owner", most=LONGEST_OWNER))
