"""Recipes of docs/examples, words of libexec and bash's completion with records, names, addresses and files of somebody who
wants them to run a command, to write elsewhere, or to break a document: hostile.py PACKAGE

The tools are on PATH. A command that ran has made a file whose name has "pwned" in it."""

import email
import email.policy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as XML

PACKAGE = pathlib.Path(sys.argv[1])
for program in ["bash", "flock", "jq", "parallel", "truncate", "zstd"]:
    if not shutil.which(program):
        print(f"needs {program}", file=sys.stderr)
        sys.exit(77)
HOME = pathlib.Path.cwd()
# What a shell, awk, sed, printf, an option, SQL, XML or a format of names could take for something else.
COMMANDS = ["$(touch pwned)", "`touch pwned`", ";touch pwned;", "';touch pwned;'", '";touch pwned;"', "|touch pwned&", "\ntouch pwned\n"]
WORDS = COMMANDS + ["--db=pwned", "-o pwned", "a=b", "%s%n%d\\n\\0", "<script>x</script>&\"'", "{1}{}", "[a-z]*?", "../../pwned", "\x1b]0;x\x07"]
# Of a file.
NAMES = [word.replace("/", "_").strip(".") for word in WORDS if "\x1b" not in word]
tools = str(pathlib.Path(shutil.which("tw-cache")).parent)
for name in list(os.environ):
    if name.startswith(("TW_", "XDG_")):
        del os.environ[name]
os.environ["HOME"] = str(HOME)
os.mkdir("bin")
os.environ["PATH"] = f"{HOME}/bin:{os.environ['PATH']}"


def program(name, text):
    path = HOME / "bin" / name
    path.write_text(text)
    path.chmod(0o755)


for recipe in PACKAGE.glob("docs/examples/tw-*"):
    text = recipe.read_text().replace("/usr/local/bin", f"{HOME}/bin:{tools}").replace("/usr/sbin/sendmail", f"{HOME}/bin/sendmail")
    program(recipe.name, text)


def run(*command, status=(0,), text="", **options):
    result = subprocess.run(command, input=text.encode(), capture_output=True, timeout=60, **options)
    if result.returncode not in status:
        sys.exit(f"{command!r}: {result.returncode} {result.stderr.decode()[-2000:]}")
    unharmed(command)
    return result.stdout.decode()


def unharmed(what):
    """No command ran, and nothing was written elsewhere."""
    found = [path for path in HOME.rglob("*pwned*") if path.name in ("pwned", "pwned.ndjson", "pwned;") or "store" in path.name]
    found += [path for path in (HOME.parent / "pwned.ndjson", HOME.parent.parent / "pwned.ndjson") if path.exists()]
    if found:
        sys.exit(f"{what!r} has made {found}")


def record(**keys):
    return json.dumps({"tw": "tweet", "service": "x", "text": "post", "author": {"id": "5", "username": "ann"}} | keys) + "\n"


def capture():
    """What a checkpoint says is the time becomes the name of a file at most, and that only if it is an hour."""
    checkpoints = [{"tw": "checkpoint", "feed": "#a", "newest": "1", "at": at} for at in WORDS + ["2026-01-31T9;touch pwned", "9999/../../pwned.nd"]]
    lines = ['{"tw":"context","feed":"#a","service":"x"}'] + [json.dumps(line, separators=(",", ":")) for line in checkpoints]
    pathlib.Path("lines").write_text("\n".join(lines) + "\n")
    program("tw-stream", f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {HOME}/asked\ncat {HOME}/lines\n")
    for folder in ["-x", "a=b", "it's $(touch pwned)`touch pwned`\n;touch pwned"]:
        # Twice: the second one starts from what the first has kept.
        run("tw-capture", folder, "#a", cwd=HOME)
        run("tw-capture", folder, "#a", cwd=HOME)
        files = sorted((HOME / folder).rglob("*.ndjson"))
        if len(files) != 1 or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d\.ndjson", files[0].name):
            sys.exit(f"tw-capture: {files}")
        if files[0].read_text().splitlines() != lines * 2:
            sys.exit(f"tw-capture: {files[0].read_text()}")
    # The next start after an hour of that kind alone.
    files[0].rename(files[0].parent / "2000-01-01T00.ndjson")
    run("tw-capture", folder, "#a", cwd=HOME)
    if not (HOME / folder / "2000-01-01T00.ndjson.zst").exists():
        sys.exit("tw-capture: an hour that is over is not compressed")
    os.remove("bin/tw-stream")


def files():
    """Names of files are operands, whatever is in them."""
    os.mkdir("captures")
    for number, name in enumerate(NAMES):
        (HOME / "captures" / name).write_text(json.dumps({"id": str(700 + number), "text": "post", "author_id": "5"}) + "\n")
    os.chdir("captures")
    for folder in "-out", "out $(touch pwned)":
        run("tw-parse-all", folder, *NAMES)
        made = {path.name for path in pathlib.Path(folder).glob("*.zst")}
        if made != {name + ".zst" for name in NAMES}:
            sys.exit(f"tw-parse-all: {sorted(made)}")
    said = run("tw-from-twarc", *NAMES)
    if said.splitlines()[-1] != f"{len(NAMES)} in all":
        sys.exit(f"tw-from-twarc: {said}")
    os.chdir(HOME)


def store():
    """Records with such words everywhere, of whom documents are made."""
    lines = ""
    for number, word in enumerate(WORDS):
        link = {"url": f"javascript:{word}", "expanded_url": f"javascript:{word}", "title": word, "start": 0, "end": 1, "link_kind": "music"}
        lines += record(
            id=f"1{number}{word}", text=word, created_at=time.strftime("%FT%T.000Z", time.gmtime()), url=f"javascript:{word}", feeds=[word], retrieved_at="2026-01-01T00:00:00.000Z",
            author={"id": word, "username": word, "name": word, "url": f"javascript:{word}"},
            entities={"hashtags": [{"start": 0, "end": 1, "tag": word}], "urls": [link]})  # fmt: skip
    run("tw-cache", "add", text=lines)
    for number, word in enumerate(WORDS):
        run("tw-cache", "query", "save", f"name {number} {word}", "lang:en", status=(0, 64, 65))
        run("tw-cache", "source", "add", "--", f"search:{word}", status=(0, 64, 65))


def is_sound(node, what):
    """No element of a stranger's, and no address but of the web."""
    for element in node.iter():
        tag = str(element.tag).rpartition("}")[2]
        if tag in ("script", "iframe", "object") and element.text != "":
            sys.exit(f"{what}: <{tag}>{element.text}")
        for name, value in element.attrib.items():
            if name.startswith("on") or re.match(r"(?i)\s*(javascript|data|vbscript):", value) and tag != "img":
                sys.exit(f"{what}: {name}={value!r}")


def documents():
    folder = HOME / COMMANDS[0]
    run("tw-nightly", folder.name, status=(0, 1, 69, 75, 77))
    page = (folder / "index.html").read_text()
    if re.search(r"(?i)<script>x|(href|src)=[\"']?\s*javascript:", page):
        sys.exit("tw-nightly: the page has a script of a stranger's")
    run("tw-feeds", "-feeds")
    outlines = XML.parse("-feeds/feeds.opml").findall(".//outline")
    kept = [line.split("\t")[0] for line in run("tw-cache", "query", "list").splitlines()]
    kept += {line.split("\t")[2] for line in run("tw-cache", "source", "list").splitlines()}
    if sorted(outline.get("text") for outline in outlines) != sorted(kept) or len(kept) < 8:
        sys.exit(f"tw-feeds: {[outline.attrib for outline in outlines]}, and not {kept}")
    for file in (HOME / "-feeds").glob("*.atom"):
        is_sound(XML.parse(file).getroot(), file.name)
    run("tw-playlist", "list $(touch pwned).m3u", "--all")
    played = [line for line in (HOME / "list $(touch pwned).m3u").read_text().splitlines() if not line.startswith("#")]
    if any(not line.startswith(("http://", "https://")) for line in played):
        sys.exit(f"tw-playlist: {played}")
    report = run("tw-link-report", "--all")
    if "javascript:" in report:
        sys.exit(f"tw-link-report: {report}")


def digest():
    """A message has the header that it should have, and no other."""
    program("sendmail", f"#!/bin/sh\ncat > {HOME}/sent\n")
    for address in [*COMMANDS, "you@example.org\nBcc: other@example.org", "a@b\r\nX-Pwned: 1"]:
        run("tw-digest", address, status=(0, 64))
        if pathlib.Path("sent").exists():
            with open("sent", "rb") as sent:
                message = email.message_from_binary_file(sent, policy=email.policy.compat32)
            names = {name.lower() for name in message.keys()}
            if names & {"bcc", "cc", "x-pwned"} or message["To"].count("\n"):
                sys.exit(f"tw-digest: {message.items()}")
            os.remove("sent")
    run("tw-digest", "you@example.org")
    if not pathlib.Path("sent").exists():
        sys.exit("tw-digest: no mail")


def kafka():
    """Each record is one message, with the key that it has, or none."""
    program("kcat", f"#!/bin/sh\ncat > {HOME}/produced\n")
    lines = run("tw-cache", "list")
    run("tw-to-kafka", "broker", "topic", text=lines)
    produced = pathlib.Path("produced").read_text().splitlines()
    if [line.rpartition("\t")[2] for line in produced] != lines.splitlines() or len(produced) < len(WORDS):
        sys.exit("tw-to-kafka: other records")
    for line in produced:
        key, tab, value = line.partition("\t")
        tweet = json.loads(value if tab else line)
        if tab and key != f"{tweet['service']}:{tweet['id']}":
            sys.exit(f"tw-to-kafka: the key {key!r} of {value}")


def words():
    """Words of a person's line, and names of tweets, are no options and no commands."""
    for word in COMMANDS[:2] + ["--db=pwned"]:
        run("tw-search-networks", word, word, status=(0, 64))
    for word in WORDS:
        for name in "thread", "search":
            run("tw", name, word, status=(0, 1, 64, 65, 66))
    # Nothing in a person's own file of settings, and no name of a program, runs when Tab is pressed.
    for name in NAMES:
        program("tw-" + name, "#!/bin/sh\n")
    (HOME / ".config/tw").mkdir(parents=True, exist_ok=True)
    (HOME / "bin/tw").write_text("#!/bin/sh\nprintf '%s = x\\n' 'a$(touch pwned)' 'a`touch pwned`'\n")
    os.chmod("bin/tw", 0o755)
    script = f"""
    . '{PACKAGE}/completions/bash/tw'
    for line in 'tw ' 'tw a' 'tw help ' 'tw config alias '; do
      COMP_LINE=$line COMP_POINT=${{#line}}
      read -ra COMP_WORDS <<< "$line"
      [[ $line != *' ' ]] || COMP_WORDS+=('')
      COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
      _tw tw "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
      printf '%s\\n' "${{COMPREPLY[@]}}"
    done
    """
    offered = run("bash", "-c", script).splitlines()
    if offered.count(r"a\$\(touch\ pwned\)") != 3 or "config" not in offered or "stream" not in offered:
        sys.exit(f"completion: {offered}")


def feed():
    """An entry of a feed has an address of the web, or none."""
    pathlib.Path("feed.xml").write_text(
        "<rss version='2.0'><channel><title>x</title><item><title>$(touch pwned)</title>"
        "<link>javascript:alert(1)</link><guid>1\n2</guid></item></channel></rss>")
    server = subprocess.Popen(
        [sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        port = re.search(rb"port (\d+)", server.stdout.readline())[1].decode()
        lines = run("tw-source-feed", f"http://127.0.0.1:{port}/feed.xml", env=os.environ | {"TW_ONCE": "1"})
    finally:
        server.kill()
        server.wait()
    if "javascript:" in lines or "$(touch pwned)" not in lines:
        sys.exit(f"tw-source-feed: {lines}")


for step in capture, files, store, documents, digest, kafka, feed, words:
    step()
