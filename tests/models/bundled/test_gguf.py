"""What GGUF files say of themselves, and files that are none."""

import struct
from pathlib import Path

import pytest
from fixtures.gguf import gguf

from dure.errors import InvalidInput
from dure.models import open_model
from dure.models.bundled.gguf import header
from dure.models.bundled.model import BundledClient
from dure.models.bundled.weights import WEIGHTS, path_of, pull
from dure.settings import Settings

OWN = {
    "general__architecture": "qwen3",
    "qwen3__context_length": 40960,
    "tokenizer__ggml__tokens": ["<s>", "안녕", "x" * 300],
    "tokenizer__ggml__scores": [0.0, 1.0, 2.0],
    "general__name": "Qwen3 4B",
    "tokenizer__chat_template": "{{ messages }}",
}


@pytest.mark.parametrize("version", [2, 3])
def test_a_header_is_read_past_lists(tmp_path: Path, version: int) -> None:
    file = tmp_path / "own.gguf"
    file.write_bytes(gguf(version, **OWN) + bytes(100))
    assert header(file) == {"name": "Qwen3 4B", "context": 40960, "template": OWN["tokenizer__chat_template"]}
    file.write_bytes(gguf(version))
    assert header(file) == {"name": "own", "context": None, "template": None}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GGUF",
        b"GGML" + gguf(**OWN)[4:],
        gguf(1),
        gguf(**OWN)[:-5],
        struct.pack("<4sIQQ", b"GGUF", 3, 0, 2**63),
        struct.pack("<4sIQQQ", b"GGUF", 3, 0, 1, 2**63),
        struct.pack("<4sIQQQ1sIIQ", b"GGUF", 3, 0, 1, 1, b"k", 9, 8, 2**62),
        struct.pack("<4sIQQQ1sIIQ", b"GGUF", 3, 0, 1, 1, b"k", 9, 9, 1),
        struct.pack("<4sIQQQ1sI", b"GGUF", 3, 0, 1, 1, b"k", 99),
    ],
    ids=range(10),
)
def test_what_is_none_is_told(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "broken.gguf"
    file.write_bytes(data)
    with pytest.raises(InvalidInput, match=r"'broken\.gguf' is no GGUF file"):
        header(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="No such file"):
        header(tmp_path / "none.gguf")


@pytest.mark.parametrize(("written", "given", "context"), [(40960, None, 8192), (2048, None, 2048), (2048, 1024, 1024)])
def test_the_context_is_the_files_within_reason_unless_the_settings_say(
    tmp_path: Path, written: int, given: int | None, context: int
) -> None:
    file = tmp_path / "own.gguf"
    file.write_bytes(gguf(**OWN | {"qwen3__context_length": written}))
    client = open_model(Settings(bundled_path=file, model_context=given)).client
    assert isinstance(client, BundledClient)
    assert client.context == context


@pytest.mark.slow
def test_real_weights() -> None:
    path = pull(WEIGHTS["0.5b"], path_of("0.5b", Settings().cache_dir))
    found = header(path)
    assert (found["name"], found["context"]) == ("Qwen2.5 Coder 0.5B Instruct AWQ", 32768)
    assert "<tool_call>" in found["template"]
