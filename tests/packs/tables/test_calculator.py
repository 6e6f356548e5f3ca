import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.errors import DureError, ToolInputError
from dure.messages import ToolCall
from dure.packs.tables.calculator import calculate, calculator
from dure.tooling import ToolContext
from dure.toolsets import run_call


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1+2*3", "7"),
        ("(1+2)*3", "9"),
        ("0.1+0.2", "0.3"),
        ("1/3", "0.333333333333333"),
        ("2/3", "0.666666666666667"),
        ("-2**2", "-4"),
        ("2**3**2", "512"),
        ("2**-1", "0.5"),
        ("2**200", str(2**200)),
        ("7//2", "3"),
        ("-7//2", "-4"),
        ("-7%3", "2"),
        ("17 mod 5", "2"),
        ("--5", "5"),
        ("sqrt(2)**2", "2"),
        ("12345678901234567890*98765432109876543210", str(12345678901234567890 * 98765432109876543210)),
        ("99999999999999.123456+1", "100000000000000.123456"),
        ("1e-30", "1e-30"),
        ("1e5*2", "200000"),
        ("0.0000001e5", "0.01"),
        ("1.05**30", "4.32194237515066"),
        ("round(2.5)", "3"),
        ("round(-2.5)", "-3"),
        ("round(3.14159, 2)", "3.14"),
        ("round(1250, -2)", "1300"),
        ("floor(-1.5) + ceil(1.2)", "0"),
        ("avg(1, 2, 3, 4)", "2.5"),
        ("median(3, 1, 2)", "2"),
        ("max(5) + min(5) + sum(5)", "15"),
        ("ln(e)", "1"),
        ("log10(1000)", "3"),
        ("abs(-123456789012345678901234567890123)", "123456789012345678901234567890123"),
        ("pow(2, 10)", "1024"),
    ],
)
def test_values(expression, value):
    assert calculate(expression).shown == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1,234,567 + 1", "1234568"),
        ("(1,234,567+1)*2", "2469136"),
        ("sqrt(1,000,000)", "1000"),
        ("round(1,234.5)", "1235"),
        ("max(100,200)", "200"),
        ("max((1,200), (3,400))", "3400"),
        ("15%", "0.15"),
        ("15% of 200", "30"),
        ("200의 15%", "30"),
        ("200 + 10%", "220"),
        ("200 - 10%", "180"),
        ("100 * (1 + 5%)**2", "110.25"),
        ("10%-3", "-2.9"),
        ("3억 5천만", "350000000"),
        ("3억5,000만", "350000000"),
        ("1만 5,000원", "15000"),
        ("1,200만 + 3.5억", "362000000"),
        ("2천3백", "2300"),
        ("1억 천만", "110000000"),
        ("삼천오백만 / 2", "17500000"),
        ("1.5 million * 2", "3000000"),
        ("max(1,200만)", "2000000"),
        ("1조 / 4", "250000000000"),
        ("₩10,000 × 3", "30000"),
        ("１０ ÷ ４", "2.5"),
        ("5²", "25"),
        ("2^10", "1024"),
    ],
)
def test_reads_numbers_as_people_write_them(expression, value):
    assert calculate(expression).shown == value


def test_says_how_the_expression_was_read():
    assert calculate("1,200만*-2 + max(1,200)%").read_as == "12000000 * -2 + max(1, 200)%"
    assert calculate("7 % 4").read_as == "7 mod 4"


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "   ",
        "1+",
        "1 2",
        "(1",
        "1)",
        "sum(1, 2",
        "1,23",
        "12,34,567",
        "1,2345",
        "foo(1)",
        "sqrt",
        "sqrt(1, 2)",
        "max()",
        "max(1,200, 3,400)",
        "1==1",
        "5!",
        "1/0",
        "1 % 0",
        "1//0",
        "0/0",
        "0**0",
        "0**-1",
        "sqrt(-1)",
        "ln(0)",
        "(-8)**(1/3)",
        "round(1.5, 0.5)",
        "3만 5억",
        "1억 2억",
        "1" * 1001,
        "\0",
        "\ud800",
        "x = 5",
        "lambda: 0",
        "__import__('os').system('true')",
        "().__class__",
        "[i for i in (1,2)]",
        '"a"*9',
    ],
)
def test_refuses_what_is_no_arithmetic(expression):
    with pytest.raises(ToolInputError) as caught:
        calculate(expression)
    assert caught.value.message("ko") != caught.value.message("en")


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9",
        "10**100",
        "2**2**2**2**2",
        "10**99*10",
        "exp(1000)",
        "1e9999",
        "1e99999999999999999999",
        "pow(9, 999999999)",
        "0.5**-99999",
        "1" * 101,
        "(" * 500 + "1" + ")" * 500,
        "2" + "**1" * 300,
        "-" * 999 + "1",
        "sqrt(" * 200 + "2" + ")" * 200,
        "1%" * 333,
        "1,000" * 200,
        "1만" * 300,
        "exp(ln(" * 19 + "2" + "))" * 19,
        "1.0000001**1000000",
    ],
)
def test_hard_input_takes_few_steps(expression, steps):
    def tried(expression):
        with contextlib.suppress(ToolInputError):
            calculate(expression)

    assert steps(tried, expression) < 200_000


def test_huge_results_are_refused():
    with pytest.raises(ToolInputError, match="too large"):
        calculate("9**9**9")


@given(st.text(alphabet="0123456789+-*/%().,e sqrtmax만억천의 ", max_size=40))
def test_any_text_gives_a_value_or_a_typed_error(text):
    with contextlib.suppress(DureError):
        assert calculate(text).shown


@given(st.integers(-(10**20), 10**20), st.integers(-(10**20), 10**20))
def test_integers_are_exact(a, b):
    assert calculate(f"({a}) + ({b})").shown == str(a + b)
    assert calculate(f"({a}) * ({b})").shown == str(a * b)
    if b:
        assert calculate(f"({a}) // ({b})").shown == str(a // b)
        assert calculate(f"({a}) % ({b})").shown == str(a % b)


async def test_as_a_tool():
    tools = {"calculate": calculator()}
    context = ToolContext("me", language="ko")
    result = await run_call(tools, ToolCall("calculate", {"expression": "1,200만 * 12%"}), context)
    assert (result.status, result.text) == ("ok", "12000000 * 12% = 1440000")
    assert result.data == {"value": "1440000"}
    result = await run_call(tools, ToolCall("calculate", {"expression": "1/0"}), context)
    assert (result.status, result.text) == ("error", "0으로 나눌 수 없습니다.")
