"""Packs: features as vertical rooms. The core knows none of them (`dure.pack` finds them by their entry points)."""
