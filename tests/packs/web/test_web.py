import sys

from pydantic import SecretStr

from dure.packs.web import web
from dure.settings import Settings


def _lacking(settings):
    return {each.name: each.lacks for each in web.web_tools(settings) if each.lacks}


def test_what_lacks_its_library(monkeypatch):
    assert _lacking(Settings()) == {}
    for name in ("ddgs", "trafilatura"):
        monkeypatch.setitem(sys.modules, name, None)
    assert _lacking(Settings()) == {"web_search": "ddgs", "fetch_page": "trafilatura"}
    assert _lacking(Settings(tavily_api_key=SecretStr("k"))) == {"fetch_page": "trafilatura"}
