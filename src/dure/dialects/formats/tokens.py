"""Tokens that end or begin a turn, where a server leaks them: they are never for the reader."""

import re

from dure.dialects.formats.base import Format, Found
from dure.dialects.source import Source

_ENDS = (
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|eom|>", "<|endoftext|>", "<|end_of_text|>", "<|endofturn|>",
    "<|end_of_turn|>", "<end_of_turn>", "<turn|>", "<eos>", "</s>", "<｜end▁of▁sentence｜>", "<|END_OF_TURN_TOKEN|>",
    "<|end_of_role|>", "<|stop|>", "[|endofturn|]", "<|end_of_msg|>", "<|observation|>", "<|tool_response>",
    "<end_function_call>", "<tool_call|>", "<|python_end|>", "<|tool_call_end|>", "<|tool_calls_section_end|>",
    "<｜tool▁calls▁end｜>", "<|END_RESPONSE|>", "<|START_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>",
    "<|CHATBOT_TOKEN|>", "<|START_OF_TURN_TOKEN|>", "<|user|>", "<|assistant|>", "<｜Assistant｜>", "<|begin_of_text|>",
    "[/INST]", "<answer>", "</answer>", "<response>", "</response>", "<|flush|>", "<|content|>",
    "[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]",
)  # fmt: skip
_CLOSERS = (
    "</tool_call>", "</tool_calls>", "</function>", "</function_call>", "</function_calls>", "</TOOLCALL>",
    "</minimax:tool_call>", "</seed:tool_call>", "</invoke>", "</tool_input>", "</use_mcp_tool>", "</arguments>",
)  # fmt: skip
_HEADS = ("<|im_start|>", "<|start_header_id|>", "<|header_start|>", "<|start_of_role|>", "<|turn>")
_HEAD = re.compile(r"<\|[a-z_]+\|?>[ \t]*(?:assistant|model)?(?:<\|(?:end_header_id|header_end|end_of_role)\|>)?\n*")


def scan(src: Source, at: int, marker: str) -> Found | None:
    if marker in _HEADS:
        match = src.match(_HEAD, at, reach=60)
        return Found(match.end()) if match else None
    return Found(at + len(marker))


FORMAT = Format("tokens", (*_ENDS, *_CLOSERS, *_HEADS), scan)
