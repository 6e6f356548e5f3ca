import re
from pathlib import Path

import pytest

from dure import configured
from dure.configured import config_file as real_config_file
from dure.errors import SettingsError
from dure.settings import load_settings, unknown_variables


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Looks for dure.toml as usual, in places that are empty."""
    monkeypatch.setattr(configured, "config_file", real_config_file)
    monkeypatch.setattr(configured, "user_config_path", lambda *_, **__: tmp_path / "config")
    monkeypatch.chdir(tmp_path)


def test_defaults():
    settings = load_settings()
    assert settings.model_base_url is None
    assert (settings.host, settings.port, settings.tool_dialect) == ("127.0.0.1", 8321, "auto")
    assert settings.api_keys == []
    assert settings.data_dir.is_absolute()
    assert settings.url == f"sqlite:///{settings.data_dir / 'dure.db'}"


def test_environment(monkeypatch, tmp_path):
    for name, value in {
        "MODEL_BASE_URL": "http://localhost:8000/v1/",
        "MODEL_NAME": "m",
        "MODEL_API_KEY": "sk-secret",
        "TOOL_DIALECT": "text",
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": "postgresql+psycopg://x/y",
        "PORT": "0",
        "API_KEYS": " one , kim:two,, ",
        "MAX_ITERATIONS": "3",
        "MCP_CONFIG": "mcp.json",
        "TAVILY_API_KEY": "",
    }.items():
        monkeypatch.setenv(f"DURE_{name}", value)
    settings = load_settings()
    assert settings.model_base_url == "http://localhost:8000/v1"
    assert settings.model_api_key is not None
    assert settings.model_api_key.get_secret_value() == "sk-secret"
    assert settings.tool_dialect == "text"
    assert settings.url == "postgresql+psycopg://x/y"
    assert settings.port == 0
    assert [each.get_secret_value() for each in settings.api_keys] == ["one", "kim:two"]
    assert settings.mcp_config == Path("mcp.json")
    assert settings.tavily_api_key is None
    assert "secret" not in repr(settings)
    assert "kim" not in repr(settings)


def test_home_is_expanded(monkeypatch):
    monkeypatch.setenv("HOME", "/home/kim")
    monkeypatch.setenv("USERPROFILE", "/home/kim")
    monkeypatch.setenv("DURE_DATA_DIR", "~/dure")
    assert load_settings().data_dir == Path("/home/kim/dure")


def test_file_environment_and_arguments_in_that_order(monkeypatch, tmp_path):
    (tmp_path / "dure.toml").write_text('port = 1\nhost = "a"\nmodel_name = "m"\napi_keys = ["k1", "k2"]\n')
    monkeypatch.setenv("DURE_PORT", "2")
    monkeypatch.setenv("DURE_HOST", "b")
    settings = load_settings(port=3)
    assert (settings.port, settings.host, settings.model_name) == (3, "b", "m")
    assert [each.get_secret_value() for each in settings.api_keys] == ["k1", "k2"]


def test_where_the_file_is_looked_for(monkeypatch, tmp_path):
    assert real_config_file() is None
    (tmp_path / "config").mkdir()
    users = tmp_path / "config" / "dure.toml"
    users.write_text("port = 1")
    assert real_config_file() == users
    (tmp_path / "dure.toml").write_text("port = 2")
    assert load_settings().port == 2
    named = tmp_path / "named.toml"
    named.write_text("port = 3")
    monkeypatch.setenv("DURE_CONFIG", str(named))
    assert load_settings().port == 3
    named.unlink()
    with pytest.raises(SettingsError, match=r"DURE_CONFIG.*named\.toml"):
        load_settings()


@pytest.mark.parametrize("text", ['modelname = "x"', '[models.fast]\nbase-url = "http://h/v1"'])
def test_a_key_that_is_none_leads_to_the_one_that_may_be_meant(tmp_path, text):
    (tmp_path / "dure.toml").write_text(text)
    with pytest.raises(SettingsError, match=r"model_name|base_url"):
        load_settings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('model = "zz"\n[models.A]\nbase_url = "http://h/v1"', r"DURE_MODELS is not valid: no model is named 'zz'"),
        ('[models.A]\nbase_url = "http://h/v1"\ntemperature = "hot"', r"DURE_MODELS\.A\.temperature is not"),
        ('[models.A]\nbase_url = "http://h/v1"\nprices = [1]', r"DURE_MODELS\.A\.prices\.1 is not"),
        ("[budgets.kim]\ntoken = 5", r"DURE_BUDGETS\.kim\.token is not valid: .*'tokens'"),
    ],
)
def test_a_wrong_key_of_a_table_is_named_as_it_stands_there(tmp_path, text, said):
    (tmp_path / "dure.toml").write_text(text)
    with pytest.raises(SettingsError, match=said) as error:
        load_settings()
    assert re.search(r"[가-힣]{3}", error.value.message("ko").partition("않습니다: ")[2])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "65536"),
        ("MODEL_BASE_URL", "localhost:8000"),
        ("MODEL_BASE_URL", "http://"),
        ("MODEL_BASE_URL", "http://:8000/v1"),
        ("MODEL_BASE_URL", "http://localhost:99999/v1"),
        ("MODEL_BASE_URL", "http://localhost:abc/v1"),
        ("EMBEDDINGS_BASE_URL", "http://[::1"),
        ("EMBEDDINGS_BASE_URL", "http://xn--/v1"),
        ("MODEL_TIMEOUT", "0"),
        ("MAX_ITERATIONS", "0"),
        ("BUNDLED_MODEL", "70b"),
        ("DATA_DIR", "~nosuchuser/x"),
        ("APPROVAL_HOURS", "1e8"),
        ("APPROVAL_HOURS", "inf"),
    ],
)
def test_a_wrong_value_names_its_variable(monkeypatch, name, value):
    monkeypatch.setenv(f"DURE_{name}", value)
    with pytest.raises(SettingsError, match=f"DURE_{name}"):
        load_settings()


def test_wrong_values_are_not_repeated(monkeypatch):
    for value in (
        "sk-secret-in-the-wrong-place",
        "http://me:sk-secret@localhost:port/v1",
        "http://localhost:sk-secret",
    ):
        monkeypatch.setenv("DURE_MODEL_BASE_URL", value)
        with pytest.raises(SettingsError) as caught:
            load_settings()
        assert "sk-secret" not in str(caught.value)


def test_variables_that_are_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DURE_MODEL_BASEURL", "DURE_PORT", "DURE_OWNER", "DURE_DEBUG", "dure_port", "DUREN", "DURE_TEST_X"):
        monkeypatch.setenv(name, "1")
    assert unknown_variables() == ["DURE_MODEL_BASEURL"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"port = ", r"dure\.toml"),
        (b"\xff\xfe", r"dure\.toml"),
        (b"prot = 1", "DURE_PROT"),
        (b'port = "x"', "DURE_PORT"),
    ],
)
def test_a_wrong_file_says_where(tmp_path, content, words):
    (tmp_path / "dure.toml").write_bytes(content)
    with pytest.raises(SettingsError, match=words):
        load_settings()


@pytest.mark.parametrize("given", ["no json", '{"m": [1]}', '{"m": [-1, 2]}', '{"m": [1e999, 1]}', "[]", '{"m": "x"}'])
def test_prices_that_cannot_be(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("DURE_PRICES", given)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert "DURE_PRICES" in caught.value.message("en")


def test_prices_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DURE_PRICES", '{"gpt-5*": [1.25, 10]}')
    assert load_settings().prices == {"gpt-5*": (1.25, 10.0)}
