"""`<|im_start|>assistant -> tool/function_call` before a JSON array: HyperCLOVA X SEED Think 14B."""

from dure.dialects.formats.base import Format, Found, Region
from dure.dialects.formats.tagged import tagged_json
from dure.dialects.source import Source

_CALL = tagged_json(
    "hyperclova",
    (
        "<|im_start|>assistant -> tool/function_call",
        "\n -> tool/function_call",
        "\n-> tool/function_call",
    ),
    ("<|im_end|>",),
)
_THINK = Region("reasoning", ("<|im_end|>",))
_THINKS = ("<|im_start|>assistant/think\n", "\n/think\n")


def scan(src: Source, at: int, marker: str) -> Found | None:
    if marker in _THINKS:
        return Found(at + len(marker), enter=_THINK)
    return _CALL.scan(src, at, marker)


FORMAT = Format("hyperclova", (*_CALL.markers, *_THINKS), scan)
