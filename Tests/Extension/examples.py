"""Runs the examples of 'Records in SQL' in tw-db(5) as they stand, with the extension that the Makefile builds, and gives it
damaged records: examples.py PACKAGE

The tools are on PATH. Needs Datasette in this Python, which must be able to load extensions, sqlite3(1), make and a C compiler."""

import json
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(sys.argv[1])
INSTALLED = "/usr/local/lib/tw/tw_record"
for program in ["make", "cc", "sqlite3", "pkg-config"]:
    if not shutil.which(program):
        print(f"needs {program}", file=sys.stderr)
        sys.exit(77)
if not hasattr(sqlite3.Connection, "enable_load_extension"):
    print("needs a Python whose module sqlite3 can load extensions", file=sys.stderr)
    sys.exit(77)

made = subprocess.run(["make", "-s", "-C", ROOT, "extension"], capture_output=True, text=True)
if made.returncode or made.stderr:
    sys.exit(f"make extension: {made.stderr}")
built = str(next(ROOT.glob(".build/tw_record.*")).with_suffix(""))

texts = ["birds and stones", 'caf\\u00e9 \\ud83c\\udf89', "https:\\/\\/a.example\\/b", '日本 🎉\\n\\"a/b\\"', ""]
lines = [
    '{"tw":"tweet","id":"%d","service":"x","created_at":"2021-11-03T21:30:00.000Z","text":"%s","source":"%s","author":{"id":"5",'
    '"username":"jack","name":"Jack"}}' % (number, texts[number % 5], "abc"[number % 3])
    for number in range(60)
]
added = subprocess.run(["tw-cache", "add", "--db", "tw.db"], input="\n".join(lines) + "\n", capture_output=True, text=True)
if added.returncode or added.stderr:
    sys.exit(f"tw-cache add: {added.stderr}")
wanted = sorted(json.loads(line)["text"] for line in lines)

page = (ROOT / "man/tw-db.5").read_text().split("\n.Ss Records in SQL\n")[1].split("\n.Sh ")[0]
examples = [part.split("\n.Ed")[0].replace(INSTALLED, built) for part in page.split(".Bd -literal\n")[1:]]
shell, served, program = examples
failed = []


def expect(what, got, wanted):
    if got != wanted:
        failed.append(f"{what}: {got!r}, and not {wanted!r}")


result = subprocess.run(["sh", "-c", shell], capture_output=True, text=True)
expect("sqlite3", (sorted(result.stdout.split()), result.stderr), (["a|20", "b|20", "c|20"], ""))

result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
expect("Python", (sorted(result.stdout[:-1].split("\n")), result.stderr), (sorted(map(repr, wanted)), ""))

# Datasette answers on a port of this machine.
with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
server = subprocess.Popen(
    ["sh", "-c", f"exec {served.strip()} --port {port}"], env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
)
try:
    query = urllib.parse.urlencode({"sql": "SELECT json_extract(record(json, text), '$.text') FROM tweets", "_shape": "arrays"})
    for _ in range(300):
        try:
            answer = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/tw.json?{query}", timeout=10))
            break
        except ConnectionError:
            time.sleep(0.1)
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionError):
                raise
            time.sleep(0.1)
    else:
        sys.exit("Datasette does not answer")
    expect("Datasette", sorted(row[0] for row in answer["rows"]), wanted)
finally:
    server.terminate()
    server.wait()

# It is not a part of a file, so a file cannot have it called.
view = ["sqlite3", "tw.db", f".load {built}", "CREATE TEMP VIEW a AS SELECT record(json, text) r FROM tweets; SELECT count(r) FROM a"]
expect("a temporary view", subprocess.run(view, capture_output=True, text=True).stdout, "60\n")
view[3] = view[3].replace("TEMP ", "")
expect("a view", "unsafe use of record()" in subprocess.run(view, capture_output=True, text=True).stderr, True)

hostile = subprocess.run(
    [sys.executable, ROOT / "Tests/Extension/hostile.py", built, "tw.db", "2000", "7"], capture_output=True, text=True
)
if hostile.returncode:
    failed.append(f"damaged records: status {hostile.returncode}\n{hostile.stdout}{hostile.stderr}")
print("\n".join(failed))
sys.exit(1 if failed else 0)
