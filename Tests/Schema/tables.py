"""Loads diverse records with docs/schema: tables.py TW-PARSE [RECORDINGS]

TW_TABLE_RECORDS says how many.

Needs duckdb, pandas, polars and pyarrow. Prints a line for each fault, and ends with 1 if there are any. The current folder gets
the files."""

import collections
import json
import os
import random
import re
import sys

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet

import records

WANTED = int(os.environ.get("TW_TABLE_RECORDS", 8_000))
FOLDER = records.ROOT / "docs/schema"
faults = []


def expect(what, got, wanted):
    if got != wanted:
        faults.append(f"{what}: {got!r}, and not {wanted!r}")


def wrong_types():
    """Records in which a key has each of the types of JSON in turn, at every depth."""
    values = ["text", 7, -0.5, 1e300, True, None, [], [[1]], {}, {"a": {"b": 1}}, "9" * 40, "2021-02-30T99:00:00.000Z", ["x", 1]]
    schema = json.loads((FOLDER / "record.schema.json").read_text())
    for name, definition in schema["$defs"].items():
        if name.endswith("_record"):
            for key in definition["properties"]:
                for value in values if key != "tw" else []:
                    yield json.dumps({"tw": name.removesuffix("_record"), "id": "1", "text": "", key: value})
    for key in schema["$defs"]["user"]["properties"]:
        for value in values:
            yield json.dumps({"tw": "tweet", "id": "1", "text": "", "author": {key: value}})
            yield json.dumps({"tw": "tweet", "id": "1", "text": "", "referenced_tweets": [{"author": {key: value}}, value]})


def arrow(path):
    """The schema in a file of docs/schema/arrow."""
    types = {
        "bool": lambda _: pyarrow.bool_(),
        "int": lambda _: pyarrow.int64(),
        "floatingpoint": lambda _: pyarrow.float64(),
        "timestamp": lambda _: pyarrow.timestamp("us", "UTC"),
        "list": lambda inner: pyarrow.list_(inner[0]),
        "struct": pyarrow.struct,
    }

    def field(value):
        inner = [field(child) for child in value["children"]]
        kind = value["type"]["name"]
        if kind == "utf8":
            return pyarrow.field(value["name"], pyarrow.json_() if "metadata" in value else pyarrow.string())
        return pyarrow.field(value["name"], types[kind](inner))

    return pyarrow.schema([field(value) for value in json.loads(path.read_text())["fields"]])


def spark(path):
    """The columns of a file of docs/schema/spark, in the words of Arrow."""
    tokens = re.findall(r"`[a-z_0-9]+`|[A-Z]+|[<>,:]", path.read_text())
    scalars = {"STRING": pyarrow.string(), "BIGINT": pyarrow.int64(), "DOUBLE": pyarrow.float64(), "BOOLEAN": pyarrow.bool_()}
    scalars["TIMESTAMP"] = pyarrow.timestamp("us", "UTC")

    def type():
        word = tokens.pop(0)
        if word == "ARRAY":
            tokens.pop(0)
            inner = type()
            tokens.pop(0)
            return pyarrow.list_(pyarrow.field("element", inner))
        if word == "STRUCT":
            inner = []
            while tokens.pop(0) != ">":
                name = tokens.pop(0).strip("`")
                tokens.pop(0)
                inner.append(pyarrow.field(name, type()))
            return pyarrow.struct(inner)
        return scalars[word]

    columns = []
    while tokens:
        columns.append(pyarrow.field(tokens.pop(0).strip("`"), type()))
        if tokens:
            tokens.pop(0)
    return pyarrow.schema(columns)


def plain(type):
    """A type without the extension for JSON, which Spark has not."""
    if isinstance(type, pyarrow.JsonType):
        return pyarrow.string()
    if pyarrow.types.is_list(type):
        return pyarrow.list_(pyarrow.field("element", plain(type.value_type)))
    if pyarrow.types.is_struct(type):
        return pyarrow.struct([pyarrow.field(field.name, plain(field.type)) for field in type])
    return type


parser, folder = sys.argv[1], (sys.argv[2:] or [None])[0]
made = [line for _, line in records.all_records(parser, folder)]
mixed = [made[at % len(made)] for at in range(WANTED)]
random.Random(7).shuffle(mixed)
mixed += wrong_types()
with open("mixed.ndjson", "w") as out:
    out.write("\n".join(mixed) + "\n")
counts = collections.Counter(json.loads(line)["tw"] for line in mixed)

database = duckdb.connect()
database.execute((FOLDER / "duckdb.sql").read_text())
macros = re.findall(r"MACRO ([a-z_]+)\(files\)[^;]*?= '([a-z_]+)';", (FOLDER / "duckdb.sql").read_text())
expect("record types", sorted(record for _, record in macros), sorted(path.stem for path in FOLDER.glob("arrow/*.json")))
for macro, record in macros:
    file = f"{record}.parquet"
    database.execute(f"COPY (FROM {macro}('mixed.ndjson')) TO '{file}' (FORMAT parquet)")
    schema = arrow(FOLDER / f"arrow/{record}.json")
    table = pyarrow.parquet.read_table(file)
    expect(f"columns of {file}", table.schema.remove_metadata().equals(schema), True)
    expect(f"records of {file}", table.num_rows, counts[record])
    columns = pyarrow.schema([pyarrow.field(field.name, plain(field.type)) for field in schema])
    expect(f"spark/{record}.ddl", spark(FOLDER / f"spark/{record}.ddl").equals(columns), True)

# A value of the right type is there, whatever the lines around it have.
texts = sorted(text for text in map(lambda line: json.loads(line).get("text"), (line for line in mixed if '"tweet"' in line[:14])) if isinstance(text, str))
tweets = polars.read_parquet("tweet.parquet")
expect("texts in Polars", sorted(text for text in tweets["text"] if text is not None)[:5] == texts[:5], True)
likes = sum(
    json.loads(line).get("public_metrics", {}).get("like_count", 0)
    for line in mixed[:WANTED]
    if '"tweet"' in line[:14] and isinstance(json.loads(line).get("public_metrics", {}).get("like_count", 0), int)
)
got = pandas.read_parquet("tweet.parquet", columns=["public_metrics"])["public_metrics"]
expect("likes in pandas", sum(int(row["like_count"] or 0) for row in got if row), likes)
expect("times in Polars", tweets["created_at"].dtype, polars.Datetime("us", "UTC"))
print("\n".join(faults) if faults else f"{sum(counts.values())} records: {dict(counts)}")
sys.stdout.flush()
# Not by sys.exit: a thread that one of the libraries still has would abort the process.
os._exit(1 if faults else 0)
