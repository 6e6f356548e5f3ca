"""The sentences by which servers refuse, and sentences that are about something else."""

import pytest

from dure.models.refusals import is_final, refused_parameter, refuses_schema, refuses_tools


@pytest.mark.parametrize(
    "reason",
    [
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "registry.ollama.ai/library/gemma3:4b does not support tools",
        "tools param requires --jinja flag",
        'No endpoints found that support tool use. Try disabling "web_search".',
        "Unsupported parameter: 'tools' is not supported with this model.",
        "This model does not support function calling",
    ],
)
def test_tools(reason):
    assert refuses_tools(reason)
    assert is_final(reason)


@pytest.mark.parametrize(
    "reason",
    [
        "This model's maximum context length is 4096 tokens",
        "Invalid schema for function 'search'",
        "Rate limit reached",
        "the tool message has no matching call",
    ],
)
def test_not_about_tools(reason):
    assert not refuses_tools(reason)
    assert not refuses_schema(reason)


@pytest.mark.parametrize(
    "reason",
    [
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model",
        "response_format.type: must be one of text, json_object",
        "failed to parse grammar",
    ],
)
def test_schema(reason):
    assert refuses_schema(reason)


@pytest.mark.parametrize(
    ("reason", "name"),
    [
        ("Unrecognized request argument supplied: stream_options", "stream_options"),
        ("Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.", "max_tokens"),
        ("Unsupported value: 'temperature' does not support 0.0 with this model.", "temperature"),
        ("body.stop: Extra inputs are not permitted", "stop"),
        ("max_tokens must be at least 1", None),
        ("unknown error: the server stopped", None),
    ],
)
def test_parameters(reason, name):
    assert refused_parameter(reason, {"stream_options", "max_tokens", "temperature", "stop"}) == name
