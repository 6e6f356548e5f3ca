"""The library: papers and the glossary."""

from dure.packs.papers.library.base import Papers as Papers
from dure.packs.papers.library.glossary import Glossary as Glossary
from dure.packs.papers.library.glossary import Looked as Looked
from dure.packs.papers.library.term import Term as Term
from dure.packs.papers.record import Added as Added
from dure.packs.papers.record import FoundPaper as FoundPaper
from dure.packs.papers.record import Paper as Paper
from dure.packs.papers.record import PaperRecord as PaperRecord
from dure.packs.papers.record import PaperText as PaperText
from dure.packs.papers.record import Problem as Problem
from dure.packs.papers.record import Section as Section
from dure.packs.papers.record import Statistics as Statistics
