"""What docs/examples/spark does with tools, files and records, without Spark: spark-files.py PACKAGE. The tools are on PATH, and
pyarrow is in this Python. Tests/Recipes/spark.py has the real Spark.

A stand-in for Spark gives a worker what it would get: the file that addFile names, as it is, in a folder of its own."""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import types

import pyarrow

HERE = pathlib.Path.cwd()
WORKER = HERE / "worker"
WORKER.mkdir()
# As 'make install' puts them: links to one program.
(HERE / "bin").mkdir()
shutil.copy(os.path.realpath(shutil.which("tw-parse")), "bin/tw")
for tool in "tw-parse", "tw-cache":
    os.symlink("tw", f"bin/{tool}")
os.environ["PATH"] = f"{HERE}/bin:/usr/bin:/bin"
TOOLS = [WORKER / tool for tool in ("tw-parse", "tw-cache")]


class Context:
    def setLogLevel(self, level):
        pass

    def addFile(self, path):
        shutil.copy(path, WORKER, follow_symlinks=False)


class Session:
    builder = property(lambda self: self)
    sparkContext = Context()

    def appName(self, name):
        return self

    def config(self, key, value):
        return self

    def getOrCreate(self):
        return self

    def stop(self):
        pass


files = types.SimpleNamespace(get=lambda name: str(WORKER / name))
sys.modules["pyspark"] = types.SimpleNamespace(SparkFiles=files)
sys.modules["pyspark.sql"] = types.SimpleNamespace(SparkSession=Session())
sys.path.insert(0, sys.argv[1] + "/docs/examples/spark")
import tweets

tweets.session()
for tool in TOOLS:
    if tool.is_symlink() or not os.access(tool, os.X_OK):
        sys.exit(f"a worker has no program {tool.name}")
    subprocess.run([tool, "--version"], check=True, stdout=subprocess.DEVNULL)
# The driver's own are not what the workers run.
shutil.rmtree("bin")


def post(number, **more):
    return json.dumps({"id": str(number), "text": f"post {number}", "author_id": "5"} | more).encode() + b"\n"


inputs = {
    "-o $(touch pwned) %41 é\n.ndjson": post(1) + b'{"id":"2","te\n' + post(3),
    "b.ndjson.gz": gzip.compress(b"".join(post(100 + number) for number in range(2000))),
    "c.json": b'{"tw":"delete","service":"x","id":"3"}\n',
}
(HERE / "in").mkdir()
for name, data in inputs.items():
    (HERE / "in" / name).write_bytes(data)
batch = pyarrow.record_batch({"path": [f"file:{HERE}/in/{name}" for name in inputs]})
rows = [row for part in tweets.parse([batch]) for row in part.to_pylist()]
found = {name: [row for row in rows if row["file"] == f"{HERE}/in/{name}"] for name in inputs}
kinds = {name: sorted({(row["kind"], sum(other["kind"] == row["kind"] for other in part)) for row in part}) for name, part in found.items()}
wanted = {list(inputs)[0]: [("bad", 1), ("record", 2), ("said", 1)], "b.ndjson.gz": [("record", 2000)], "c.json": [("record", 1)]}
if kinds != wanted:
    sys.exit(f"{kinds}, and not {wanted}")
bad = [row["value"] for row in rows if row["kind"] == "bad"]
if bad != [b'{"id":"2","te']:
    sys.exit(f"bad lines: {bad}")
records = pyarrow.record_batch({"record": [row["value"].decode() for row in rows if row["kind"] == "record"]})
merged = sorted(int(json.loads(row["record"])["id"]) for part in tweets.merge([records]) for row in part.to_pylist())
if merged != [1, *range(100, 2100)]:
    sys.exit(f"merged: {merged[:9]}, {len(merged)}")
# A tool that cannot run ends the task, and says why.
TOOLS[0].write_text("#!/bin/sh\necho no such library >&2\nexit 127\n")
try:
    list(tweets.parse([batch]))
    sys.exit("a broken tool is not a failure")
except RuntimeError as error:
    if str(error) != "tw-parse ended with 127: no such library\n":
        raise
if (HERE / "pwned").exists():
    sys.exit("the name of a file became a command")
