"""docs/examples/tw-datasette: datasette.py PACKAGE

The tools are on PATH. Needs Datasette in this Python, which must be able to load extensions, make and a C compiler."""

import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request

ROOT = pathlib.Path(sys.argv[1])
for program in ["make", "cc", "pkg-config"]:
    if not shutil.which(program):
        print(f"needs {program}", file=sys.stderr)
        sys.exit(77)
if not hasattr(sqlite3.Connection, "enable_load_extension"):
    print("needs a Python whose module sqlite3 can load extensions", file=sys.stderr)
    sys.exit(77)
subprocess.run(["make", "-s", "-C", ROOT, "extension"], check=True)
extension = next(ROOT.glob(".build/tw_record.*"))
recipe = pathlib.Path("tw-datasette")
recipe.write_text((ROOT / "docs/examples/tw-datasette").read_text().replace("/usr/local/lib/tw/tw_record.so", str(extension)))
recipe.chmod(0o755)
lines = [
    '{"tw":"tweet","id":"%d","service":"x","created_at":"2021-11-03T21:30:00.000Z","text":"bird %d","author":{"id":"5","username":"jack"}}\n'
    % (number, number)
    for number in range(1, 4)
]
subprocess.run(["tw-cache", "add", "--quiet"], input="".join(lines), text=True, check=True, stdout=subprocess.DEVNULL)
with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
server = subprocess.Popen(
    ["./tw-datasette", "--port", str(port)], env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    start_new_session=True)


def rows(query):
    return json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/tw/{query}", timeout=10))


try:
    for _ in range(300):
        try:
            records = rows("records.json?_shape=arrays")["rows"]
            break
        except (ConnectionError, urllib.error.URLError) as error:
            if not isinstance(getattr(error, "reason", error), ConnectionError):
                raise
            time.sleep(0.1)
    else:
        sys.exit("it does not answer")
    assert [json.loads(row[0])["text"] for row in records] == ["bird 3", "bird 2", "bird 1"], records
    found = rows("search.json?_shape=arrays&words=bird+2")["rows"]
    assert [row[1:3] for row in found] == [["jack", "bird 2"]], found
    assert rows("authors.json?_shape=arrays")["rows"] == [["x", "jack", 3]]
finally:
    os.killpg(server.pid, signal.SIGTERM)
    output = server.communicate()[0].decode()
assert "its queries" not in output, output
