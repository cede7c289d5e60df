"""docs/examples/tw-search-networks, against tw-local, a server that answers as Mastodon's does, and a feed: networks.py PACKAGE

The tools are on PATH."""

import http.server
import json
import os
import subprocess
import sys
import threading

PACKAGE = sys.argv[1]
if "TW_ENDPOINT" not in os.environ:
    os.execvp("tw-local", ["tw-local", "--quiet", "--demo", "--rate", "0", "--", sys.executable, __file__, PACKAGE])

STATUS = {
    "id": "112", "created_at": "2026-01-31T12:00:00.000Z", "content": "<p>toots about #swift</p>", "visibility": "public",
    "url": "https://m.example/@ann/112", "uri": "https://m.example/users/ann/statuses/112", "language": "en", "mentions": [], "tags": [],
    "emojis": [], "media_attachments": [], "account": {"id": "7", "username": "ann", "acct": "ann", "display_name": "Ann", "url": "https://m.example/@ann"},
}
FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://f.example/</link>
<item><title>Swift is in the news</title><link>https://f.example/1</link><guid>1</guid><pubDate>Fri, 30 Jan 2026 12:00:00 GMT</pubDate></item>
<item><title>Something else</title><link>https://f.example/2</link><guid>2</guid><pubDate>Fri, 30 Jan 2026 13:00:00 GMT</pubDate></item>
</channel></rss>"""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/api/v1/timelines/tag/swift?"):
            body, kind = json.dumps([] if "min_id" in self.path else [STATUS]), "application/json"
        elif self.path == "/feed.xml":
            body, kind = FEED, "application/rss+xml"
        else:
            return self.send_error(404)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *words):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
base = f"http://127.0.0.1:{server.server_port}"


def search(*words):
    return subprocess.run([PACKAGE + "/docs/examples/tw-search-networks", *words], capture_output=True, text=True, timeout=120)


result = search("#swift", base, base + "/feed.xml")
assert result.returncode == 0 and result.stderr == "", result
for text in ["toots about #swift", "Swift is in the news", "#swift"]:
    assert text in result.stdout, (text, result.stdout)
assert "Something else" not in result.stdout
assert result.stdout.index("toots about") < result.stdout.index("in the news"), "not the newest first"
assert "@maren_k" in result.stdout or "@" in result.stdout.split("toots about")[0], "nothing of X's service"
# One that does not answer is named, and the others are shown.
result = search("swift", "http://127.0.0.1:1", base + "/feed.xml")
assert result.returncode == 0 and "'mastodon-tag:http://127.0.0.1:1/swift' is left out" in result.stderr, result.stderr
assert "in the news" in result.stdout
stored = subprocess.run(["tw-cache", "list", "--count"], capture_output=True, text=True).stdout
assert int(stored) > 3, stored
