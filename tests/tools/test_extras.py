import sys

from pydantic import SecretStr

from dure.settings import Settings
from dure.tools import lacking


def test_what_lacks_its_library(monkeypatch):
    assert lacking(Settings()) == {}
    for library in ("ddgs", "trafilatura"):
        monkeypatch.setitem(sys.modules, library, None)
    assert lacking(Settings()) == {"web_search": "ddgs", "fetch_page": "trafilatura"}
    assert lacking(Settings(tavily_api_key=SecretStr("k"))) == {"fetch_page": "trafilatura"}
