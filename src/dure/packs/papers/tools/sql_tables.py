"""The tables and functions that SQL over papers may use: both walls, guard and engine, read them here."""

TABLES: dict[str, dict[str, str]] = {
    "papers": {
        "id": "TEXT",
        "title": "TEXT",
        "year": "INTEGER",
        "venue": "TEXT",
        "field": "TEXT",
        "citations": "INTEGER",
        "arxiv_id": "TEXT",
        "doi": "TEXT",
        "url": "TEXT",
    },
    "authors": {"id": "INTEGER", "name": "TEXT"},
    "paper_authors": {"paper_id": "TEXT", "author_id": "INTEGER", "position": "INTEGER"},
    "citations": {"citing_id": "TEXT", "cited_id": "TEXT"},
    "glossary": {"term_ko": "TEXT", "term_en": "TEXT", "field": "TEXT"},
}
"""Each table's columns with their SQLite types."""

INDEXES = {
    "papers": ("id", "year"),
    "authors": ("id", "name"),
    "paper_authors": ("paper_id", "author_id"),
    "citations": ("citing_id", "cited_id"),
    "glossary": (),
}

_AGGREGATES = "avg count group_concat max min string_agg sum total"
_WINDOWS = "cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number"
_TEXTS = (
    "char concat concat_ws format glob hex instr length like lower ltrim printf replace rtrim substr substring trim "
    "unicode upper"
)
_NUMBERS = "abs ceil ceiling degrees exp floor ln log log10 log2 mod pi pow power radians round sign sqrt trunc"
_DATES = "current_date current_time current_timestamp date datetime julianday strftime time unixepoch"
_VALUES = "coalesce ifnull iif nullif quote typeof"
FUNCTIONS = frozenset(" ".join((_AGGREGATES, _WINDOWS, _TEXTS, _NUMBERS, _DATES, _VALUES)).split())
"""Functions of SQLite that only compute. Where an older SQLite lacks one, it says so."""

MAX_ROWS = 200
"""Rows of a result: the LIMIT that is put into a query."""
