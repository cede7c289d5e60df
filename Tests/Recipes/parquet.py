"""docs/examples/tw-to-parquet and tw-hashtags: parquet.py PACKAGE. Needs duckdb, pandas, polars and pyarrow in this Python.

The tools are on PATH."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import duckdb

ROOT = pathlib.Path(sys.argv[1])

# As 'make install' puts them.
os.makedirs("installed/bin")
os.makedirs("installed/share/tw")
os.symlink(shutil.which("tw-parse"), "installed/bin/tw-parse")
os.symlink(ROOT / "docs/schema", "installed/share/tw/schema")
os.environ["PATH"] = f"{os.getcwd()}/installed/bin:{os.environ['PATH']}"


def example(name, *arguments):
    result = subprocess.run([sys.executable, ROOT / "docs/examples" / name, *arguments], capture_output=True, text=True)
    if result.returncode or result.stderr:
        sys.exit(f"{name}: {result.returncode} {result.stderr}")
    return result.stdout


def tweet(number, day, text, likes, read):
    return {
        "id": str(number + 100),
        "text": text,
        "created_at": f"2026-01-{day:02}T12:00:00.000Z",
        "author_id": str(number % 3 + 1),
        "author": {"id": str(number % 3 + 1), "username": f"user{number % 3}"},
        "public_metrics": {"like_count": likes},
        "__twarc": {"retrieved_at": f"2026-02-{read:02}T00:00:00+00:00"},
    }


tweets = [tweet(number, 1 + number % 2, f"#swift and #Tag{number % 4}", number, 1) for number in range(40)]
# Newer and older versions, a deletion, and a tweet without a time.
tweets += [tweet(3, 2, "#swift again", 1000, 3), tweet(3, 2, "#older", 7000, 2)]
tweets += [{"id": "99", "text": "no time", "author_id": "1"}]
# Names that a terminal would take for commands.
evil = tweet(60, 3, "#evil", 5000, 1) | {"entities": {"hashtags": [{"start": 0, "end": 5, "tag": "e\x1b[31mvil\n"}]}}
tweets.append(evil | {"author": {"id": "7", "username": "\x1b]0;x\x07"}, "author_id": "7"})
lines = "".join(json.dumps(line) + "\n" for line in tweets) + '{"delete":{"status":{"id_str":"106","user_id_str":"1"}}}\n'
parsed = subprocess.run(["tw-parse"], input=lines, capture_output=True, text=True, check=True).stdout.splitlines(keepends=True)
for name, part in [("it's.ndjson", parsed[:20]), ("rest.ndjson", parsed[20:])]:
    pathlib.Path(name).write_text("".join(part))
subprocess.run(["zstd", "-q", "--rm", "rest.ndjson"], check=True)
# A name that DuckDB could take for a pattern, or for its end: the files that fit the pattern are not read.
os.rename("it's.ndjson", "it's [ab]*?.ndjson")
pathlib.Path("it's a12.ndjson").write_text(json.dumps({"tw": "tweet", "id": "12345", "service": "x", "text": "other", "author": {"id": "1"}}))
example("tw-to-parquet", "days of it's", "it's [ab]*?.ndjson", "rest.ndjson.zst")

first, second = [number for number in range(0, 40, 2) if number != 6], list(range(1, 40, 2))
days = duckdb.sql(
    "SELECT day::VARCHAR, count(*), sum(public_metrics.like_count) FROM "
    "read_parquet('days of it''s/**/*.parquet', hive_partitioning = true, hive_types_autocast = false) GROUP BY 1 ORDER BY 1"
).fetchall()
wanted = [
    ("2026-01-01", 19, sum(first)), ("2026-01-02", 20, sum(second) - 3 + 1000), ("2026-01-03", 1, 5000), ("unknown", 1, None),
]
if days != wanted:
    sys.exit(f"tw-to-parquet: {days}, and not {wanted}")

shown = example("tw-hashtags", "days of it's")
likes = {author: sum(1000 if n == 3 else n for n in first + second if n % 3 == author) for author in range(3)}
best = sorted(likes.items(), key=lambda entry: -entry[1])[:2]
wanted = (
    "2026-01-01\t#swift\t19\t3\n2026-01-01\t#tag0\t10\t3\n2026-01-01\t#tag2\t9\t3\n"
    "2026-01-02\t#swift\t20\t3\n2026-01-02\t#tag1\t10\t3\n2026-01-02\t#tag3\t9\t3\n"
    "2026-01-03\t#e\ufffd[31mvil\ufffd\t1\t1\n"
    "@\ufffd]0;x\ufffd\t5000\n"
    + "".join(f"@user{author}\t{count}\n" for author, count in best)
)
if shown != wanted:
    sys.exit(f"tw-hashtags:\n{shown}\nand not\n{wanted}")
