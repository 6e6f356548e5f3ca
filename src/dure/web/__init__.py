"""The page: static files, and how they are served."""

from dure.web.page import router as router

__all__ = ["router"]
