"""How the agents of team `papers` work, and what they say in their own words."""

from dure.packs.papers import TEXTS

text = TEXTS["stages_texts.text"].say
"""`text(key, language, **values)`: a text with its values filled in."""
