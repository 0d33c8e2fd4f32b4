"""The challenge by DuckDB or Polars: arguments are the engine and the file."""

import math
import sys


def duckdb_rows(path):
    import duckdb

    return duckdb.execute(
        """select name, min(degrees), max(degrees), sum(degrees), count(*)
        from read_csv(?, header = false, delim = ';', quote = '', escape = '',
            columns = {'name': 'varchar', 'degrees': 'double'})
        group by name""",
        [path],
    ).fetchall()


def polars_rows(path):
    import polars as pl

    degrees = pl.col("degrees")
    schema = {"name": pl.String, "degrees": pl.Float64}
    rows = pl.scan_csv(path, separator=";", has_header=False, quote_char=None, schema=schema)
    totals = [degrees.min().alias("min"), degrees.max().alias("max"), degrees.sum().alias("sum"), pl.len()]
    return rows.group_by("name").agg(totals).collect(engine="streaming").rows()


def line(name, least, most, total, count):
    mean = math.floor(round(total * 10) / count + 0.5) / 10  # half up, as Math.round
    return f"{name}={least}/{mean}/{most}"


rows = {"duckdb": duckdb_rows, "polars": polars_rows}[sys.argv[1]](sys.argv[2])
sys.stdout.reconfigure(encoding="utf-8")
print("{" + ", ".join(line(*row) for row in sorted(rows)) + "}")
