#!/usr/bin/env python3
"""Validates tw-local's answers against X's OpenAPI document: validate.py DOCUMENT, run by `tw-local --demo -- …`

Needs openapi-core. Prints a line for each answer that does not agree, and ends with 1 if there is any.
"""

import base64
import json
import os
import re
import struct
import sys
import urllib.error
import urllib.request
import zlib

from openapi_core import Config, OpenAPI
from openapi_core.testing import MockRequest, MockResponse

BASE = os.environ["TW_ENDPOINT"]
TOKEN = os.environ["TW_TOKEN"]
FIELDS = (
    "tweet.fields=created_at,author_id,conversation_id,in_reply_to_user_id,referenced_tweets,entities,attachments,lang,"
    "public_metrics,source,possibly_sensitive,note_tweet,reply_settings"
    "&expansions=author_id,in_reply_to_user_id,referenced_tweets.id,referenced_tweets.id.author_id,"
    "attachments.media_keys,attachments.poll_ids,entities.mentions.username"
    "&user.fields=created_at,profile_image_url,protected,verified,verified_type,url,entities,description,location,"
    "public_metrics&media.fields=url,alt_text,width,height&poll.fields=duration_minutes,end_datetime,voting_status"
)
USER = "user.fields=created_at,description,entities,location,profile_image_url,protected,public_metrics,url,verified"


class Contract:
    def __init__(self, path):
        self.document = json.load(open(path))
        self.api = OpenAPI.from_dict(
            self.document,
            config=Config(
                spec_validator_cls=None, extra_media_type_deserializers={"application/problem+json": json.loads}
            ),
        )
        self.faults = 0
        self.checked = set()

    def ask(self, method, path, body=None, status=200, headers=None):
        """Sends a request and validates the answer; gives it as JSON."""
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(BASE + path, data=data, method=method)
        request.add_header("Authorization", f"Bearer {TOKEN}")
        if data:
            request.add_header("Content-Type", "application/json")
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            answer = error
        content = answer.read()
        if answer.status != status:
            self.fault(method, path, f"status {answer.status}: {content.decode()}")
        self.validate(method, path, answer.status, content, answer.headers.get_content_type())
        return json.loads(content)

    def validate(self, method, path, status, content, kind):
        plain, _, query = path.partition("?")
        pattern = self.pattern(method, plain)
        if pattern is None:
            return self.fault(method, path, "X has no such endpoint")
        self.checked.add(f"{method} {pattern}")
        # The document differs from what X was seen to answer: a new rule with 201, and refusals, which the document
        # wants as `code` and `message`, as problems.
        if str(status) not in self.document["paths"][pattern][method.lower()]["responses"]:
            status, kind = (200, kind) if status < 300 else (status, "application/problem+json")
        request = MockRequest("https://api.x.com", method.lower(), plain, path_pattern=pattern)
        response = MockResponse(content, status_code=status, content_type=kind)
        for error in self.api.iter_response_errors(request, response):
            causes = getattr(error.__cause__, "schema_errors", None) or getattr(error, "schema_errors", None) or []
            for cause in list(causes) or [error]:
                where = "/".join(str(part) for part in getattr(cause, "absolute_path", []))
                self.fault(method, path, f"{where}: {getattr(cause, 'message', cause)}"[:400])

    def pattern(self, method, path):
        """The document's name of a path: that with the fewest parameters which matches."""
        found = [
            pattern
            for pattern, operations in self.document["paths"].items()
            if method.lower() in operations and re.fullmatch(re.sub(r"\{[^}]*\}", "[^/]+", pattern), path)
        ]
        return min(found, key=lambda pattern: pattern.count("{"), default=None)

    def fault(self, method, path, what):
        self.faults += 1
        print(f"{method} {path.partition('?')[0]}: {what}")

    def stream(self, path):
        """Validates the first messages of a stream, each as an answer."""
        request = urllib.request.Request(BASE + path, headers={"Authorization": f"Bearer {TOKEN}"})
        with urllib.request.urlopen(request) as answer:
            for _ in range(5):
                if line := answer.readline().strip():
                    self.validate("GET", path, 200, line, "application/json")


def png(width, height):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes(3 * width) for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def main():
    x = Contract(sys.argv[1])
    me = x.ask("GET", "/2/users/me?" + USER)["data"]["id"]
    maren = x.ask("GET", "/2/users/by/username/maren_k?" + USER)["data"]["id"]
    x.ask("GET", "/2/users/by?usernames=maren_k,nobody_here&" + USER)
    page = x.ask("GET", "/2/tweets/search/recent?query=%23swift&max_results=10&" + FIELDS)
    x.ask("GET", f"/2/tweets/search/recent?query=%23swift&next_token={page['meta']['next_token']}&" + FIELDS)
    x.ask("GET", "/2/tweets/search/recent?query=nothinglikethis")
    x.ask("GET", "/2/tweets/search/recent?query=%23swift&max_results=5", status=400)
    x.ask("GET", "/2/tweets/search/all?query=opensource&max_results=100&" + FIELDS)
    some = page["data"][0]["id"]
    x.ask("GET", f"/2/tweets?ids={some},1&" + FIELDS)
    x.ask("GET", f"/2/tweets/{some}?" + FIELDS)
    x.ask("GET", "/2/tweets/1")
    for path in (f"{maren}/tweets", f"{maren}/mentions", f"{me}/timelines/reverse_chronological"):
        x.ask("GET", f"/2/users/{path}?max_results=50&" + FIELDS)
    x.ask("GET", "/2/lists/1001/tweets?" + FIELDS)

    rule = x.ask("POST", "/2/tweets/search/stream/rules", {"add": [{"value": "cat", "tag": "cats"}]}, status=201)
    x.ask("GET", "/2/tweets/search/stream/rules")
    x.ask("POST", "/2/tweets/search/stream/rules", {"delete": {"ids": [rule["data"][0]["id"]]}})
    x.ask("POST", "/2/tweets/search/stream/rules", {"add": [{"value": "#swift OR #opensource OR #music", "tag": "t"}]}, 201)
    x.stream("/2/tweets/search/stream?" + FIELDS)
    x.stream("/2/tweets/sample/stream?" + FIELDS)

    post = x.ask("POST", "/2/tweets", {"text": "Hello #swift & <all> https://example.com/x"}, status=201)["data"]["id"]
    x.ask("POST", "/2/tweets", {"text": "Hello #swift & <all> https://example.com/x"}, status=403)
    x.ask("POST", "/2/tweets", {"text": "an answer", "reply": {"in_reply_to_tweet_id": post}}, status=201)
    x.ask("POST", "/2/tweets", {"text": "a quote", "quote_tweet_id": post}, status=201)
    poll = x.ask("POST", "/2/tweets", {"text": "?", "poll": {"options": ["a", "b"], "duration_minutes": 5}}, status=201)
    x.ask("GET", f"/2/tweets/{poll['data']['id']}?" + FIELDS)
    for path, body in (("likes", "tweet_id"), ("retweets", "tweet_id"), ("bookmarks", "tweet_id")):
        x.ask("POST", f"/2/users/{me}/{path}", {body: some})
    for path in ("likes", "retweets", "bookmarks"):
        x.ask("DELETE", f"/2/users/{me}/{path}/{some}")
    x.ask("DELETE", f"/2/users/{me}/following/{maren}")
    x.ask("POST", f"/2/users/{me}/following", {"target_user_id": maren})

    picture = png(20, 10)
    media = x.ask(
        "POST", "/2/media/upload/initialize",
        {"media_type": "image/png", "total_bytes": len(picture), "media_category": "tweet_image"},
    )["data"]["id"]
    segment = {"segment_index": 0, "media": base64.b64encode(picture).decode()}
    x.ask("POST", f"/2/media/upload/{media}/append", segment)
    x.ask("POST", f"/2/media/upload/{media}/finalize")
    x.ask("GET", f"/2/media/upload?command=STATUS&media_id={media}")
    x.ask("POST", "/2/media/metadata", {"id": media, "metadata": {"alt_text": {"text": "black"}}})
    x.ask("POST", "/2/media/upload", {"media": segment["media"], "media_category": "tweet_image"})
    shown = x.ask("POST", "/2/tweets", {"text": "look", "media": {"media_ids": [media]}}, status=201)["data"]["id"]
    x.ask("GET", f"/2/tweets/{shown}?" + FIELDS)
    x.ask("DELETE", f"/2/tweets/{shown}")
    x.ask("DELETE", f"/2/tweets/{shown}", status=404)
    print(f"{len(x.checked)} endpoints, {x.faults} faults", file=sys.stderr)
    sys.exit(x.faults > 0)


main()
