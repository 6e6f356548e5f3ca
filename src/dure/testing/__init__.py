"""A scripted model server for tests and benchmarks: real HTTP, OpenAI-compatible, fails on steps not consumed; and
Dure's own server over it."""

from dure.testing.server import Kind as Kind
from dure.testing.server import ScriptedServer as ScriptedServer
from dure.testing.serving import served as served
from dure.testing.steps import Step as Step
from dure.testing.steps import call as call
from dure.testing.steps import calls as calls
from dure.testing.steps import cut as cut
from dure.testing.steps import fail as fail
from dure.testing.steps import fail_in_stream as fail_in_stream
from dure.testing.steps import html as html
from dure.testing.steps import json as json
from dure.testing.steps import raw as raw
from dure.testing.steps import rubbish as rubbish
from dure.testing.steps import say as say
from dure.testing.steps import slow as slow
from dure.testing.steps import stall as stall
