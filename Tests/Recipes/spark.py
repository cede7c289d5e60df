"""docs/examples/spark on two worker processes: spark.py PACKAGE [RECORDINGS]. The tools are on PATH.

Needs pyspark and pyarrow in this Python, and Java. TW_CRASH_ROUNDS says how often the query is killed. It ends all that it
starts."""

import collections
import gzip
import importlib.util
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

for module in "pyspark", "pyarrow":
    if not importlib.util.find_spec(module):
        sys.exit((print(f"needs {module}: make test-spark", file=sys.stderr), 77)[1])
if not shutil.which("java"):
    sys.exit((print("needs Java", file=sys.stderr), 77)[1])

ROOT = pathlib.Path(sys.argv[1])
EXAMPLE = ROOT / "docs/examples/spark"


def dump(table, out):
    """What becomes of the records of a table before they are typed; run by spark-submit."""
    import tweets

    pathlib.Path(out).write_text("".join(row.record + "\n" for row in tweets.merged(tweets.session(), table).collect()))


if sys.argv[2:3] == ["dump"]:
    dump(*sys.argv[3:])
    sys.exit()

import pyarrow.dataset
import pyspark

sys.path.insert(0, str(ROOT / "Tests/Schema"))
import records

# A link to a program that goes by its name.
PARSE = os.path.abspath(shutil.which("tw-parse"))
HERE = pathlib.Path.cwd()
# As 'make install' puts them.
os.makedirs("installed/bin")
os.makedirs("installed/share/tw")
os.symlink(ROOT / "docs/schema", "installed/share/tw/schema")
for tool in "tw-parse", "tw-cache":
    os.symlink(os.path.abspath(shutil.which(tool)), f"installed/bin/{tool}")
HOME = pathlib.Path(pyspark.__file__).parent
ENVIRONMENT = os.environ | {
    "PATH": f"{HERE}/installed/bin:{os.environ['PATH']}",
    "PYSPARK_PYTHON": sys.executable,
    "SPARK_HOME": str(HOME),
    "SPARK_LOCAL_IP": "127.0.0.1",
    "SPARK_LOCAL_DIRS": str(HERE / "spark"),
    "LC_ALL": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
}
LOOPBACK = [f"--conf=spark.{key}" for key in ("ui.enabled=false", "driver.bindAddress=127.0.0.1", "driver.host=127.0.0.1")]
sessions = []


class Job:
    """A run of spark-submit, in a session of its own: Python's workers make process groups."""

    def __init__(self, *arguments, master="local-cluster[2,1,1024]", options=(), program=EXAMPLE / "tweets.py", **changes):
        self.log = open(f"log{len(sessions)}", "w+")
        self.process = subprocess.Popen(
            [HOME / "bin/spark-submit", "--master", master, *LOOPBACK, *options, program, *map(str, arguments)],
            stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL, env=ENVIRONMENT | changes, start_new_session=True)  # fmt: skip
        sessions.append(self.process.pid)

    def text(self):
        self.log.seek(0)
        return self.log.read()

    def finish(self, fails=False):
        status = self.process.wait(timeout=240)
        if bool(status) != fails:
            fault(f"ended with {status}\n{self.text()[-6000:]}")
        return self.text()


def kill(session, word=b""):
    """Kills the processes of a session that have a word in their command line; says how many."""
    count = 0
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and word in (folder / "cmdline").read_bytes():
                os.kill(int(folder.name), signal.SIGKILL)
                count += 1
        except OSError:
            pass
    return count


def fault(text):
    raise SystemExit(f"spark: {text}")


def expect(what, got, wanted):
    if got != wanted:
        fault(f"{what}: {str(got)[:2000]}\nand not {str(wanted)[:2000]}")


def wait(what, condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            fault(f"waited for {what}")
        time.sleep(0.05)


def line(**record):
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def diverse(chance):
    """Records of all kinds, other versions of them that say less, more and other things, deletions and notices."""
    lines = [text.encode() for _, text in records.all_records(PARSE, *sys.argv[2:3])]
    for text in list(lines):
        record = json.loads(text)
        if record["tw"] != "tweet" or not all(isinstance(record.get(key), str) for key in ("id", "service", "text")):
            continue
        name = {"service": record["service"], "id": record["id"]}
        if chance.random() < 0.4:
            other = {key: value for key, value in record.items() if key in ("tw", "text", *name) or chance.random() < 0.6}
            other["retrieved_at"] = f"2027-0{chance.randint(1, 9)}-01T00:00:00.000Z"
            if isinstance(other.get("public_metrics"), dict):
                other["public_metrics"] = {key: chance.randint(0, 9) for key in other["public_metrics"]}
            if chance.random() < 0.1:
                other["text"] = "edited " + other["text"]
            lines.append(line(**other))
        if chance.random() < 0.03:
            lines.append(line(tw="delete", **name))
        for inner in record.get("referenced_tweets") or []:
            if isinstance(inner, dict) and isinstance(inner.get("id"), str) and chance.random() < 0.1:
                lines.append(line(tw="delete", service=name["service"], id=inner["id"]))
        author = record.get("author")
        if isinstance(author, dict) and isinstance(author.get("id"), str) and chance.random() < 0.02:
            notice = {"tw": "notice", "service": name["service"], "user_id": author["id"]}
            lines.append(line(code="scrub_geo", up_to_id=record["id"], **notice))
            lines.append(line(code="withheld", countries=chance.choice([["DE"], ["XX"], []]), **notice))
    # Edited tweets, whose first versions are there too; of one of them the first version was deleted.
    for number in range(20):
        history = [f"{number}1", f"{number}2"]
        for last in 1, 2:
            ids = {"id": history[last - 1], "edit_history_tweet_ids": history[:last]}
            lines.append(line(tw="tweet", service="edits", text=f"version {last}", author={"id": "1"}, **ids))
        if number % 2:
            lines.append(line(tw="delete", service="edits", id=history[0]))
    # What the questions are about.
    for number in range(40):
        dead = {"url": "https://t.co/1", "expanded_url": f"https://{'dead' if number % 4 else 'live'}.example/{number}"}
        dead |= {"verdict": "dead" if number % 4 else "ok", "checked_at": "2031-01-02T00:00:00.000Z"}
        tags = [{"tag": "Swift"}] + [{"tag": "tea"}] * (number < 30)
        lines.append(
            line(
                tw="tweet", id=f"q{number}", service="local", created_at="2031-01-01T12:00:00.000Z", text="answer", author_id="1",
                author={"id": "1", "username": "ann"}, in_reply_to_user_id="2", in_reply_to_user={"id": "2", "username": "bob"},
                entities={"hashtags": tags, "urls": [dead, {"url": "http://[not", "expanded_url": "http://[not", "verdict": "dead"}]},
            )
        )  # fmt: skip
    chance.shuffle(lines)
    return lines


def files(chance):
    """Pairs of a file's name and its bytes."""
    lines = diverse(chance)
    for part in range(12):
        yield f"{part:02} of %41 é.ndjson", b"\n".join(lines[part::12]) + b"\n"
    yield "30 bad.jsonl", b'{"id":"1","te\n{"id":"700","text":"between","author_id":"1"}\n\xff\xfe\x00no\n[1,\n'
    yield "31 all bad.json", b'{"id":"1","te'
    yield "32 empty.ndjson", b""
    yield "33 long.ndjson", b"".join(line(id=str(800 + at), text="long " * 200_000, author_id="1") + b"\n" for at in range(3))
    context = line(tw="context", feed="#a", service="local", base="http://localhost", at="2026-01-01T00:00:00.000Z") + b"\n"
    raw = b"".join(line(id=str(900 + at), text=f"raw {at}", author_id="1") + b"\n" for at in range(20_000))
    yield "34 context.ndjson.gz", gzip.compress(context + raw)
    yield "35 cut.ndjson.gz", gzip.compress(random.Random(1).randbytes(10).hex().encode() + raw)[:30_000]
    yield "36 the same.ndjson", b"\n".join(lines[0::12]) + b"\n"


def kills(made, rounds):
    """The query, killed in many ways while files come."""
    chance = random.Random(7)
    slow = HERE / "slow/tw-parse"
    slow.parent.mkdir()
    # A batch takes a while.
    slow.write_text(f'#!/bin/sh\nsleep 0.5\nexec {PARSE} "$@"\n')
    slow.chmod(0o755)

    def put(number):
        for name, data in made[number :: rounds + 1]:
            pathlib.Path(".new").write_bytes(data)
            # It is older than files that are read already.
            os.utime(".new", (1e9 - number * 1e7, 1e9 - number * 1e7))
            os.rename(".new", f"in/{name}")

    for number in range(rounds):
        put(number)
        before, begun = len(list(HERE.glob("table/batch=*/_SUCCESS"))), time.time()
        job = Job("follow", "in", "table", options=["--files", slow])
        # A batch that was killed has left such a folder too.
        wait("a batch", lambda: any(path.stat().st_mtime > begun for path in HERE.glob("table/batch=*/_temporary/0")))
        how = number % 4
        if how < 2:
            time.sleep(chance.random())
        if how == 0:
            # The driver; its executors may go on for a while, beside those of the next run.
            expect("drivers killed", kill(job.process.pid, b"SparkSubmit") > 0, True)
        elif how == 1:
            # Spark starts other executors, and the batch is done all the same.
            expect("executors killed", kill(job.process.pid, b"CoarseGrainedExecutorBackend") > 0, True)
            wait("the batch after all", lambda: len(list(HERE.glob("table/batch=*/_SUCCESS"))) > before)
            kill(job.process.pid)
        elif how == 2:
            # The batch is written, and Spark has not noted that yet: it is counted first.
            wait("the batch", lambda: len(list(HERE.glob("table/batch=*/_SUCCESS"))) > before)
            kill(job.process.pid)
        else:
            # A tool that is killed ends its task, which Spark tries again.
            wait("a tool", lambda: kill(job.process.pid, b"/tw-parse\0--quiet") > 0)
            wait("the batch after all", lambda: len(list(HERE.glob("table/batch=*/_SUCCESS"))) > before)
            kill(job.process.pid, b"SparkSubmit")
        if job.process.poll() not in (None, -signal.SIGKILL):
            fault(f"the query ended by itself\n{job.text()[-4000:]}")
    put(rounds)
    Job("read", "in", "table").finish()
    # Nothing is new, also where a file is there again.
    os.utime("in/" + made[0][0])
    again = Job("read", "in", "table", master="local[1]").finish()
    expect("batches without new files", "batch " in again, False)


def lines_once(made):
    """Each line of each file is in the table once, in order, and so are the bad ones."""
    table = collections.defaultdict(list)
    columns = ["file", "line", "record", "bad", "said"]
    for row in pyarrow.dataset.dataset("table", partitioning="hive").to_table(columns).to_pylist():
        table[pathlib.Path(row["file"]).name].append(row)
    everything = []
    for name, _ in sorted(made):
        parser = subprocess.run([PARSE, "--quiet", "--rejects", "bad", f"in/{name}"], capture_output=True)
        rows = sorted(table.pop(name, []), key=lambda row: row["line"])
        found = [row["record"].encode() for row in rows if row["record"] is not None]
        expect(f"records of {name}", found, parser.stdout.split(b"\n")[:-1])
        bad = pathlib.Path("bad").read_bytes()
        wanted = bad.removesuffix(b"\n").split(b"\n") if bad else []
        expect(f"bad lines of {name}", [row["bad"] for row in rows if row["bad"] is not None], wanted)
        expect(f"messages of {name}", [1 for row in rows if row["said"]], [1] * bool(parser.stderr))
        if name.startswith("35"):
            expect("what is said of a file that is cut", "cut off" in "".join(row["said"] or "" for row in rows), True)
        everything += found
    expect("other files", list(table), [])
    return everything


def same_as_a_store(everything):
    """The tweets are those of one store. Only counts and their time may be older, of tweets that are inside of others."""
    subprocess.run(["tw-cache", "add", "--quiet", "--no-sync", "--db", "tw.db"], input=b"\n".join(everything), capture_output=True)
    listed = subprocess.run(["tw-cache", "list", "--all-copies", "--db", "tw.db"], capture_output=True, text=True, check=True).stdout
    Job(ROOT, "dump", "table", "dump", program=__file__, options=["--py-files", EXAMPLE / "tweets.py"]).finish()

    def tweets(text):
        return sorted(text.splitlines(), key=lambda record: [json.loads(record)[key] for key in ("service", "id")])

    def inside(record):
        for inner in record.get("referenced_tweets") or []:
            yield record["service"], inner["id"]
            yield from inside({"service": record["service"]} | inner)

    def without_counts(record):
        states = [record.get("viewer") or {}, *record.get("viewers", [])]
        for part in [record, *states]:
            for key in "public_metrics", "retrieved_at":
                part.pop(key, None)
        return record

    stored, got = tweets(listed), tweets(pathlib.Path("dump").read_text())
    expect("tweets", len(got), len(stored))
    referred = {name for text in everything if b'"referenced_tweets"' in text for name in inside(json.loads(text))}
    other = 0
    for text, got_text in zip(stored, got):
        if json.loads(text) != json.loads(got_text):
            one, two = without_counts(json.loads(text)), without_counts(json.loads(got_text))
            expect("a tweet", two, one)
            if (one["service"], one["id"]) not in referred:
                fault(f"counts of a tweet that is in no other one\n{text}\n{got_text}")
            other += 1
    print(f"{len(everything)} records, {len(stored)} tweets, of which {other} have older counts than in a store")
    return stored


def by_day(stored):
    """Parquet has the same tweets, in a folder a day, and the questions have the answers that they must have."""
    Job("days", "table", "days").finish()
    columns = ["service", "id", "text", "created_at", "public_metrics", "day"]
    rows = pyarrow.dataset.dataset("days", partitioning="hive").to_table(columns).to_pylist()
    wanted = sorted(stored, key=lambda text: [json.loads(text)[key] for key in ("service", "id")])
    rows.sort(key=lambda row: (row["service"], row["id"]))
    expect("rows", len(rows), len(wanted))
    for row, record in zip(rows, map(json.loads, wanted)):
        expect("a row", [row[key] for key in ("service", "id", "text")], [record[key] for key in ("service", "id", "text")])
        time = record.get("created_at")
        if row["created_at"] is not None:
            expect("a time", row["created_at"].strftime("%Y-%m-%dT%H:%M:%S.%f")[:23] + "Z", time)
        expect("a day", row["day"], time[:10] if row["created_at"] is not None else "unknown")
    answers = Job("ask", "days", EXAMPLE / "questions.sql").finish()
    for answer in "|2031-01-01|swift|     1|    40|", "|ann|bob|     40|", "|dead.example|  30|     30|":
        expect(f"'{answer}' in the answers\n{answers[-4000:]}", answer.replace(" ", "") in answers.replace(" ", ""), True)


def failures():
    """What a tool may not end with ends the job, and says why."""
    os.mkdir("one")
    shutil.copy("in/34 context.ndjson.gz", "one/1.ndjson.gz")
    tool = HERE / "broken/tw-parse"
    tool.parent.mkdir()
    for script, words in [
        # After half of the records.
        (f"#!/bin/sh\n{PARSE} \"$4\" | head -n 9000\nkill -SEGV $$\n", "tw-parse ended with signal 11"),
        ("#!/bin/sh\necho 'error while loading shared libraries: libsimdjson.so.14' >&2\nexit 127\n", "tw-parse ended with 127: error while loading"),
        ("#!/no/such/shell\n", "FileNotFoundError"),
    ]:
        tool.write_text(script)
        tool.chmod(0o755)
        text = Job("read", "one", "failed", master="local[1]", options=["--files", tool]).finish(fails=True)
        expect(f"'{words}' in\n{text[-4000:]}", words in text, True)
        expect("rows of a batch that failed", list(HERE.glob("failed/batch=*/*.parquet")), [])
    text = Job("read", "one", "failed", master="local[1]", PATH="/usr/bin:/bin").finish(fails=True)
    expect(f"a message without a tool\n{text[-2000:]}", "'tw-parse' is not installed" in text, True)
    # The same files, after all.
    expect("the batch after all", "1 files, 20001 records" in Job("read", "one", "failed", master="local[1]").finish(), True)


def give_up(*_):
    raise SystemExit("spark: took too long, or was told to end")


# Whoever waits for this program kills it only later than this.
for number in signal.SIGALRM, signal.SIGTERM:
    signal.signal(number, give_up)
signal.alarm(1300)
try:
    made = list(files(random.Random(5)))
    os.mkdir("in")
    kills(made, int(os.environ.get("TW_CRASH_ROUNDS", "4")))
    by_day(same_as_a_store(lines_once(made)))
    failures()
finally:
    for session in sessions:
        kill(session)
