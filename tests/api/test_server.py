"""Where the server listens."""

import socket
from pathlib import Path

import pytest

from dure.api.server import listen
from dure.errors import CannotListen, KeysNeeded
from dure.settings import load_settings


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_without_keys_only_loopback(host: str) -> None:
    with pytest.raises(KeysNeeded) as error:
        listen(load_settings(host=host, port=0))
    assert error.value.code == "keys_needed"


def test_with_keys_anywhere() -> None:
    listen(load_settings(host="0.0.0.0", port=0, api_keys=["k"])).close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_loopback(host: str) -> None:
    with listen(load_settings(host=host, port=0)) as bound:
        assert bound.getsockname()[1] > 0


def test_a_taken_port_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen) as error:
            listen(load_settings(host="127.0.0.1", port=port))
    assert str(port) in str(error.value)


@pytest.mark.parametrize("host", ["no-such-host.invalid", ""])
def test_an_address_of_nobody(host: str) -> None:
    with pytest.raises(CannotListen):
        listen(load_settings(host=host, port=0, api_keys=["k"]))
