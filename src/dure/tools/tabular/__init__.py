"""Tables of CSV, XLSX and Parquet files in a private DuckDB, in a child process per owner."""
