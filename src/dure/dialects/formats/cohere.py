"""`<|START_ACTION|>[{"tool_call_id": "0", "tool_name": N, "parameters": {…}}]<|END_ACTION|>`: Cohere Command R7B, A."""

from dure.dialects.formats.tagged import tagged_json

FORMAT = tagged_json("cohere", ("<|START_ACTION|>",), ("<|END_ACTION|>",))
