"""`<|action_start|><|plugin|>{"name": N, "parameters": {…}}<|action_end|>`: InternLM 2 and 3, Intern-S1."""

from dure.dialects.formats.tagged import tagged_json

FORMAT = tagged_json("internlm", ("<|action_start|><|plugin|>", "<|action_start|> <|plugin|>"), ("<|action_end|>",))
