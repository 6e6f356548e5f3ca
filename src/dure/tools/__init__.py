"""Tools that come with Dure, and what runs a model's calls."""

from dure.tools.builtin import builtin_tools as builtin_tools
from dure.tools.calculator import calculator as calculator
from dure.tools.execute import MAX_RESULT_CHARS as MAX_RESULT_CHARS
from dure.tools.execute import prepared as prepared
from dure.tools.execute import run_call as run_call
from dure.tools.extras import lacking as lacking
from dure.tools.knowledge import knowledge_tool as knowledge_tool
from dure.tools.papers import LibraryTools as LibraryTools
from dure.tools.tables import Tables as Tables
