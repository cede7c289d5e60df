#!/usr/bin/env python3
"""Tweets in Apache Spark: captures into a table, each tweet once into Parquet by day, and questions in SQL.

    spark-submit tweets.py read FOLDER TABLE      what is new in FOLDER, then it ends
    spark-submit tweets.py follow FOLDER TABLE    the same, and what comes later
    spark-submit tweets.py days TABLE DAYS        DAYS/day=2026-01-31/….parquet
    spark-submit tweets.py ask DAYS questions.sql

README.md says what it needs, and what is in TABLE and DAYS."""

import atexit
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

import pyarrow
from pyspark import SparkFiles
from pyspark.sql import SparkSession

TOOLS = "tw-parse", "tw-cache"
# What tw-parse takes of a folder. Spark itself leaves out names that begin with '.' or '_'.
NAMES = "*.{ndjson,jsonl,json}{,.zst,.gz,.bz2,.xz}"
# What tw-parse makes of a file: records, bad lines, and what it says of them or of damage to the file.
ROWS = "file STRING, line BIGINT, kind STRING, value BINARY"
# What 'days' wants to know of a record.
KEYS = """tw STRING, service STRING, id STRING, code STRING, edit_history_tweet_ids ARRAY<STRING>,
  referenced_tweets ARRAY<STRUCT<id: STRING, referenced_tweets: ARRAY<STRUCT<id: STRING>>>>"""
# All versions of a tweet go to one part, with what else a store must know of: deletions of it and of tweets inside it,
# and the notices that it applies to whatever comes. A tweet of X that was edited has several ids.
PARTS = """
WITH firsts AS (
  SELECT service, id, min(first) AS first
  FROM (SELECT service, explode(edit_history_tweet_ids) AS id, edit_history_tweet_ids[0] AS first FROM {table}
    WHERE tw = 'tweet' AND size(edit_history_tweet_ids) > 1)
  GROUP BY service, id),
tweets AS (
  SELECT pmod(hash(service, coalesce(first, id)), {parts}) AS part, *,
    concat(array(id), coalesce(edit_history_tweet_ids, array()), coalesce(referenced_tweets.id, array()),
      coalesce(flatten(filter(referenced_tweets.referenced_tweets, inner -> inner IS NOT NULL)).id, array())) AS ids
  FROM {table} LEFT JOIN firsts USING (service, id) WHERE tw = 'tweet'),
names AS (SELECT DISTINCT part, service, explode(ids) AS id FROM tweets)
SELECT part, file, line, record FROM tweets
UNION ALL
SELECT part, file, line, record FROM names JOIN {table} USING (service, id) WHERE tw = 'delete'
UNION ALL
SELECT part, file, line, record FROM (SELECT id AS part FROM range({parts})) CROSS JOIN {table}
WHERE tw = 'notice' AND code IN ('withheld', 'scrub_geo')
"""


def session():
    """Spark, with the tools where every worker finds them."""
    copies = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, copies)
    spark = SparkSession.builder.appName("tweets").config("spark.sql.session.timeZone", "UTC").getOrCreate()
    atexit.register(spark.stop)
    spark.sparkContext.setLogLevel("ERROR")
    for name in TOOLS:
        # It is there if --files of spark-submit has brought one.
        if not os.path.exists(SparkFiles.get(name)):
            # An installed tool is a link to a program that is several. Workers get a file, whose name says which it is.
            tool = shutil.which(name) or sys.exit(f"tweets.py: '{name}' is not installed")
            spark.sparkContext.addFile(shutil.copy(tool, f"{copies}/{name}"))
    return spark


@contextlib.contextmanager
def running(name, *arguments, **pipes):
    """A tool in a task. Bad lines do not end the task; a signal does, and all else that a tool may end with."""
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen([SparkFiles.get(name), *arguments], stderr=messages, **pipes)
        has_read_all = True
        try:
            yield process
            if process.stdin:
                process.stdin.close()
        except BrokenPipeError:
            has_read_all = False  # Its status says why.
        except BaseException:
            process.kill()
            process.wait()
            raise
        status = process.wait()
        messages.seek(max(0, messages.seek(0, os.SEEK_END) - 2000))
        process.said = messages.read().decode(errors="replace")
    # 1: some lines are bad. 65: all are, or the file is no JSON.
    if status not in (0, 1, 65) or not has_read_all:
        raise RuntimeError(f"{name} ended with {f'signal {-status}' if status < 0 else status}: {process.said}")


def lines(stream):
    """The lines of a stream, some megabytes of them at a time."""
    rest = b""
    while piece := stream.read(4 << 20):
        *whole, rest = (rest + piece).split(b"\n")
        if whole:
            yield whole
    if rest:
        yield [rest]


def parse(batches):
    """What is in files. A whole file is one tw-parse's: a context record holds for the lines after it."""

    def rows(kind, pieces):
        line = 0
        for values in pieces:
            count = len(values)
            columns = {"file": [file] * count, "line": range(line, line + count), "kind": [kind] * count}
            yield pyarrow.record_batch(columns | {"value": pyarrow.array(values, pyarrow.binary())})
            line += count

    for path in (path for batch in batches for path in batch["path"].to_pylist()):
        file = path.removeprefix("file:")
        with tempfile.NamedTemporaryFile() as bad:
            with running("tw-parse", "--quiet", "--rejects", bad.name, file, stdout=subprocess.PIPE) as parser:
                yield from rows("record", lines(parser.stdout))
            yield from rows("bad", lines(bad))
            yield from rows("said", [[parser.said]] if parser.said else [])


def read(spark, folder, table, follow):
    """Adds each file to the table, once. The checkpoint says which files are in a batch before it is written; a batch that
    was killed is written anew."""

    def write(files, number):
        target = f"{table}/batch={number}"
        rows = files.mapInArrow(parse, ROWS).selectExpr(
            "file",
            "line",
            "IF(kind = 'record', CAST(value AS STRING), NULL) AS record",
            "IF(kind = 'bad', value, NULL) AS bad",
            "IF(kind = 'said', CAST(value AS STRING), NULL) AS said",
        )
        rows = rows.selectExpr("*", f"from_json(record, '{KEYS}') AS keys").selectExpr("* EXCEPT (keys)", "keys.*")
        rows.write.parquet(target, mode="overwrite", compression="zstd")
        counts = spark.read.parquet(target).selectExpr("count(DISTINCT file)", "count(record)", "count(bad)", "count(said)")
        text = "batch {}: {} files, {} records, {} bad lines, {} files with messages"
        print(text.format(number, *counts.first()), flush=True)

    # Only the names of files pass through Spark. Without maxFileAge it would leave out files a week older than the
    # newest one.
    files = (
        spark.readStream.format("binaryFile")
        .schema("path STRING, modificationTime TIMESTAMP, length BIGINT, content BINARY")
        .load(folder, pathGlobFilter=NAMES, maxFileAge="36500d", maxFilesPerTrigger=1000)
        .select("path")
    )
    when = {"processingTime": "10 seconds"} if follow else {"availableNow": True}
    query = files.writeStream.foreachBatch(write).option("checkpointLocation", f"{table}/_checkpoint").trigger(**when)
    query.start().awaitTermination()


def merge(batches):
    """What a store keeps of the records of some parts, each tweet once."""
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/tw.db"
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
        with running("tw-cache", "add", "--db", store, "--quiet", "--no-sync", **pipes) as cache:
            for batch in batches:
                for record in batch["record"].to_pylist():
                    cache.stdin.write(record.encode() + b"\n")
        # Which copy of a post a store would show, a part cannot say: the others are in other parts.
        with running("tw-cache", "list", "--all-copies", "--db", store, stdout=subprocess.PIPE) as cache:
            for values in lines(cache.stdout):
                yield pyarrow.record_batch({"record": pyarrow.array(values, pyarrow.binary())})


def merged(spark, table):
    """The records of a table, each tweet once, as one store of the kit would have it."""
    spark.read.parquet(table).createOrReplaceTempView("records")
    parts = spark.sql(PARTS.format(table="records", parts=spark.conf.get("spark.sql.shuffle.partitions")))
    # Versions in the order in which tw-parse would print them.
    parts = parts.repartition("part").sortWithinPartitions("file", "line")
    return parts.select("record").mapInArrow(merge, "record BINARY").selectExpr("CAST(record AS STRING) AS record")


def days(spark, table, folder):
    """Writes tweets in typed columns. What has no column is left out."""
    columns = SparkFiles.get("tweet.ddl")
    if not os.path.exists(columns):
        columns = os.path.dirname(shutil.which("tw-parse")) + "/../share/tw/schema/spark/tweet.ddl"
    with open(columns) as schema:
        tweets = merged(spark, table).selectExpr(f"from_json(record, '{schema.read()}') AS tweet").select("tweet.*")
    tweets = tweets.selectExpr("*", "coalesce(date_format(created_at, 'yyyy-MM-dd'), 'unknown') AS day")
    tweets.hint("rebalance", "day").write.partitionBy("day").parquet(folder, compression="zstd")


def ask(spark, folder, questions):
    """Prints the questions of a file, and their answers."""
    spark.read.parquet(folder).createOrReplaceTempView("tweets")
    with open(questions) as text:
        for question in text.read().split(";\n"):
            print(question)
            spark.sql(question).show(1000, truncate=60)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["read" | "follow" as how, folder, table]:
            read(session(), folder, table, how == "follow")
        case ["days", table, folder]:
            days(session(), table, folder)
        case ["ask", folder, questions]:
            ask(session(), folder, questions)
        case _:
            sys.exit(__doc__)
