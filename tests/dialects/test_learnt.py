"""What is learnt of a model from its own chat template, rendered for real."""

import pytest

from dure.dialects import DIALECTS
from dure.dialects.learnt import READER, learn, own_format
from dure.dialects.quotations import Heard
from dure.dialects.text import compact
from dure.messages import Delta

TURNS = (
    "{% for m in messages %}{% if m.role == 'user' %}<u>{{ m.content }}</u>{% else %}<a>{{ m.content }}CALLS<eot>"
    "{% endif %}{% endfor %}{% if add_generation_prompt %}<a>\n<think>\n{% endif %}"
)
EACH = "{% for c in m.tool_calls %}{% set f = c.function %}"
WHOLE = EACH + "<%call%>{{ {'tool': f.name, 'params': f.arguments} | tojson }}<%end%>{% endfor %}"
HEAD = EACH + "<~run~>{{ f.name }}<~with~>{{ f.arguments | tojson }}<~end~>{% endfor %}"
ENCODED = EACH + "{{ '<~run~>' + f.name + '<~with~>' + f.arguments + '<~end~>' }}{% endfor %}"
ELEMENTS = (
    "{% if m.tool_calls %}<calls>"
    + EACH
    + "\n<do:{{ f.name }}>\n{% for k, v in f.arguments.items() %}<arg {{ k }}>{{ v }}</arg>\n{% endfor %}</do>"
    "{% endfor %}"
    "\n</calls>{% endif %}"
)
ONE = "{% if m.tool_calls | length > 1 %}{{ raise_exception('one at a time') }}{% endif %}" + HEAD
NO_PROMPT = "{% for m in messages %}<{{ m.role }}>{{ m.content }}" + HEAD + "<eot>{% endfor %}"
HERMES = EACH + "<tool_call>{{ {'name': f.name, 'arguments': f.arguments} | tojson }}</tool_call>{% endfor %}"


def whole(name, args):
    return f"<%call%>{compact({'tool': name, 'params': args})}<%end%>"


def head(name, args):
    return f"<~run~>{name}<~with~>{compact(args)}<~end~>"


def elements(name, args):
    inner = "".join(f"<arg {key}>{value}</arg>\n" for key, value in args.items())
    return f"<calls>\n<do:{name}>\n{inner}</do>\n</calls>"


def template(calls):
    return TURNS.replace("CALLS", calls)


def reading(own, text, tools, size):
    reader = DIALECTS["text"].reader(tools)
    reader.mind(Heard(own=own))
    pieces = [piece for at in range(0, len(text), size) for piece in reader.feed(Delta(text[at : at + size]))]
    reply = reader.finish()
    return reply, "".join(piece.text for piece in pieces + reply.rest if piece.kind == "text")


@pytest.mark.parametrize(
    ("calls", "write"),
    [(WHOLE, whole), (HEAD, head), (ENCODED, head), (ELEMENTS, elements), (ONE, head)],
    ids=["one object", "a head", "arguments encoded", "elements", "one call at a time"],
)
async def test_calls_are_read_as_the_template_writes_them(calls, write, tools):
    own = own_format((await learn(template(calls)))[0])
    for name, args in (("record", {"text": "휴가 <b> 정책", "title": "a, b"}), ("now", {})):
        text = "찾아보겠습니다.\n" + write(name, args)
        for size in (1, 7, 400):
            reply, shown = reading(own, text, tools, size)
            assert [(call.name, call.args, call.error) for call in reply.tool_calls] == [(name, args, None)]
            assert [call.reader for call in reply.tool_calls] == [READER]
            assert (shown, reply.repairs) == ("찾아보겠습니다.", [])


async def test_a_template_that_does_not_begin_replies():
    assert (await learn(NO_PROMPT))[0] == (await learn(template(HEAD)))[0]


async def test_a_call_that_breaks_off_is_not_made(tools):
    own = own_format((await learn(template(HEAD)))[0])
    reply, shown = reading(own, '<~run~>record<~with~>{"text": "rm -rf /tm', tools, 5)
    assert (reply.tool_calls, reply.unfinished, shown) == ([], "record", "")


@pytest.mark.parametrize(
    "hostile",
    [
        "",
        "{% if %}",
        "{{ messages.__class__.__mro__ }}",
        "{{ 'a' * 10000000000 }}",
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        template("{{ cycler.__init__.__globals__.os.system('true') }}" + HEAD),
        "x" * 400_000,
        template("{{ m.content }}"),
        template(EACH + "{{ f.name }}({{ f.arguments }}){% endfor %}"),
    ],
    ids=["none", "no template", "attributes", "memory", "time", "escape", "size", "no calls", "no marks"],
)
async def test_a_template_that_teaches_nothing(hostile, monkeypatch):
    if "range" in hostile:
        monkeypatch.setattr("dure.dialects.learnt.SECONDS", 1.0)
    assert (await learn(hostile))[0] is None


async def test_lines_around_values_are_layout_and_any_white_space_is_read_in_time(tools):
    own = own_format((await learn(template(ELEMENTS.replace(">{{ v }}<", ">\n{{ v }}\n<"))))[0])
    reply, _ = reading(own, elements("record", {"text": "a\nb"}).replace(">a", ">\na").replace("b<", "b\n<"), tools, 9)
    assert [call.args for call in reply.tool_calls] == [{"text": "a\nb"}]
    for text in ("<calls><do:record>" + "\n" * 50_000, "<calls>" + " " * 50_000 + "<do:record" + " " * 50_000):
        assert reading(own, text, tools, 100_000)[0].tool_calls == []


async def test_nothing_is_learnt_where_the_table_reads_it():
    assert (await learn(template(HERMES)))[0] is None


@pytest.mark.parametrize(
    ("prompt", "thinks"),
    [
        ("<a>\n<think>\n", True),
        ("<|open|>think<|sep|>", True),
        ("[THINK]", True),
        ("<a>\n<think>\n\n</think>\n\n", False),
        ("<a>", False),
        ("", False),
    ],
)
async def test_the_prompt_tells_whether_replies_begin_inside_reasoning(prompt, thinks):
    turns = TURNS.replace("<a>\n<think>\n{% endif %}", prompt + "{% endif %}").replace("CALLS", HERMES)
    assert await learn(turns) == (None, thinks)


GO = (
    "{{- range .Messages }}{{ if .Content }}{{ .Content }}{{ end }}{{- if .ToolCalls }}<~calls~>"
    "{{ range .ToolCalls }}\n<~run~>{{ .Function.Name }}<~with~>{{ .Function.Arguments }}<~end~>{{ end }}"
    "<~over~>{{ end }}{{ end }}"
)


async def test_a_template_of_ollamas_tells_what_stands_around_names_and_arguments(tools):
    own = own_format((await learn(GO))[0])
    text = f"네.<~calls~>\n{head('record', {'text': 'a <b>'})}\n{head('now', {})}<~over~>"
    for size in (1, 7, 400):
        reply, shown = reading(own, text, tools, size)
        assert [(call.name, call.args) for call in reply.tool_calls] == [("record", {"text": "a <b>"}), ("now", {})]
        assert (shown, reply.repairs) == ("네.", [])


@pytest.mark.parametrize(
    "calls",
    [
        "{{ range .ToolCalls }}<function={{ .Function.Name }}>{{ .Function.Arguments }}</function>{{ end }}",
        "{{ range .ToolCalls }}<~run~>{{ .Function.Name }}{{ range .Args }}{{ . }}{{ end }}<~end~>{{ end }}",
        "{{ range .ToolCalls }}{{ json .Function }}{{ end }}",
        "{{ range .ToolCalls }}",
    ],
)
async def test_nothing_is_learnt_of_a_template_of_ollamas_that_is_known_or_fills_in_more(calls):
    assert await learn(calls) == (None, False)
