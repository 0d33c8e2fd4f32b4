"""The ten questions by DuckDB or Polars: arguments are the engine, the file and the runs of each.

Prints for each question its first and its median seconds, the number of groups, and for up to three
columns the sum and the sum of squares. The texts are an ENUM in DuckDB, and Categorical in Polars.
"""

import sys
import time

NUMBERS = ["id4", "id5", "id6", "v1", "v2"]


def duckdb_questions(path):
    import duckdb

    texts = ["id1", "id2", "id3"]
    types = dict.fromkeys(texts, "varchar") | dict.fromkeys(NUMBERS, "integer") | {"v3": "double"}
    db = duckdb.connect()
    db.execute("set enable_progress_bar = false")
    db.execute("create table texts as from read_csv(?, header = true, columns = ?)", [path, types])
    for name in texts:
        db.execute(f"create type {name}_texts as enum (select distinct {name} from texts order by all)")
    enums = ", ".join(f"{name}::{name}_texts as {name}" for name in texts)
    db.execute(f"create table x as select * replace ({enums}) from texts")
    db.execute("drop table texts")
    selects = [
        ("id1", "sum(v1) as a"),
        ("id1, id2", "sum(v1) as a"),
        ("id3", "sum(v1) as a, avg(v3) as b"),
        ("id4", "avg(v1) as a, avg(v2) as b, avg(v3) as c"),
        ("id6", "sum(v1) as a, sum(v2) as b, sum(v3) as c"),
        ("id4, id5", "median(v3) as a, stddev(v3) as b"),
        ("id3", "max(v1) - min(v2) as a"),
        ("id6", "unnest(max(v3, 2)) as a"),
        ("id2, id4", "pow(corr(v1, v2), 2) as a"),
        ("id1, id2, id3, id4, id5, id6", "sum(v3) as a, count(*) as b"),
    ]

    def asked(keys, values):
        def question():
            db.execute(f"create or replace table answer as select {keys}, {values} from x group by {keys}")

        return question

    def check():
        names = [column[0] for column in db.execute("select * from answer limit 0").description]
        sums = [f"sum({x} ** {power}) filter (not isnan({x}))"
                for x in (f"{name}::double" for name in "abc" if name in names) for power in (1, 2)]
        return db.execute(f"select count(*), {', '.join(sums)} from answer").fetchone()

    return [asked(*select) for select in selects], check


def polars_questions(path):
    import polars as pl

    types = {f"id{i}": pl.Categorical for i in (1, 2, 3)} | dict.fromkeys(NUMBERS, pl.Int32) | {"v3": pl.Float64}
    x = pl.read_csv(path, schema_overrides=types).lazy()
    v1, v2, v3 = pl.col("v1"), pl.col("v2"), pl.col("v3")
    selects = [
        (["id1"], [v1.sum().alias("a")]),
        (["id1", "id2"], [v1.sum().alias("a")]),
        (["id3"], [v1.sum().alias("a"), v3.mean().alias("b")]),
        (["id4"], [v1.mean().alias("a"), v2.mean().alias("b"), v3.mean().alias("c")]),
        (["id6"], [v1.sum().alias("a"), v2.sum().alias("b"), v3.sum().alias("c")]),
        (["id4", "id5"], [v3.median().alias("a"), v3.std().alias("b")]),
        (["id3"], [(v1.max() - v2.min()).alias("a")]),
        (["id6"], [v3.top_k(2).alias("a")]),
        (["id2", "id4"], [(pl.corr("v1", "v2") ** 2).alias("a")]),
        (["id1", "id2", "id3", "id4", "id5", "id6"], [v3.sum().alias("a"), pl.len().alias("b")]),
    ]
    answer = None

    def asked(keys, values):
        def question():
            nonlocal answer
            answer = x.group_by(keys).agg(values)
            answer = (answer.explode("a") if keys == ["id6"] and len(values) == 1 else answer).collect()

        return question

    def check():
        columns = [pl.col(name).cast(pl.Float64).fill_nan(None) for name in "abc" if name in answer.columns]
        sums = [total.alias(f"{i}{j}") for i, x in enumerate(columns) for j, total in enumerate((x.sum(), (x**2).sum()))]
        return (answer.height, *answer.select(sums).row(0))

    return [asked(*select) for select in selects], check


questions, check = {"duckdb": duckdb_questions, "polars": polars_questions}[sys.argv[1]](sys.argv[2])
for number, question in enumerate(questions, 1):
    seconds = []
    for _ in range(int(sys.argv[3])):
        start = time.perf_counter()
        question()
        seconds.append(time.perf_counter() - start)
    sums = [float(total or 0) for total in check()] + [0.0] * 6
    print(f"q{number}", seconds[0], sorted(seconds)[len(seconds) // 2], int(sums[0]), *sums[1:7])
