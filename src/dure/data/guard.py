"""Which SQL may run: one SELECT over the tables at hand, made of syntax and functions that only compute.

It knows nothing but what is allowed, and reads the SQL as DuckDB itself does (`json_serialize_sql`). The first of three
walls. The second is the engine: no external access, locked configuration, a read-only transaction. The third is the
process: a limit on memory, and its end when time is up.
"""

import re
from collections.abc import Collection, Iterator
from typing import Any

import duckdb
import orjson

from dure.data.limits import MAX_NESTING, MAX_SQL_CHARS
from dure.data.rows import fault

_SYNTAX = """
    SELECT_NODE SET_OPERATION_NODE CTE_NODE RECURSIVE_CTE_NODE BASE_TABLE SUBQUERY JOIN TABLE_FUNCTION EXPRESSION_LIST
    EMPTY PIVOT SHOW_REF ORDER_MODIFIER LIMIT_MODIFIER LIMIT_PERCENT_MODIFIER DISTINCT_MODIFIER ORDER_DEFAULT ASCENDING
    DESCENDING TYPE \\w+_TYPE_INFO COLUMN_REF POSITIONAL_REFERENCE STAR VALUE_CONSTANT FUNCTION LAMBDA COLLATE CAST
    CASE_EXPR GROUPING_FUNCTION COMPARE_* CONJUNCTION_* OPERATOR_* ARRAY_* STRUCT_* WINDOW_*
"""
_FUNCTIONS = """
    [^\\w\\s]+ a?cosh? a?sinh? a?tanh? abs add age aggregate any_value apply approx_* arbitrary arg_* argmax argmin
    array_* ascii atan2 avg bar base64 bin bit_* bool_* cardinality cbrt ceil ceiling century char_length
    character_length chr coalesce columns concat concat_ws contains corr cos cot count count_* covar_* cume_dist
    current_date current_time current_timestamp damerau_levenshtein date date_* dateadd datediff datepart datesub
    datetrunc day day\\w+ decade degrees dense_rank divide element_at ends_with entropy epoch epoch_* equi_width_bins
    era even exp factorial favg fdiv fill filter first first_value flatten floor fmod format fsum gamma gcd
    generate_series generate_subscripts geomean geometric_mean get_current_time get_current_timestamp greatest
    greatest_common_divisor group_concat grouping grouping_id hamming hash hex histogram histogram_* hour
    (not_)?i?like_escape if iff ifnull instr isfinite isinf isnan isodow isoyear jaccard jaro_* json json_array
    json_array_length json_contains json_exists json_extract json_extract_* json_group_array json_group_object
    json_keys json_object json_quote json_type json_valid json_value julian kahan_sum kurtosis kurtosis_pop lag last
    last_day last_value lcase lcm lead least least_common_multiple left left_grapheme len length length_grapheme
    levenshtein lgamma list list_* listagg ln log log10 log2 lower lpad ltrim mad make_* map map_* max max_by md5 mean
    median microsecond millennium millisecond min min_by minute mismatches mod mode month monthname multiply nanosecond
    nextafter nfc_normalize now nth_value ntile nullif octet_length ord overlay percent_rank percentile_cont
    percentile_disc pi position pow power prefix printf product quantile quantile_* quarter radians random range rank
    rank_dense reduce regexp_* regr_* repeat replace reservoir_quantile reverse right right_grapheme round round_even
    roundbankers row row_number rpad rtrim second sem sha1 sha256 sign signbit sin sinh skewness split split_part sqrt
    starts_with stddev stddev_* str_* strftime string_* strip_accents strlen strpos strptime struct_* substr substring
    substring_grapheme subtract suffix sum sum_no_overflow sumkahan switch tan time_bucket timezone timezone_hour
    timezone_minute to_base to_base64 to_binary to_centuries to_days to_decades to_hex to_hours to_json to_microseconds
    to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds to_timestamp to_weeks to_years today
    translate trim trunc try try_strptime typeof ucase unbin unhex unicode unnest upper url_decode url_encode uuid
    var_pop var_samp variance wavg week week\\w+ weighted_avg xor year yearweek
"""
_NODES, _CALLED = (re.compile("|".join(each.replace("*", r"\w+").split())) for each in (_SYNTAX, _FUNCTIONS))
"""Types of the nodes of DuckDB's tree; its operators, and its functions that compute from their arguments, the clock
and chance."""
_SOURCES = frozenset({"unnest", "range", "generate_series"})
"""Functions that may stand where a table does."""
_SYSTEM = re.compile(r"(duckdb|pragma|sqlite|pg|information)_\w*", re.IGNORECASE)
_BEGINNING = re.compile(r"(?:[\s(]|--[^\n]*\n|/\*(?:(?!\*/).)*\*/)*+([a-z]+)", re.IGNORECASE | re.DOTALL)
"""The first word: other statements, such as `SUMMARIZE`, are a SELECT in the tree too."""


def check(db: duckdb.DuckDBPyConnection, sql: str, tables: Collection[str]) -> set[str]:
    """The names of those of `tables` that `sql` reads, in lower case.

    Raises ToolInputError for anything but one SELECT over `tables`.
    """
    nodes = list(_nodes(_tree(db, sql)))
    names = {each["key"].lower() for node in nodes for each in node.get("cte_map", {}).get("map", ())}
    if system := next((name for name in names if _SYSTEM.fullmatch(name)), None):
        raise fault("sql_with", name=system)
    known = {name.lower() for name in tables}
    for node in nodes:
        kind, name = node.get("type"), str(node.get("function_name", "")).lower()
        if isinstance(kind, str) and not _NODES.fullmatch(kind):
            raise fault("sql_syntax", name=kind)
        if kind == "SHOW_REF" and node.get("show_type") != "SUMMARY":
            raise fault("sql_syntax", name=node.get("show_type"))
        if kind == "TABLE_FUNCTION" and (source := node["function"].get("function_name", "").lower()) not in _SOURCES:
            raise fault("sql_source", name=source)
        if node.get("class") in ("FUNCTION", "WINDOW") and not _CALLED.fullmatch(name):
            raise fault("sql_function", name=name)
        if kind == "BASE_TABLE":
            _check_table(node, known, names, tables)
    return known & {node["table_name"].lower() for node in nodes if node.get("type") == "BASE_TABLE"}


def _check_table(node: dict[str, Any], known: set[str], ctes: set[str], tables: Collection[str]) -> None:
    # As DuckDB 2 says where a table is, and as 1 does.
    *places, name = node.get("qualified_name", {}).get("path") or [node["table_name"]]
    places += [node[key] for key in ("catalog_name", "schema_name") if node.get(key)]
    place = {each.lower() for each in places}
    if not place <= {"main", "memory"} or name.lower() not in (known if place else known | ctes):
        raise fault("sql_table", name=".".join([*places, name])[:64], names=", ".join(tables) or "–")


def _tree(db: duckdb.DuckDBPyConnection, sql: str) -> dict[str, Any]:
    """The one query in `sql`. Raises ToolInputError for anything else."""
    if len(sql) > MAX_SQL_CHARS:
        raise fault("sql_long", most=MAX_SQL_CHARS)
    if "\0" in sql:
        raise fault("sql_nul")
    try:
        [(text,)] = db.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()
        read = orjson.loads(text)
    except (duckdb.Error, orjson.JSONDecodeError):
        # Deeper than the one writes or the other reads.
        raise fault("sql_deep") from None
    if read.get("error_type") == "parser":
        raise fault("sql_fault", reason=read["error_message"].splitlines()[0])
    begun = _BEGINNING.match(sql)
    if read["error"] or len(read["statements"]) != 1 or not begun or begun[1].lower() not in ("select", "from", "with"):
        raise fault("sql_select")
    return dict(read["statements"][0])


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """All objects in the tree. Raises ToolInputError where calls are nested too deep."""
    left = [(tree, 0)]
    while left:
        each, depth = left.pop()
        if isinstance(each, dict):
            yield each
            depth += each.get("class") in ("FUNCTION", "CAST") and not each.get("is_operator")
            if depth > MAX_NESTING:
                raise fault("sql_deep")
        if isinstance(each, dict | list):
            left += [(inner, depth) for inner in (each.values() if isinstance(each, dict) else each)]
