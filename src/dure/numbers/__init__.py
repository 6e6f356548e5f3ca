"""Numbers in Korean and English text: read wherever they stand, and written in words."""

from dure.numbers.finding import fractions, numbers, scan
from dure.numbers.reading import Number, numeral, plain
from dure.numbers.words import in_words

__all__ = ["Number", "fractions", "in_words", "numbers", "numeral", "plain", "scan"]
