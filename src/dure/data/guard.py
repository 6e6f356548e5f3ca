"""Which SQL may run: one SELECT over the tables at hand, made of syntax and functions that only compute.

It knows nothing but what is allowed. The first of three walls. The second is the engine: no external access, locked
configuration, a read-only transaction. The third is the process: a limit on memory, and its end when time is up.
"""

import re
from collections.abc import Iterable

from sqlglot import exp

from dure.data.faults import fault
from dure.data.sql import called, one_query

_KINDS = """
    Select From Table TableAlias Column Identifier Alias Aliases Star Where Group Having Qualify Order Ordered
    Limit LimitOptions Offset Fetch Join With CTE Subquery Union Intersect Except Distinct Tuple Values Literal
    Null Boolean Paren DataType DataTypeParam ColumnDef Not EQ NEQ GT GTE LT LTE Is In Between Like ILike Glob
    SimilarTo Escape NullSafeEQ NullSafeNEQ Any All Add Sub Mul Div IntDiv Mod Neg DPipe BitwiseAnd BitwiseOr
    BitwiseNot BitwiseLeftShift BitwiseRightShift Collate Var Window WindowSpec Filter WithinGroup IgnoreNulls
    RespectNulls Interval IntervalSpan Bracket Slice Lambda Dot Lateral PropertyEQ Kwarg HexString RawString
    AtTimeZone Rollup Cube GroupingSets Pivot PivotAlias PivotAny UnpivotColumns TableSample Comprehension
    JSONPath JSONPathKey JSONPathRoot JSONPathSubscript JSONKeyValue Summarize
"""
"""The parser's syntax, beside that of functions (`exp.Func`), which go by their names."""
_SYNTAX = frozenset(getattr(exp, name) for name in _KINDS.split())
_FUNCTIONS = """
    abs a?cosh? add age aggregate any_value apply approx_* arbitrary arg_* argmax argmin array_* ascii a?sinh?
    atan2 a?tanh? avg bar base64 bin bit_* bool_* cardinality cbrt ceil ceiling century char_length
    character_length chr coalesce columns concat concat_ws contains corr cos cot count count_* covar_* cume_dist
    current_date current_time current_timestamp damerau_levenshtein date date_* dateadd datediff datepart datesub
    datetrunc day day\\w+ decade degrees dense_rank divide element_at ends_with entropy epoch epoch_*
    equi_width_bins era even exp factorial favg fdiv fill filter first first_value flatten floor fmod format fsum
    gamma gcd generate_series generate_subscripts geomean geometric_mean get_current_time get_current_timestamp
    greatest greatest_common_divisor group_concat grouping grouping_id hamming hash hex histogram histogram_* hour
    if iff ifnull instr isfinite isinf isnan isodow isoyear jaccard jaro_* json json_array json_array_length
    json_contains json_exists json_extract json_extract_* json_group_array json_group_object json_keys json_object
    json_quote json_type json_valid json_value julian kahan_sum kurtosis kurtosis_pop lag last last_day last_value
    lcase lcm lead least least_common_multiple left left_grapheme len length length_grapheme levenshtein lgamma
    list list_* listagg ln log log10 log2 lower lpad ltrim mad make_* map_* max max_by md5 mean median microsecond
    millennium millisecond min min_by minute mismatches mod mode month monthname multiply nanosecond nextafter
    nfc_normalize now nth_value ntile nullif octet_length ord overlay percent_rank percentile_cont percentile_disc
    pi position pow power prefix printf product quantile quantile_* quarter radians random range rank rank_dense
    reduce regexp_* regr_* repeat reservoir_quantile reverse right right_grapheme round round_even roundbankers
    row_number rpad rtrim second sem sha1 sha256 sign signbit sin sinh skewness split split_part sqrt starts_with
    stddev stddev_* str_* strftime string_* strip_accents strlen strpos strptime struct_* substr substring
    substring_grapheme subtract suffix sum sum_no_overflow sumkahan switch tan time_bucket timezone timezone_hour
    timezone_minute to_base to_base64 to_binary to_centuries to_days to_decades to_hex to_hours to_json
    to_microseconds to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds to_timestamp to_weeks
    to_years today translate trim trunc try try_strptime typeof ucase unbin unhex unicode unnest upper url_decode
    url_encode uuid var_pop var_samp variance wavg week week\\w+ weighted_avg xor year yearweek
"""
_ALLOWED = re.compile("|".join(_FUNCTIONS.replace("*", r"\w+").split()))
"""DuckDB's functions that compute from their arguments, the clock and chance."""
_SOURCES = frozenset({"unnest", "range", "generate_series"})
"""Functions that may stand where a table does."""
NO_NAMES = frozenset({"alter", "between", "cube", "drop", "force", "grant", "if", "insert"})
NO_NAMES |= {"install", "lock", "map", "revoke", "rollback", "rollup", "values"}
"""Names that DuckDB takes without quotes and the parser does not, at least in some places."""
_SYSTEM = re.compile(r"(duckdb|pragma|sqlite|pg|information)_\w*", re.IGNORECASE)


def check(sql: str, tables: Iterable[str]) -> set[str]:
    """The names of those of `tables` that `sql` reads, in lower case.

    Raises ToolInputError for anything but one SELECT over `tables`.
    """
    tree = one_query(sql)
    ctes = {each.alias_or_name.lower() for each in tree.find_all(exp.CTE)}
    if system := next((name for name in ctes if _SYSTEM.fullmatch(name)), None):
        raise fault("sql_with", name=system)
    given = list(tables)
    for node in tree.walk():
        # `SUMMARIZE 'file.csv'`: text where a table should stand.
        from_file = isinstance(node, exp.Summarize) and not isinstance(node.this, exp.Table | exp.Query)
        if isinstance(node, exp.Table):
            _check_source(node, ctes, given)
        elif from_file or not (type(node) in _SYNTAX or isinstance(node, exp.Func)):
            raise fault("sql_syntax", name=type(node).__name__)
    for name in called(sql, tree):
        if not _ALLOWED.fullmatch(name):
            raise fault("sql_function", name=name)
    return {node.name.lower() for node in tree.find_all(exp.Table)} & {name.lower() for name in given}


def _check_source(table: exp.Table, ctes: set[str], tables: list[str]) -> None:
    if isinstance(table.this, exp.Func):
        name = table.this.name if isinstance(table.this, exp.Anonymous) else table.this.sql_name()
        if name.lower() not in _SOURCES:
            raise fault("sql_source", name=name)
        return
    known = {name.lower() for name in tables}
    place = {table.db.lower(), table.catalog.lower()}
    plain = isinstance(table.this, exp.Identifier) and place <= {"", "main", "memory"}
    if not plain or table.name.lower() not in (known | ctes if place == {""} else known):
        raise fault("sql_table", name=table.sql("duckdb")[:64], names=", ".join(tables) or "–")
