"""What the pack says, in both languages: `ko.toml`, `en.toml`."""

from pathlib import Path

from dure.texts import Catalogue

TEXTS = Catalogue(Path(__file__).parent)
