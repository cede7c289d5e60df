"""Makes the pages of docs/site in a copy of the sources to which hostile pages are added, and checks all that came out: tags, links,
anchors, that each page is listed, and what the search finds. Prints each fault; the status is 1 if there is one."""

import json
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

sys.dont_write_bytecode = True
import browser  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
VOID = {"br", "hr", "img", "input", "link", "meta"}
TAGS = VOID | set(
    "a blockquote body br code dd del details div dl dt em form h1 h2 h3 h4 head header html i b li main nav ol p pre script section span "
    "strong summary table tbody td th thead title tr ul var".split())
SCRIPT = "<script>alert(1)</script>"
MARKDOWN = f"""# Hostile & {SCRIPT.replace("<", chr(92) + "<")}

Inline `{SCRIPT}`, `"><img src=x onerror=alert(1)>` and [a link](javascript:alert(1)).

## Twice

    {SCRIPT} `tw-cache list` tw-cache(1)

## Twice

`tw-cache list`, tw-cache(1), [decisions](README.md), [its list](#twice-1), [a file](../demo.sh), no-such-page(1).

| `a\\|b` | `</table>{SCRIPT}` |
|---|---|
| <https://example.com/?a=1&b="2"> | unmistakable |

|  | right | {"w" * 500} |
|---|--:|---|
| 1 | 2 | `{"w" * 500}` |
"""
MANUAL = f""".Dd November 24, 2026
.Dt TW-HOSTILE 7
.Os
.Sh NAME
.Nm tw-hostile
.Nd a page with {SCRIPT}
.Sh DESCRIPTION
.Bl -tag -width x
.It Fl -hostile Ar {SCRIPT}
An option, with
.Ql {SCRIPT} ;
.Xr tw-cache 1
and
.Xr cron 8 .
.It Ar plainterm
Without an anchor.
.It Fl -last
With one.
.El
After the list is an afterword.
.Bd -literal
{SCRIPT} tw-cache(1)
.Ed
.Sh SEE "ALSO" <b>
.Lk javascript:alert(1) label
"""
# A query, and the page and anchor that it finds first; all that it finds; or whether it finds something.
QUERIES = {
    "list --since": "man/tw-cache-list.1.html#since",
    "tw-cache list": "man/tw-cache-list.1.html#",
    "tw-cache": "man/tw-cache.1.html#",
    "TWEET": "man/tweet.5.html#",
    "--wayb": "man/tw-linkcheck.1.html#wayback",
    "two tool account minutes": "README.html#your-own-account-in-two-minutes",
    "unmistak": "docs/decisions/hostile.html#twice-1",
    "--hostile": "man/tw-hostile.7.html#hostile",
    "plainterm": "man/tw-hostile.7.html#DESCRIPTION",
    "afterword": "man/tw-hostile.7.html#DESCRIPTION",
    # The title does not bring in all sections.
    "tw-hostile": ["man/tw-hostile.7.html#"],
    "(": True,
    ".*": True,
    "[a-": False,
    "--sinces": False,
    "istakable": False,
    "wordthatisnowhere": False,
}

faults = []


def fault(text):
    faults.append(text)
    print(text)


class Page(HTMLParser):
    """A finished page: its ids and its links, in tags that end where they must."""

    def __init__(self, name, text):
        super().__init__()
        self.name, self.ids, self.links, self.open = name, set(), [], []
        self.feed(text)
        self.close()
        if self.open:
            fault(f"{name}: <{self.open[-1]}> has no end")

    def handle_starttag(self, tag, attributes):
        where = f"{self.name}:{self.getpos()[0]}: "
        if tag not in TAGS:
            fault(f"{where}<{tag}>")
        if tag not in VOID:
            self.open.append(tag)
        if tag == "a" and self.open.count("a") > 1:
            fault(f"{where}a link in a link")
        for name, value in attributes:
            if name.startswith("on") or name == "style":
                fault(f"{where}{name}={value!r}")
            elif name == "id":
                if value in self.ids or not value:
                    fault(f"{where}the id {value!r} is there twice, or empty")
                self.ids.add(value)
            elif name in ("href", "src"):
                if tag == "a" and urlsplit(value).scheme in ("http", "https"):
                    continue
                if urlsplit(value).scheme or urlsplit(value).netloc or not value:
                    fault(f"{where}<{tag}> asks for {value!r}")
                else:
                    self.links.append((tag, value))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            fault(f"{self.name}:{self.getpos()[0]}: </{tag}> ends what is not open")

    def handle_data(self, text):
        if self.open and self.open[-1] == "script":
            fault(f"{self.name}:{self.getpos()[0]}: a script in the page: {text[:80]!r}")


def make(sources):
    return subprocess.run([sys.executable, sources / "docs/site/make"], capture_output=True, text=True)


def check_pages(out):
    """Returns the addresses of all pages."""
    pages = {}
    for file in out.rglob("*.html"):
        name = file.relative_to(out).as_posix()
        pages[name] = Page(name, file.read_text("utf-8"))
    listed = set()
    for page in pages.values():
        for tag, link in page.links:
            target, anchor = urldefrag(urljoin("/" + page.name, link))
            target = target[1:]
            if target in pages:
                if anchor and unquote(anchor) not in pages[target].ids:
                    fault(f"{page.name}: {target} has no #{anchor}")
            elif tag == "a" or not (out / target).is_file():
                fault(f"{page.name}: nothing is at {link}")
            if page.name == "index.html":
                listed.add(target)
    for name in pages.keys() - listed - {"index.html"}:
        fault(f"index.html does not list {name}")
    return pages


def check_sources(pages):
    """Each page of the sources has become one."""
    files = [*ROOT.glob("man/*"), *ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    for file in files:
        name = file.relative_to(ROOT).as_posix().removesuffix(".md") + ".html"
        if name not in pages:
            fault(f"there is no {name}")


def check_hostile(out):
    for name, script in (("docs/decisions/hostile.html", 5), ("man/tw-hostile.7.html", 4)):
        text = (out / name).read_text("utf-8")
        if "javascript:" in text:
            fault(f"{name}: a link runs a script")
        # In the title and the list of headings too.
        if text.count("&lt;script&gt;alert(1)&lt;/script&gt;") < script:
            fault(f"{name}: a script's text is not shown")
    text = (out / "docs/decisions/hostile.html").read_text("utf-8")
    for shown in (
        '<p><code><a href="../../man/tw-cache-list.1.html">tw-cache list</a></code>, <a href="../../man/tw-cache.1.html">tw-cache(1)</a>, '
        '<a href="README.html">decisions</a>, <a href="#twice-1">its list</a>, <span>a file</span>, no-such-page(1).</p>',
        "`tw-cache list` tw-cache(1)\n</code></pre>",
    ):
        if shown not in text:
            fault(f"hostile.html lacks {shown}")
    text = (out / "man/tw-hostile.7.html").read_text("utf-8")
    if "TW-HOSTILE(7)" in text:
        fault("tw-hostile.7.html has mandoc's first or last line")
    for shown in ('<a class="Xr" href="tw-cache.1.html">tw-cache(1)</a>', "<span>cron(8)</span>"):
        if shown not in text:
            fault(f"tw-hostile.7.html lacks {shown}")


def check_refusals(sources):
    """What would be lost or lead nowhere is an error."""
    for file, text, message in (
        ("broken.md", "[x](nowhere.md)", "broken.md: there is no nowhere.md"),
        ("broken.md", "![x](nowhere.png)", "broken.md: there is no picture nowhere.png"),
        ("broken.md", "a <b>word</b>", "broken.md: HTML outside of code is left out"),
        ("man/tw-broken.7", MANUAL.replace("tw-cache 1", "tw-cache 2"), "man/tw-broken.7: there is no man/tw-cache.2"),
    ):
        (sources / file).write_text(text)
        result = make(sources)
        if result.returncode != 1 or result.stderr.strip() != f"docs: {message}":
            fault(f"of {text[:20]!r} docs/site/make says {result.returncode} {result.stderr!r}")
        (sources / file).unlink()


def check_search(out, pages):
    text = (out / "search-index.js").read_text("utf-8")
    index = json.loads(text.removeprefix("globalThis.searchIndex="))
    for address, _, sections in index:
        for anchor, _, _ in sections:
            if address not in pages or anchor and anchor not in pages[address].ids:
                fault(f"the search leads to {address}#{anchor}")
    if {entry[0] for entry in index} != pages.keys() - {"index.html"}:
        fault("the search does not know all pages")
    if not shutil.which("node"):
        print("skipped, without node: what the search finds")
        return
    script = text + (out / "search.js").read_text("utf-8") + """
      for (const query of process.argv.slice(2)) console.log(JSON.stringify(search(searchIndex, query)));"""
    (out / "try.js").write_text(script)
    result = subprocess.run(["node", out / "try.js", *QUERIES], capture_output=True, text=True, check=True)
    (out / "try.js").unlink()
    for (query, wanted), line in zip(QUERIES.items(), result.stdout.splitlines(), strict=True):
        found = [f"{address}#{section[0]}" for address, _, section in json.loads(line)]
        if {str: found[:1], list: found, bool: bool(found)}[type(wanted)] != ([wanted] if isinstance(wanted, str) else wanted):
            fault(f"the search for {query} finds {found[:3]}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder)
        for name in ("man", "docs"):
            shutil.copytree(ROOT / name, sources / name)
        for file in [*ROOT.glob("*.md"), ROOT / "LICENSE"]:
            shutil.copy(file, sources)
        check_refusals(sources)
        (sources / "docs/decisions/hostile.md").write_text(MARKDOWN)
        (sources / "man/tw-hostile.7").write_text(MANUAL)
        result = make(sources)
        if result.returncode or result.stderr:
            sys.exit(f"docs/site/make: {result.returncode} {result.stderr}")
        out = sources / ".build/docs"
        pages = check_pages(out)
        check_sources(pages)
        check_hostile(out)
        check_search(out, pages)
        browser.check(out, fault)
    sys.exit(bool(faults))


main()
