"""Gives record() of the loadable extension damaged records: hostile.py EXTENSION STORE ROUNDS SEED

Each call must give a text or an error of SQLite. Prints how many of each there were; a crash ends this program."""

import random
import sqlite3
import sys

extension, store, rounds, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
chance = random.Random(seed)
database = sqlite3.connect(store)
database.text_factory = bytes
database.enable_load_extension(True)
database.load_extension(extension)
rows = database.execute("SELECT json, text FROM tweets WHERE typeof(json) = 'blob'").fetchall()
rows += database.execute("SELECT json, NULL FROM users WHERE typeof(json) = 'blob'").fetchall()


def outcome(packed, text):
    try:
        value = database.execute("SELECT record(?, ?)", (packed, text)).fetchone()[0]
        return "text" if isinstance(value, bytes) else "other"
    except sqlite3.Error as error:
        return "error" if "record: cannot unpack" in str(error) else repr(error)


def flip(packed, text):
    packed = bytearray(packed)
    for _ in range(chance.choice([1, 1, 2, 8])):
        packed[chance.randrange(len(packed))] ^= 1 << chance.randrange(8)
    return bytes(packed), text


def flip_head(packed, text):
    packed = bytearray(packed)
    packed[chance.randrange(min(8, len(packed)))] = chance.randrange(256)
    return bytes(packed), text


def cut(packed, text):
    return packed[: chance.randrange(len(packed))], text


def join(packed, text):
    return packed + chance.randbytes(chance.randrange(1, 40)), text


def noise(packed, text):
    return bytes([chance.choice([1, 33, 97, 161, 225])]) + chance.randbytes(chance.randrange(60)), text


def far(packed, text):
    """The text belongs where the record has long ended."""
    head = 1
    while packed[0] & 32 and packed[head] & 128:
        head += 1
    offset, number = b"", chance.choice([1 << 14, 1 << 20, 1 << 33, 1 << 40, (1 << 63) - 1])
    while number:
        offset += bytes([number & 127 | (128 if number > 127 else 0)])
        number >>= 7
    return bytes([packed[0] | 32]) + offset + packed[head + (packed[0] >> 5 & 1) :], text


def foreign_text(packed, text):
    return packed, chance.choice([None, 7, 0.5, b"\xff\x00" * 9, "\U0001f600" * 999, b""])


counts = {}
for damage in [flip, flip_head, cut, join, noise, far, foreign_text]:
    for _ in range(rounds):
        key = damage.__name__, outcome(*damage(*chance.choice(rows)))
        counts[key] = counts.get(key, 0) + 1
# Claims more than there is, and more than a record may have.
for size in [0, 1, 8, 1 << 20, 499_999_999, 500_000_001, 1 << 40, (1 << 64) - 1]:
    frame = bytes([1, 0xE0]) + size.to_bytes(8, "little") + b"\x01\x00\x00"
    key = "claims", outcome(frame, None)
    counts[key] = counts.get(key, 0) + 1
for (damage, kind), count in sorted(counts.items()):
    print(damage, kind, count)
bad = {kind for _, kind in counts} - {"text", "error"}
if bad or any(counts.get((damage, "text")) for damage in ["cut", "far"]):
    sys.exit(1)
