"""Files of many kinds to text with page numbers."""

from dure.knowledge.parse.kinds import KINDS as KINDS
from dure.knowledge.parse.kinds import kind_named as kind_named
from dure.knowledge.parse.kinds import kind_of as kind_of
from dure.knowledge.parse.kinds import parse as parse
from dure.knowledge.parse.ocr import Box as Box
from dure.knowledge.parse.parsed import clean as clean
from dure.knowledge.parse.parsed import join as join
from dure.knowledge.parse.problems import Unreadable as Unreadable
