"""The bytes of a chat completion as JSON values, whether they come as server-sent events or as one JSON object."""

from typing import Any

from dure.errors import ModelError, phrase
from dure.models.deltas import load, shown

_FIELDS = (b"event:", b"id:", b"retry:", b":")


class ReplyBytes:
    """Feed it blocks of bytes as they come; the label (Content-Type) is not trusted, the first byte decides.

    `done`: the stream's own end (`data: [DONE]`) has come."""

    def __init__(self) -> None:
        self.done = False
        self._rest = bytearray()
        self._whole: bool | None = None

    def feed(self, block: bytes) -> list[Any]:
        """The values that became complete. Raises ModelError for a web page or anything else unreadable."""
        self._rest += block
        if self._whole is None:
            self._rest = self._rest.lstrip(b"\xef\xbb\xbf \t\r\n")
            if not self._rest:
                return []
            if self._rest.startswith(b"<"):
                raise ModelError(reason=phrase("models_sse.page", data=shown(self._rest)))
            self._whole = self._rest.startswith(b"{")
        if self._whole or b"\n" not in self._rest:
            return []
        lines = bytes(self._rest).split(b"\n")
        self._rest = bytearray(lines.pop())
        return self._values(lines)

    def finish(self) -> list[Any]:
        """What the last bytes held."""
        rest, self._rest = bytes(self._rest.strip()), bytearray()
        if not rest:
            return []
        if self._whole:
            self.done = True
            return [load(rest)]
        return self._values([rest])

    def _values(self, lines: list[bytes]) -> list[Any]:
        values = []
        for line in lines:
            if self.done:
                break
            if line.startswith(b"data:"):
                data = line[5:].strip()
                if data == b"[DONE]":
                    self.done = True
                elif data:
                    values.append(load(data))
            elif line.startswith(b"error:"):
                # llama.cpp's server wrote errors this way for some time.
                values.append({"error": load(line[6:].strip())})
            elif line.strip() and not line.startswith(_FIELDS):
                raise ModelError(reason=phrase("models_sse.line", data=shown(line)))
        return values
