"""What the stages say in their own words, and what they ask of models."""

from dure.packs.papers import TEXTS

text = TEXTS["stages_texts.text"].say
"""`text(key, language, **values)`: a text with its values filled in."""
