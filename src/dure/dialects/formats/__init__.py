"""The formats in which models write calls, one a file. A new one is added to this list."""

from dure.dialects.formats import (
    deepseek,
    dsml,
    gemma,
    glm,
    harmony,
    hermes,
    invoke,
    json_call,
    kimi,
    kimi_k3,
    llama,
    mistral,
    pythonic,
    qwen_xml,
    think,
    tokens,
    tool_input,
)
from dure.dialects.formats.base import Format

FORMATS: tuple[Format, ...] = (
    think.FORMAT,
    tool_input.FORMAT,
    hermes.FORMAT,
    qwen_xml.FORMAT,
    glm.FORMAT,
    invoke.FORMAT,
    dsml.FORMAT,
    deepseek.FORMAT,
    kimi.FORMAT,
    kimi_k3.FORMAT,
    harmony.FORMAT,
    mistral.FORMAT,
    llama.FORMAT,
    gemma.FORMAT,
    pythonic.FORMAT,
    json_call.FORMAT,
    tokens.FORMAT,
)
"""In the order in which they are tried where several share a marker."""
