import pytest

from dure.cli.approvals import pretty
from dure.cli.terminal import print_json


def test_numbers_beyond_64_bits_are_printed(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    print_json({"account": 2**70})
    assert capsysbinary.readouterr().out == f'{{\n  "account": "{2**70}"\n}}\n'.encode()
    assert pretty({"account": 2**70}) == f'{{\n  "account": "{2**70}"\n}}'
