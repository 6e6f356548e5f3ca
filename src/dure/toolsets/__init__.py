"""Tools: what can be one, sets of them and what wraps those, what runs a model's calls, and those that every team can
have."""

from dure.toolsets.execute import MAX_RESULT_CHARS as MAX_RESULT_CHARS
from dure.toolsets.execute import Fitted as Fitted
from dure.toolsets.execute import prepared as prepared
from dure.toolsets.execute import run_call as run_call
from dure.toolsets.functions import ADAPTERS as ADAPTERS
from dure.toolsets.functions import as_tool as as_tool
from dure.toolsets.functions import tool as tool
from dure.toolsets.knowledge import SEARCH as SEARCH
from dure.toolsets.knowledge import knowledge_tool as knowledge_tool
from dure.toolsets.knowledge import reading_tool as reading_tool
from dure.toolsets.toolset import Filtered as Filtered
from dure.toolsets.toolset import Named as Named
from dure.toolsets.toolset import Tools as Tools
from dure.toolsets.toolset import Toolset as Toolset
from dure.toolsets.toolset import Wrapper as Wrapper
from dure.toolsets.toolset import listed as listed
from dure.toolsets.toolset import parts as parts
