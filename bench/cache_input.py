"""The input of bench/cache: records as tw-parse makes them, each an id, a time and a place of its own."""

import datetime
import json
import re
import subprocess

import parse_input

# The zero of X's ids, whose upper bits are milliseconds since then.
EPOCH = 1288834974657
FIRST = 1430000000000000000
# Milliseconds between two tweets.
STEP = 120
# Every author comes as so many.
CROWD = 40


def records(tool, shape):
    """One round of records, and where they come from."""
    lines, origin = parse_input.lines(shape)
    result = subprocess.run([tool], input=b"".join(lines), stdout=subprocess.PIPE, check=False)
    made = [line for line in result.stdout.splitlines() if line.startswith(b'{"tw":"tweet"')]
    return made, origin


def write(tool, shape, count, path, skip=0):
    """Writes `count` records, the ones behind the first `skip` of an endless row; gives their bytes and what they are."""
    made, origin = records(tool, shape)
    known = [json.loads(line) for line in made]
    written = 0
    with open(path, "wb") as file:
        for number in range(skip, skip + count):
            line = rename(made[number % len(made)], known[number % len(made)], number, number // len(made) % CROWD)
            written += file.write(line + b"\n")
    return written, origin


def rename(line, record, number, crowd):
    identity = FIRST + number * STEP * (1 << 22) + number * 7919 % 4096
    moment = datetime.datetime.fromtimestamp(((identity >> 22) + EPOCH) // 1000, datetime.timezone.utc)
    author = record["author"]["id"]
    line = line.replace(f'"id":"{record["id"]}"'.encode(), f'"id":"{identity}"'.encode(), 1)
    line = re.sub(rb'"created_at":"[^"]*"', moment.strftime('"created_at":"%Y-%m-%dT%H:%M:%S.000Z"').encode(), line, count=1)
    return line.replace(f'"author":{{"id":"{author}"'.encode(), f'"author":{{"id":"{author}{crowd}"'.encode(), 1)
