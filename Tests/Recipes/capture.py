"""Kills programs of docs/examples/tw-capture again and again; then each post must be there once, in order: capture.py PACKAGE
ROUNDS [SEED]

The tools are on PATH. The recipe runs with a file a second in place of one an hour."""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT, rounds = pathlib.Path(sys.argv[1]), int(sys.argv[2])
for program in ["bash", "flock", "zstd", "truncate"]:
    if not shutil.which(program):
        print(f"needs {program}", file=sys.stderr)
        sys.exit(77)
seed = sys.argv[3] if len(sys.argv) > 3 else os.environ.get("TW_TEST_SEED") or str(random.randrange(1 << 32))
print("seed", seed)
chance = random.Random(seed)

# A source of numbered posts, with a checkpoint after some of them.
SOURCE = r"""#!/usr/bin/env python3
import os, time
at = int(os.environ.get("TW_CHECKPOINT") or 0)
print('{"tw":"context","feed":"%s","service":"count","base":"http://127.0.0.1"}' % os.environ["TW_FEED"])
while True:
    at += 1
    print('{"id":"%d","author_id":"5","text":"post %d \u00e9 %s"}' % (at, at, "x" * (at * 7919 % 3000)))
    if at % 7 == 0:
        print('{"tw":"checkpoint","cursor":"%d"}' % at, flush=True)
        time.sleep(0.02)
"""
# A compressor that is killed in every other run.
COMPRESSOR = """#!/bin/bash
[ "$2" = -f ] && [ $((RANDOM % 2)) = 0 ] || exec ZSTD "$@"
head -c 40 "$5" > "$4"
kill -KILL $$
"""
script = (ROOT / "docs/examples/tw-capture").read_text()
for hours, seconds in [
    ("date -u +%FT%H", "date -u +%FT%H:%M:%S"), ("${at:0:13}", "${at:0:19}"), ("+ 6, 13)", "+ 6, 19)"), ("T[0-9][0-9]$", "T[0-9:]+$"),
]:
    if script.count(hours) != 1:
        sys.exit(f"tw-capture has no '{hours}'")
    script = script.replace(hours, seconds)
os.mkdir("bin")
zstd = shutil.which("zstd")
for name, text in [("tw-capture", script), ("tw-source-count", SOURCE), ("zstd", COMPRESSOR.replace("ZSTD", zstd))]:
    path = pathlib.Path("bin") / name
    path.write_text(text)
    path.chmod(0o755)
os.environ["PATH"] = f"{os.getcwd()}/bin:{os.environ['PATH']}"
for name in list(os.environ):
    if name.startswith("TW_"):
        del os.environ[name]


def members(group):
    """The processes of a group: their ids and names."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            status = pathlib.Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            continue
        name, fields = re.match(r"\d+ \((.*)\) \S (.*)", status, re.DOTALL).groups()
        if int(fields.split()[1]) == group:
            found.append((int(pid), name))
    return found


def kill(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def start():
    return subprocess.Popen(["tw-capture", "posts", "count:1", "--quiet"], start_new_session=True, stderr=open("errors", "ab"))


def end(capture):
    """Stops the source: what is left of the pipeline writes what it has, and ends."""
    deadline = time.monotonic() + 30
    while members(capture.pid) and time.monotonic() < deadline:
        for pid, name in members(capture.pid):
            if name == "tw-stream":
                kill(pid, signal.SIGTERM)
        capture.poll()
        time.sleep(0.05)
    for pid, _ in members(capture.pid):
        kill(pid, signal.SIGKILL)
    capture.wait()


def cut():
    """Cuts the last file, as a full disk does: anywhere, or within its last checkpoint."""
    files = sorted(pathlib.Path("posts/.now").glob("*.ndjson"))
    # Files that are over are not written any more.
    if files and any(files[-1].name <= file.stem for file in pathlib.Path("posts").glob("*.zst")):
        return
    text = files[-1].read_bytes() if files else b""
    mark = text.rfind(b'{"tw":"checkpoint"')
    if mark >= 0 and chance.random() < 0.7:
        os.truncate(files[-1], mark + chance.randrange(20, 60))
    elif text:
        os.truncate(files[-1], chance.randrange(len(text)))


killed = {}
capture = start()
for _ in range(rounds):
    time.sleep(chance.uniform(0.05, 1.6))
    alive = members(capture.pid)
    victim = chance.choice(sorted({name for _, name in alive})) if alive else ""
    for pid, name in alive:
        if name == victim or chance.random() < 0.15:
            kill(pid, signal.SIGKILL)
            killed[name] = killed.get(name, 0) + 1
    time.sleep(chance.uniform(0, 0.3))
    left = None
    match chance.randrange(4):
        case 0:
            # The next one starts while some programs of this one go on.
            left = capture
        case 1:
            end(capture)
        case _:
            # The machine's turn: all at once.
            for pid, _ in members(capture.pid):
                kill(pid, signal.SIGKILL)
            capture.wait()
    if not left and chance.random() < 0.6:
        cut()
    # Whoever reads the folder at any time finds whole files.
    for file in pathlib.Path("posts").glob("*.zst"):
        if subprocess.run([zstd, "-q", "-t", file]).returncode:
            sys.exit(f"{file} is not whole")
    capture = start()
    if left:
        time.sleep(0.5)
        end(left)
time.sleep(2)
end(capture)
# What the killed compressor left is made by one that is not.
os.remove("bin/zstd")
capture = start()
time.sleep(1.5)
end(capture)

folder = pathlib.Path("posts")
whole = subprocess.run(["tw-parse", "--only", "tweet", "posts"], capture_output=True, text=True)
rest = subprocess.run(["tw-parse", "--only", "tweet", "posts/.now"], capture_output=True, text=True)
numbers = [int(json.loads(line)["id"]) for line in (whole.stdout + rest.stdout).splitlines()]
files = len(list(folder.glob("*.ndjson.zst")))
print(f"{len(numbers)} posts in {files} files; killed: {killed}")
if whole.stderr or whole.returncode or rest.stderr or rest.returncode:
    sys.exit(f"tw-parse: {whole.returncode} {whole.stderr}{rest.returncode} {rest.stderr}")
# Each file says where its lines come from.
services = set()
for file in list(folder.glob("*.zst"))[:5]:
    alone = subprocess.run(["tw-parse", "--only", "tweet", file], capture_output=True, text=True).stdout
    services |= {json.loads(line)["service"] for line in alone.splitlines()}
if services != {"count"}:
    sys.exit(f"services of single files: {services}")
if files < 3 or len(numbers) < 100:
    sys.exit("there is too little to see anything")
if numbers != list(range(1, len(numbers) + 1)):
    missing = sorted(set(range(1, max(numbers))) - set(numbers))
    sys.exit(f"missing: {missing[:9]}, {len(numbers) - len(set(numbers))} are there twice")
