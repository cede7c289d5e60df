#!/usr/bin/env python3
"""X, a server with Mastodon's API, and Bluesky's Jetstream in one program, for bench/networks.

networks_server.py PORT-FILE RATE SECONDS     a third of RATE posts a second at each, once all three streams are open
networks_server.py PORT-FILE FRAMES DICTIONARY   a Jetstream that sends what FRAMES has (WebSocket frames) as fast as it is taken

Each post of the first kind has in its text when it was sent: `t=SECONDS.MICROSECONDS`.
"""

import base64
import hashlib
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY_DIGITS = "234567abcdefghijklmnopqrstuvwxyz"


def frame(text):
    """A WebSocket frame with a text of 126 bytes or more."""
    size = len(text)
    return (bytes((0x81, 126)) + size.to_bytes(2, "big") if size < 65_536
            else bytes((0x81, 127)) + size.to_bytes(8, "big")) + text


def clock(now):
    """A time of the protocols, and its milliseconds."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"


def record_key(now, number):
    value = int(now * 1e6) << 10 | number & 1023
    return "".join(KEY_DIGITS[value >> 60 - 5 * place & 31] for place in range(13))


def x_post(number, now):
    post = {
        "data": {"id": str(2_000_000_000_000_000_000 + number), "text": f"#bench post {number} t={now:.6f}", "author_id": "12",
                 "created_at": clock(now), "lang": "en"},
        "includes": {"users": [{"id": "12", "username": "jack", "name": "jack"}]},
        "matching_rules": [{"id": "1", "tag": Handler.tag}]}
    return json.dumps(post).encode() + b"\r\n"


def mastodon_post(number, now):
    status = {
        "id": str(int(now * 1000) << 16 | number & 0xFFFF), "created_at": clock(now), "visibility": "public", "language": "en",
        "content": f"<p>#bench post {number} t={now:.6f}</p>", "url": f"https://tea.example/@maja/{number}",
        "uri": f"https://tea.example/users/maja/statuses/{number}", "media_attachments": [], "mentions": [],
        "tags": [{"name": "bench", "url": "https://tea.example/tags/bench"}], "emojis": [], "favourites_count": 0,
        "account": {"id": "7", "username": "maja", "acct": "maja", "display_name": "Maja", "url": "https://tea.example/@maja"}}
    return b"event: update\ndata: " + json.dumps(status).encode() + b"\n\n"


def bluesky_post(number, now, text=None):
    event = {"$type": "message", "payload": {
        "$type": "network.bsky.jetstream.subscribeEvents#commit", "seq": number + 1, "did": "did:plc:alicealicealicealice12345",
        "time": clock(now)[:-1] + "000Z", "rev": record_key(now, number), "operation": "create", "collection": "app.bsky.feed.post",
        "rkey": record_key(now, number), "cid": "bafyreiapzyf65cmq55jklpnrihiygze2jmmdqvvkwqeiomd72pbp2iazuu", "record": {
            "$type": "app.bsky.feed.post", "createdAt": clock(now), "langs": ["en"],
            "text": text or f"#bench post {number} t={now:.6f}"}}}
    return json.dumps(event, separators=(",", ":")).encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    tag = ""
    rate = seconds = 0
    frames = dictionary = None
    barrier = threading.Barrier(3)

    def log_message(self, *_):
        pass

    def answer(self, body, status=200, kind="application/json"):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.split("?")[0]
        if path.endswith("/rules"):
            added = json.loads(body).get("add") or []
            if added:
                Handler.tag = added[0].get("tag", "")
            rules = [{"id": str(n + 1), **rule} for n, rule in enumerate(added)]
            return self.answer({"data": rules, "meta": {"summary": {"created": len(rules), "deleted": 1}}}, 201 if added else 200)
        if path == "/api/v1/apps":
            return self.answer({"client_id": "cid", "client_secret": "shh"})
        if path == "/oauth/token":
            return self.answer({"access_token": "t0k", "token_type": "Bearer", "scope": "read write", "created_at": 1})
        self.answer({"error": "not found"}, 404)

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/2/tweets/search/stream/rules":
            return self.answer({"meta": {"sent": "2026-01-01T00:00:00.000Z", "result_count": 0}})
        if path == "/2/tweets/search/stream":
            return self.stream("application/json", x_post)
        if path == "/api/v1/streaming/hashtag":
            return self.stream("text/event-stream", mastodon_post)
        if path == "/api/v2/instance":
            return self.answer({"version": "4.5.2", "api_versions": {"mastodon": 7}, "configuration": {}})
        if path == "/api/v1/accounts/verify_credentials":
            return self.answer({"id": "7", "username": "maja", "acct": "maja", "url": "https://tea.example/@maja"})
        if path.endswith("subscribeEvents"):
            return self.socket()
        if path.endswith("getZstdDictionary") and Handler.dictionary:
            return self.answer(Handler.dictionary, kind="application/octet-stream")
        if path.endswith("getProfiles"):
            profile = {"did": "did:plc:alicealicealicealice12345", "handle": "alice.example", "displayName": "Alice"}
            return self.answer({"profiles": [profile]})
        self.answer({"error": "not found"}, 404)

    def stream(self, kind, post):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

        def send(data):
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

        self.pace(lambda number, now: send(post(number, now)))

    def socket(self):
        accept = hashlib.sha1((self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(accept).decode())
        if self.headers.get("Sec-WebSocket-Protocol"):
            self.send_header("Sec-WebSocket-Protocol", self.headers["Sec-WebSocket-Protocol"].split(",")[0])
        self.end_headers()
        if Handler.frames:
            self.wfile.flush()
            with open(Handler.frames, "rb") as file:
                self.connection.sendfile(file)
            # The client has what it wants, and leaves.
            self.connection.recv(1)
        else:
            self.pace(lambda number, now: self.wfile.write(frame(bluesky_post(number, now))))
        self.close_connection = True

    def pace(self, send):
        """Sends posts one by one, each at its time, once all streams are open; then says nothing more."""
        self.wfile.flush()
        Handler.barrier.wait()
        begin = time.time()
        count = Handler.rate * Handler.seconds // 3
        try:
            for number in range(count):
                wait = begin + number * 3 / Handler.rate - time.time()
                if wait > 0:
                    time.sleep(wait)
                send(number, time.time())
            self.connection.recv(1)
        except OSError:
            pass
        self.close_connection = True


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass


def main():
    if sys.argv[2].isdigit():
        Handler.rate, Handler.seconds = int(sys.argv[2]), int(sys.argv[3])
    else:
        Handler.frames = sys.argv[2]
        with open(sys.argv[3], "rb") as file:
            Handler.dictionary = file.read()
    server = Server(("127.0.0.1", 0), Handler)
    with open(sys.argv[1] + ".new", "w") as file:
        file.write(str(server.server_address[1]))
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    server.serve_forever()


if __name__ == "__main__":
    main()
