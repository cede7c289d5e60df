"""The input of bench/cache: records as tw-parse makes them, each an id, a time and a place of its own."""

import datetime
import itertools
import json
import random
import re
import subprocess

import parse_input

# The zero of X's ids, whose upper bits are milliseconds since then.
EPOCH = 1288834974657
FIRST = 1430000000000000000
# Milliseconds between two tweets.
STEP = 120
# Each author becomes this many.
CROWD = 40


def records(tool, shape):
    """One round of records, and where they come from."""
    lines, origin = parse_input.lines(shape)
    result = subprocess.run([tool], input=b"".join(lines), stdout=subprocess.PIPE, check=False)
    made = [line for line in result.stdout.splitlines() if line.startswith(b'{"tw":"tweet"')]
    return made, origin


def write(tool, shape, count, path, skip=0):
    """Writes `count` records, the ones after the first `skip` of an endless row; gives their bytes and what they are."""
    made, origin = records(tool, shape)
    known = [json.loads(line) for line in made]
    written = 0
    with open(path, "wb") as file:
        for number in range(skip, skip + count):
            line = rename(made[number % len(made)], known[number % len(made)], number, number // len(made) % CROWD)
            written += file.write(line + b"\n")
    return written, origin


# Of the diverse records: how many people write them (a few write most), and how many words follow each other as
# recorded.
PEOPLE = 30_000
RUN = 3


def write_diverse(tool, count, path, skip=0):
    """As write(), but no two records are alike: people by a power law, texts put together from pieces of recorded ones, and
    ids, counts, links and pictures of their own. In the order of time."""
    made = [json.loads(line) for shape in ("v1.1", "v2") for line in records(tool, shape)[0]]
    words = list(itertools.chain.from_iterable(record["text"].split() for record in made))
    written = 0
    with open(path, "wb") as file:
        for number in range(skip, skip + count):
            written += file.write(diverse(random.Random(number), made, words, number))
    return written, f"made from {len(made)} recorded or made ones, no two alike"


def diverse(chance, made, words, number):
    identity = FIRST + number * STEP * (1 << 22) + chance.randrange(4096)

    def text(length):
        """Recorded words, about this many letters."""
        pieces = []
        while sum(map(len, pieces)) < length:
            start = chance.randrange(len(words) - RUN)
            pieces += words[start:start + RUN]
        return " ".join(pieces)

    person = int(PEOPLE ** chance.random())
    fresh = {}

    def change(value, key=None):
        """A copy with other numbers, names and addresses. One that stands in several places stays one."""
        if isinstance(value, dict):
            return {name: change(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [change(inner, key) for inner in value]
        if key and key.endswith("_count") and isinstance(value, int):
            return int(chance.paretovariate(0.7)) - 1
        if key in ("text", "description", "alt_text", "full_name"):
            return text(len(value) * 0.8)
        if isinstance(value, str):
            return re.sub(r"[0-9]{9,}|(?<=t\.co/)[A-Za-z0-9]{10}|(?<=/media/)[^.?]+|(?<=/status/)[0-9]+", replace, value)
        return value

    def replace(match):
        old = match[0]
        if old not in fresh:
            alphabet = "0123456789" if old.isdigit() else "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
            fresh[old] = "1" + "".join(chance.choices(alphabet, k=len(old) - 1))
        return fresh[old]

    # A person has one profile, and writes several kinds of tweets.
    author = random.Random(person)
    record = change(chance.choice(made))
    own, chance = chance, author
    fresh.clear()
    profile = change(chance.choice(made)["author"])
    chance = own
    name = "".join(author.choices("aeioulnrst", k=9)) + str(person)
    profile.update(id=str(10 ** 9 + person * 7919), username=name, name=name.title())
    moment = datetime.datetime.fromtimestamp(((identity >> 22) + EPOCH) / 1000, datetime.timezone.utc)
    record.update(
        id=str(identity), url=f"https://x.com/{name}/status/{identity}", text=text(chance.triangular(20, 240, 120)), author_id=profile["id"],
        author=profile, created_at=moment.strftime("%Y-%m-%dT%H:%M:%S.000Z"))
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def rename(line, record, number, crowd):
    identity = FIRST + number * STEP * (1 << 22) + number * 7919 % 4096
    moment = datetime.datetime.fromtimestamp(((identity >> 22) + EPOCH) // 1000, datetime.timezone.utc)
    author = record["author"]["id"]
    line = line.replace(f'"id":"{record["id"]}"'.encode(), f'"id":"{identity}"'.encode(), 1)
    line = re.sub(rb'"created_at":"[^"]*"', moment.strftime('"created_at":"%Y-%m-%dT%H:%M:%S.000Z"').encode(), line, count=1)
    return line.replace(f'"author":{{"id":"{author}"'.encode(), f'"author":{{"id":"{author}{crowd}"'.encode(), 1)
