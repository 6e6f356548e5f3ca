"""What a user may send."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure import Dure
from dure.errors import DureError, EmptyMessage, InvalidInput, InvalidSession, InvalidText, MessageTooLong, UnknownTeam
from dure.runs import Ask

TEAMS = Dure().teams


def check(**fields):
    return Ask(**({"message": "안녕"} | fields)).checked(TEAMS, 1000)


def test_what_is_left_open_is_chosen() -> None:
    team, level, output_format = check()
    assert (team.name, level, output_format) == ("workplace", None, "chat")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"message": ""}, EmptyMessage),
        ({"message": " \n\t\u3000"}, EmptyMessage),
        ({"message": "x" * 1001}, MessageTooLong),
        ({"message": "a\x00b"}, InvalidText),
        ({"message": "a\ud800b"}, InvalidText),
        ({"session_id": "../etc"}, InvalidSession),
        ({"session_id": ".."}, InvalidSession),
        ({"session_id": ""}, InvalidSession),
        ({"session_id": "s" * 129}, InvalidSession),
        ({"session_id": "세션"}, InvalidSession),
        ({"session_id": "a\n"}, InvalidSession),
        ({"team": "nobody"}, UnknownTeam),
        ({"level": "medium"}, InvalidInput),
        ({"output_format": "xml"}, InvalidInput),
    ],
)
def test_what_cannot_be_used_is_said(fields, error) -> None:
    with pytest.raises(error) as caught:
        check(**fields)
    assert caught.value.message("ko") != caught.value.message("en")
    assert 400 <= caught.value.status < 500


@given(st.text(max_size=50), st.none() | st.text(max_size=20))
def test_any_text_is_taken_or_refused_with_a_typed_error(message, session_id) -> None:
    refused = None
    try:
        Ask(message, session_id).checked(TEAMS, 1000)
    except DureError as error:
        refused = error
    assert refused is None or refused.status < 500
