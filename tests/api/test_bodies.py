"""Bodies as they are read, before they are checked."""

import pytest

from dure.api.bodies import _parse
from dure.errors import InvalidJson


@pytest.mark.parametrize("number", [2**63, 2**70, -(2**64), 123456789012345678901234567890])
def test_whole_numbers_are_never_rounded(number: int) -> None:
    assert _parse(b'{"account": %d}' % number) == {"account": number}


@pytest.mark.parametrize("body", [b"{", b'{"n": 1234567890123456789', b"\xff", b"[" * 100_000])
def test_what_is_no_json_is_told(body: bytes) -> None:
    with pytest.raises(InvalidJson):
        _parse(body)
