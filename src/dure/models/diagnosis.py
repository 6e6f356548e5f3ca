"""Why a model cannot be asked, and what mends that; and how much it reads at once, measured."""

from dure.errors import DatabaseUnavailable, DureError, ModelError, ModelTimeout, SettingsError, Text, phrase
from dure.messages import user
from dure.models.client import ChatClient
from dure.models.model import Model

_WORD = "one two three four five six seven eight nine ten "
"""About ten tokens for most models."""
_FEW = 20
_SHARE = 0.8
"""Of the tokens that should have arrived: with fewer the server dropped some."""
_MOST = 8192
"""Tokens that are tried; a window beyond is believed."""
_STEPS = 7


async def mend(model: Model, error: Exception, place: str) -> Text:
    """What to do about `error`, that the model of the setting `place` (`models.NAME`, or empty for those that begin
    with `model_`) met. Asks the server's list of models."""
    names = {"base_url": "base_url", "name": "name", "key": "api_key", "timeout": "timeout"}
    keys = {name: f"{place}.{name}" if place else f"DURE_MODEL_{short.upper()}" for name, short in names.items()}
    status = error.details.get("http_status") if isinstance(error, DureError) else None
    if isinstance(error, SettingsError):
        return phrase("models_diagnosis.settings")
    if isinstance(error, DatabaseUnavailable):
        return phrase("findings.mend_store")
    if isinstance(error, ModelTimeout | TimeoutError):
        return phrase("models_diagnosis.slow", **keys)
    if status in (402, 429):
        return phrase("models_diagnosis.quota")
    if status in (401, 403):
        return phrase("models_diagnosis.key", **keys)
    if isinstance(model.client, ChatClient) and isinstance(error, ModelError):
        return await _asked(model.client, keys)
    return phrase("models_diagnosis.server" if status else "models_diagnosis.away", **keys)


async def _asked(client: ChatClient, keys: dict[str, str]) -> Text:
    """By what the server lists: another name, or another address."""
    try:
        listed = await client.models()
    except DureError:
        _, found = await client.get("models")
        if isinstance(found, dict) and "data" in found:
            return phrase("models_diagnosis.none", **keys)
        status, _ = await client.get("/v1/models")
        if status == 200 and not client.base_url.endswith("/v1"):
            return phrase("models_diagnosis.address", **keys, url=f"{client.place}/v1")
        return phrase("models_diagnosis.no_server", **keys)
    if client.model not in listed:
        return phrase("models_diagnosis.names", **keys, names=", ".join(listed[:20]))
    return phrase("models_diagnosis.server", **keys)


async def measure(model: Model) -> tuple[int, float, bool] | None:
    """Send prompts up to the window that is believed, at most 8,192 tokens, and see whether they arrive by the tokens
    that the server counts: how many did, in how many seconds, and whether those are all. None where it counts none.
    Raises what `Model.ask` does, where it is not about length."""
    started, seconds = await _read(model, _FEW)
    if not started:
        return None
    each = started / _FEW
    least, most = _FEW, int(min(model.context, _MOST) * 0.9 / each)
    tried = most
    for _ in range(_STEPS):
        try:
            tokens, seconds = await _read(model, tried)
        except ModelError as error:
            if error.details.get("http_status") not in (400, 413, 422, 500):
                raise
            tokens = 0
        whole = tokens >= _SHARE * each * tried
        if whole and tried == most:
            return tokens, seconds, True
        least, most = (tried, most) if whole else (least, tried)
        tried = (least + most) // 2
    return int(least * each), seconds, False


TRIAL = (
    ("1 + 1 = ? Answer with the number only.", "2", "3"),
    ("연차휴가는 1년에 15일, 병가는 6일이다. 병가는 며칠인가? 숫자만 답하라.", "6", "15"),
    ("Sales writes offers. Accounting pays invoices. Who pays invoices? Answer with one word.", "accounting", "sales"),
    ("김 과장은 서울에서 부산으로 옮겼다. 지금 어느 도시에 있나? 도시 이름만 답하라.", "부산", "서울"),
    ("회의실 3개를 두 시간 쓴다. 회의실은 몇 개인가? JSON으로 답하라.", "3", "2"),
)
"""Questions, each with what is to stand in its answer and what is not; the last is asked for as JSON."""
_NUMBER = {"type": "object", "properties": {"rooms": {"type": "integer"}}, "required": ["rooms"]}


async def solved(model: Model) -> int:
    """How many of `TRIAL` the model answers rightly; no JSON is wrong. Raises what else `Model.ask` does."""
    right = 0
    for question, wanted, wrong in TRIAL:
        schema = _NUMBER if question is TRIAL[-1][0] else None
        try:
            said = (await model.ask([user(question)], schema=schema, max_tokens=400)).reply.content.lower()
        except ModelError as error:
            if schema is None or error.details.get("http_status"):
                raise
            said = ""
        right += wanted in said and wrong not in said
    return right


async def _read(model: Model, words: int) -> tuple[int, float]:
    """The prompt's tokens by the server's count, and the seconds it took."""
    asked = await model.ask([user(f"{_WORD * words}\nSay yes.")], max_tokens=16)
    return asked.reply.usage.prompt_tokens, asked.seconds
