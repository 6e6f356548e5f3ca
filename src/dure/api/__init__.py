"""The HTTP interface: FastAPI routes, and our events as AG-UI on the wire."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dure.api.app import create_app as create_app

__all__ = ["create_app"]


def __getattr__(name: str) -> Any:
    """FastAPI is loaded when the app is made, not when the terminal borrows a shape."""
    if name != "create_app":
        raise AttributeError(f"module 'dure.api' has no attribute {name!r}")
    from dure.api.app import create_app

    return create_app
