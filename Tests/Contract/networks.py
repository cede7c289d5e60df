#!/usr/bin/env python3
"""Others' clients of Mastodon and Bluesky against tw-local: networks.py [DESCRIPTION], run by `tw-local --demo -- …`

Mastodon.py and atproto sign in, post, answer, mark, read and stream; lexrpc checks answers against Bluesky's lexicons, and
openapi-core those of Mastodon's API against DESCRIPTION, if that is given. Prints what is wrong, and ends with 1 if anything is.
"""

import json
import os
import re
import struct
import sys
import threading
import time
import traceback
import urllib.parse
import urllib.request
import zlib

import atproto
import lexrpc
import mastodon

BASE = os.environ["TW_ENDPOINT"]
PASSWORD = "tw-local"
faults = 0


def fault(what):
    global faults
    faults += 1
    print(what)


def expect(is_right, what):
    if not is_right:
        fault(what)


def png():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 3, 2, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(2 * (b"\0" + bytes(9))))
        + chunk(b"IEND", b"")
    )


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


def answer_page(address, username):
    """Signs in on the page, as a person does, and gives what comes after it."""
    form = urllib.parse.urlencode({"username": username, "password": PASSWORD, "action": "allow"}).encode()
    try:
        return urllib.request.build_opener(NoRedirect).open(address, form).read().decode()
    except urllib.error.HTTPError as answer:
        return answer.headers["location"]


# Mastodon


def signed_in(username, redirect):
    scopes = ["read", "write", "follow"]
    key, secret = mastodon.Mastodon.create_app("judge", api_base_url=BASE, scopes=scopes, redirect_uris=redirect)
    client = mastodon.Mastodon(client_id=key, client_secret=secret, api_base_url=BASE)
    address = client.auth_request_url(redirect_uris=redirect, scopes=scopes, state="a&b", allow_http=True)
    told = answer_page(address, username)
    if redirect.startswith("urn:"):
        code = re.search(r"<strong>(\S+)</strong>", told)[1]
    else:
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(told).query)
        expect(query["state"] == ["a&b"], f"the state came back as {query}")
        code = query["code"][0]
    client.log_in(code=code, redirect_uri=redirect, scopes=scopes, allow_http=True)
    return client


class Listener(mastodon.StreamListener):
    def __init__(self):
        self.seen = []
        self.event = threading.Event()

    def on_update(self, status):
        self.note(("update", status["id"]))

    def on_notification(self, notification):
        self.note((notification["type"], notification["account"]["acct"]))

    def on_delete(self, status_id):
        self.note(("delete", str(status_id)))

    def note(self, what):
        self.seen.append(what)
        self.event.set()

    def wait(self, what):
        end = time.monotonic() + 60
        while (what[0], str(what[1])) not in [(kind, str(id)) for kind, id in self.seen] and time.monotonic() < end:
            self.event.wait(0.2)
            self.event.clear()
        expect((what[0], str(what[1])) in [(kind, str(id)) for kind, id in self.seen], f"{what} is not in {self.seen}")


def judge_mastodon():
    you = signed_in("you", "urn:ietf:wg:oauth:2.0:oob")
    maren = signed_in("maren_k", "http://127.0.0.1:8080/callback")
    expect(you.account_verify_credentials()["acct"] == "you", "the account is another one")
    tag, home = Listener(), Listener()
    streams = [you.stream_hashtag("judged", tag, run_async=True), you.stream_user(home, run_async=True)]
    while not all(stream.is_receiving() for stream in streams):
        time.sleep(0.05)
    picture = maren.media_post(png(), mime_type="image/png", description="Nothing to see")
    first = maren.status_post(
        "Hello @you@localhost & <all> #Judged https://example.com/a?b=1", media_ids=[picture], language="en",
        idempotency_key="one")
    again = maren.status_post("Hello twice", idempotency_key="one")
    expect(first["id"] == again["id"], "an Idempotency-Key is for one post")
    expect("<all>" not in first["content"] and 'class="u-url mention"' in first["content"], first["content"])
    expect(first["media_attachments"][0]["description"] == "Nothing to see", "the picture has no description")
    tag.wait(("update", first["id"]))
    home.wait(("update", first["id"]))
    home.wait(("mention", "maren_k"))
    reply = you.status_post("An answer #judged", in_reply_to_id=first["id"])
    context = you.status_context(first["id"])
    expect([status["id"] for status in context["descendants"]] == [reply["id"]], f"the context is {context}")
    expect(you.status_context(reply["id"])["ancestors"][0]["id"] == first["id"], "a reply has no ancestor")
    boost = you.status_reblog(first["id"])
    expect(boost["reblog"]["id"] == first["id"] and boost["reblog"]["reblogged"], "the boost is not one")
    expect(you.status_favourite(first["id"])["favourites_count"] == 1, "a favourite is not counted")
    expect(you.status_bookmark(first["id"])["bookmarked"], "a bookmark is not kept")
    expect(you.bookmarks()[0]["id"] == first["id"] and you.favourites()[0]["id"] == first["id"], "marks are not listed")
    kinds = {note["type"] for note in maren.notifications()}
    expect({"mention", "reblog"} <= kinds, f"the notifications are {kinds}")
    pages = you.timeline_hashtag("swift", limit=2)
    more = you.fetch_next(pages)
    newer = you.fetch_previous(more)
    expect(more[0]["id"] < pages[-1]["id"], "the next page is not older")
    expect([status["id"] for status in newer][-2:] == [status["id"] for status in pages][-2:], "there is no way back")
    upwards = you.timeline_hashtag("swift", min_id=more[-1]["id"], limit=1)
    expect(upwards[0]["id"] == more[-2]["id"], "min_id does not ask for the page just above")
    poll = you.status_post("A or B?", poll=you.make_poll(["A", "B"], expires_in=600))
    expect([option["title"] for option in poll["poll"]["options"]] == ["A", "B"], "the poll has other options")
    expect(you.search("#judged")["statuses"][0]["id"] == reply["id"], "search does not find a tag")
    maren.status_delete(first["id"])
    tag.wait(("delete", first["id"]))
    for error, words in [
        (lambda: you.status_post(""), "blank"), (lambda: you.status_post("x" * 501), "500"),
        (lambda: you.status("1"), "not found"), (lambda: you.status_delete(poll["reblogs_count"]), "not found"),
    ]:
        try:
            error()
            fault(f"nothing said that {words}")
        except mastodon.MastodonAPIError as problem:
            expect(words in str(problem), f"{problem} does not say {words}")
    for stream in streams:
        stream.close()
    token = you.access_token
    you.revoke_access_token(allow_http=True)
    try:
        mastodon.Mastodon(access_token=token, api_base_url=BASE).account_verify_credentials()
        fault("a revoked token is good")
    except mastodon.MastodonUnauthorizedError:
        pass
    return maren


def judge_answers(maren, path):
    """Mastodon's answers as a description of its API has them."""
    from openapi_core import Config, OpenAPI
    from openapi_core.testing import MockRequest, MockResponse

    with open(path) as file:
        document = json.load(file)
    # A quote is one of two forms there, both of which need nothing but `state`: every quote is both.
    quote = document["components"]["schemas"]["Status"]["properties"]["quote"]
    quote["anyOf"] = quote.pop("oneOf")
    api = OpenAPI.from_dict(document, config=Config(spec_validator_cls=None))
    server = document["servers"][0]["url"]
    me = maren.account_verify_credentials()["id"]
    post = maren.status_post("To be looked at #judged https://example.com")["id"]
    count = 0
    for pattern, query in [
        ("/api/v2/instance", ""), ("/api/v1/accounts/verify_credentials", ""), ("/api/v1/accounts/lookup", "?acct=you"),
        ("/api/v1/accounts/{id}", ""), ("/api/v1/accounts/{id}/statuses", "?limit=5"),
        ("/api/v1/accounts/relationships", f"?id[]={me}"), ("/api/v1/timelines/home", ""),
        ("/api/v1/timelines/public", ""), ("/api/v1/timelines/tag/{hashtag}", ""), ("/api/v1/statuses/{id}", ""),
        ("/api/v1/statuses/{id}/context", ""), ("/api/v1/notifications", ""), ("/api/v1/bookmarks", ""),
        ("/api/v1/lists", ""), ("/api/v2/search", "?q=swift"), ("/api/v1/accounts/{id}/followers", ""),
    ]:
        id = post if "statuses/{id}" in pattern else me
        plain = pattern.replace("{id}", id).replace("{hashtag}", "swift")
        request = urllib.request.Request(BASE + plain + query, headers={"Authorization": f"Bearer {maren.access_token}"})
        with urllib.request.urlopen(request) as answer:
            body, kind = answer.read(), answer.headers.get_content_type()
        count += 1
        asked = MockRequest(server, "get", plain, path_pattern=pattern)
        for error in api.iter_response_errors(asked, MockResponse(body, status_code=200, content_type=kind)):
            for cause in getattr(error.__cause__, "schema_errors", None) or [error]:
                where = "/".join(str(part) for part in getattr(cause, "absolute_path", []))
                fault(f"{pattern}: {where}: {getattr(cause, 'message', cause)}"[:300])
    return count


# Bluesky


class Jetstream:
    """A reader of the stream that is not ours."""

    def __init__(self, query=""):
        from websockets.sync.client import connect

        address = BASE.replace("http", "ws", 1) + "/xrpc/network.bsky.jetstream.subscribeEvents" + query
        self.socket = connect(address, subprotocols=["xrpc.v1.json"], legacy=True)

    def next(self, matches):
        while True:
            event = json.loads(self.socket.recv(timeout=60))["payload"]
            if matches(event):
                return event


def judge_bluesky():
    # Its own limit is five seconds, which a busy machine takes.
    you, maren = (atproto.Client(BASE, atproto.Request(timeout=60)) for _ in range(2))
    you.login("you.test", PASSWORD)
    maren.login("maren-k.test", PASSWORD)
    stream = Jetstream("?kinds=commit&collections=app.bsky.feed.post")
    text = atproto.client_utils.TextBuilder().text("Hello ").mention("@you.test", you.me.did).text(" ").tag("#seen", "seen")
    text.text(" 👋 ").link("a page", "https://example.com/a?b=1")
    first = maren.send_image(text, png(), "Nothing to see")
    event = stream.next(lambda event: event["rkey"] == first.uri.split("/")[-1])
    expect(event["did"] == maren.me.did and event["cid"] == first.cid, f"the event is {event}")
    record = event["record"]
    for facet in record["facets"]:
        shown = record["text"].encode()[facet["index"]["byteStart"] : facet["index"]["byteEnd"]].decode()
        feature = facet["features"][0]
        right = {"mention": "@you.test", "tag": "#seen", "link": feature.get("uri")}[feature["$type"].split("#")[1]]
        expect(shown == right, f"a facet is of '{shown}'")
    expect(len(record["facets"]) == 3, f"the facets are {record['facets']}")
    reference = atproto.models.create_strong_ref(first)
    reply = you.send_post("An answer", reply_to=atproto.models.AppBskyFeedPost.ReplyRef(parent=reference, root=reference))
    repost, like = you.repost(first.uri, first.cid), you.like(first.uri, first.cid)
    thread = you.get_post_thread(first.uri).thread
    expect(thread.replies[0].post.uri == reply.uri, "the thread has no answer")
    expect((thread.post.viewer.like, thread.post.viewer.repost) == (like.uri, repost.uri), "the marks have other addresses")
    expect((thread.post.like_count, thread.post.repost_count, thread.post.reply_count) == (1, 1, 1), "the counts are wrong")
    home = [item.post.uri for item in you.get_timeline(limit=100).feed]
    expect(first.uri in home and reply.uri in home, "the timeline lacks a post")
    feed = you.get_author_feed("you.test").feed
    expect(any(item.reason and item.post.uri == first.uri for item in feed), "the feed lacks the repost")
    reasons = {note.reason for note in maren.app.bsky.notification.list_notifications().notifications}
    expect({"reply", "repost"} <= reasons, f"the reasons are {reasons}")
    quote = you.send_post("Look", embed=atproto.models.AppBskyEmbedRecord.Main(record=reference))
    shown = you.get_posts([quote.uri]).posts[0]
    expect(shown.embed.record.uri == first.uri and shown.embed.record.embeds[0].images, "the quote is not shown")
    follow = you.get_profile("pip-ops.test").viewer.following
    expect(you.unfollow(follow) and not you.get_profile("pip-ops.test").viewer.following, "following does not end")
    found = you.app.bsky.feed.search_posts({"q": "#seen"}).posts
    expect([post.uri for post in found] == [first.uri], f"search finds {found}")
    key = "3lzzzzzzzzz22"
    body = {"$type": "app.bsky.feed.post", "text": "once", "createdAt": "2026-11-27T00:00:00.000Z"}
    put = [
        you.com.atproto.repo.put_record({"repo": you.me.did, "collection": body["$type"], "rkey": key, "record": body}).uri
        for _ in range(2)
    ]
    expect(put == [f"at://{you.me.did}/app.bsky.feed.post/{key}"] * 2, f"putRecord gave {put}")
    own = you.com.atproto.repo.list_records({"repo": "you.test", "collection": "app.bsky.feed.post"}).records
    expect([record.uri for record in own].count(put[0]) == 1, "the record is not there once")
    seen = stream.next(lambda event: event["rkey"] == key)
    resumed = Jetstream(f"?cursor={seen['seq']}")
    expect(resumed.next(lambda event: True)["rkey"] == key, "a cursor does not begin with its own event")
    for undo in (lambda: you.unlike(like.uri), lambda: you.unrepost(repost.uri), lambda: you.delete_post(put[0])):
        expect(undo(), "a record cannot be removed")
    deleted = stream.next(lambda event: event["operation"] == "delete" and event["rkey"] == key)
    expect("record" not in deleted, "a deletion has a record")
    for collection in ("app.bsky.feed.like", "app.bsky.feed.repost", "app.bsky.graph.follow"):
        you.com.atproto.repo.list_records({"repo": "you.test", "collection": collection})
    expect(maren.delete_post(first.uri), "the post cannot be deleted")
    expect(not you.get_posts([first.uri]).posts, "a deleted post is there")
    before = you._session.refresh_jwt
    you._refresh_and_set_session()
    expect(you._session.refresh_jwt != before and you.get_timeline(), "a session cannot be renewed")
    return you


def judge_records(you):
    """Answers as Bluesky's lexicons have them."""
    client = lexrpc.Client(BASE, access_token=you._session.access_jwt, validate=True, truncate=False)
    did = you.me.did
    posts = [item.post.uri for item in you.get_timeline(limit=25).feed]
    lists = you.app.bsky.graph.get_lists({"actor": did}).lists
    expect(lists and lists[0].creator.did == did, f"the lists are {lists}")
    asked = [
        ("com.atproto.server.getSession", {}), ("com.atproto.server.describeServer", {}),
        ("com.atproto.identity.resolveHandle", {"handle": "maren-k.test"}),
        ("com.atproto.repo.listRecords", {"repo": did, "collection": "app.bsky.feed.post"}),
        ("app.bsky.feed.getTimeline", {"limit": 100}), ("app.bsky.feed.getAuthorFeed", {"actor": "tomasz-io.test"}),
        ("app.bsky.feed.getPosts", {"uris": posts[:25]}), ("app.bsky.feed.searchPosts", {"q": "#swift"}),
        ("app.bsky.actor.getProfile", {"actor": "yuki-dev.test"}),
        ("app.bsky.actor.getProfiles", {"actors": [did, "dana-oz.test"]}), ("app.bsky.graph.getFollowers", {"actor": did}),
        ("app.bsky.graph.getFollows", {"actor": did}), ("app.bsky.notification.listNotifications", {}),
        ("app.bsky.feed.getActorLikes", {"actor": did}), ("app.bsky.bookmark.getBookmarks", {}),
        ("app.bsky.graph.getLists", {"actor": did}), ("app.bsky.feed.getListFeed", {"list": lists[0].uri, "limit": 5}),
        ("app.bsky.feed.getFeed", {"feed": f"at://{did}/app.bsky.feed.generator/swift"}),
    ] + [("app.bsky.feed.getPostThread", {"uri": uri}) for uri in posts[:10]]
    for method, parameters in asked:
        try:
            client.call(method, **parameters)
        except Exception as error:
            fault(f"{method} {parameters}: {error}"[:500])
    checker = lexrpc.Server(validate=True)
    for post in you.get_timeline(limit=100).feed:
        name, key = post.post.uri.split("/")[3:]
        answer = client.call("com.atproto.repo.getRecord", repo=post.post.author.did, collection=name, rkey=key)
        try:
            checker.validate(name, "record", answer["value"])
        except Exception as error:
            fault(f"{post.post.uri}: {error}"[:500])
    return len(asked)


def main():
    counts = []
    try:
        maren = judge_mastodon()
        counts.append(judge_answers(maren, sys.argv[1]) if len(sys.argv) > 1 else 0)
        counts.append(judge_records(judge_bluesky()))
    except Exception:
        fault(traceback.format_exc())
    print(f"{' and '.join(str(count) for count in counts)} answers, {faults} faults", file=sys.stderr)
    os._exit(1 if faults else 0)


main()
