"""What is told of tables and of SQL that is not run: the texts `data`."""

from dure.errors import ToolInputError
from dure.texts import TEXTS

_TEXT = TEXTS["data"]


def fault(key: str, **values: object) -> ToolInputError:
    """One of the texts as an error."""
    return ToolInputError(**_TEXT[key].filled(**values))


def problem(document: str, key: str, **values: object) -> dict[str, str]:
    """One of the texts as what is wrong with a document: `{document, ko, en}`."""
    return {"document": document, **_TEXT[key].filled(**values)}
