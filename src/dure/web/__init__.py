"""The page: static files, and how they are served."""
