"""What the atproto client, with its models of Bluesky's lexicons, says of servers and of records. Prints what it has read, and ends with
an error if something does not fit its models.

    atproto-judge.py answers BASE PASSWORD   signs in, and reads each page that the kit reads
    atproto-judge.py records BASE DID        the records of a repository, each by its own model, with the formats of its texts
    atproto-judge.py stream BASE             the events of a Jetstream
"""

import sys
import threading

from atproto import Client, JetstreamClient, models
from atproto_client.models.dot_dict import DotDict
from atproto_client.models.utils import get_or_create

OTHER = "at://did:plc:bob/app.bsky.feed.post/3mabcdefghi22"
COLLECTIONS = ["app.bsky.feed.post", "app.bsky.feed.like", "app.bsky.feed.repost", "app.bsky.graph.follow"]


def judge_answers(base, password):
    client = Client(base)
    client.login("alice.example", password, fetch_bsky_profile=False)
    bsky, me = client.app.bsky, "did:plc:alice"
    calls = {
        "getTimeline": lambda: bsky.feed.get_timeline(),
        "getActorLikes": lambda: bsky.feed.get_actor_likes({"actor": me}),
        "getListFeed": lambda: bsky.feed.get_list_feed({"list": f"at://{me}/app.bsky.graph.list/3curatelist"}),
        "getPosts": lambda: bsky.feed.get_posts({"uris": [OTHER]}),
        "searchPosts": lambda: bsky.feed.search_posts({"q": "tea"}),
        "getBookmarks": lambda: bsky.bookmark.get_bookmarks(),
        "getFollowers": lambda: bsky.graph.get_followers({"actor": me}),
        "getFollows": lambda: bsky.graph.get_follows({"actor": me}),
        "getLists": lambda: bsky.graph.get_lists({"actor": me}),
        "listNotifications": lambda: bsky.notification.list_notifications(),
        "getProfile": lambda: bsky.actor.get_profile({"actor": "bob.example"}),
        "resolveHandle": lambda: client.com.atproto.identity.resolve_handle({"handle": "bob.example"}),
        "putRecord": lambda: client.com.atproto.repo.put_record(
            {"repo": me, "collection": COLLECTIONS[0], "rkey": "3mabcdefghi23", "record": {"$type": COLLECTIONS[0],
             "text": "tea", "createdAt": "2026-11-26T20:00:00.000Z"}}),
        "listRecords": lambda: client.com.atproto.repo.list_records({"repo": me, "collection": COLLECTIONS[0]}),
    }
    for name, call in calls.items():
        try:
            call()
            print(name)
        except Exception as error:  # noqa: BLE001
            sys.exit(f"{name}: {type(error).__name__}: {error} {error.__cause__ or ''}")


def judge_records(base, did):
    client = Client(base)
    for collection in COLLECTIONS:
        answer = client.com.atproto.repo.list_records({"repo": did, "collection": collection})
        for record in answer.records:
            assert not isinstance(record.value, DotDict), record.value
            value = record.value.model_dump(by_alias=True, exclude_none=True)
            read = get_or_create(value, type(record.value), strict=True, strict_string_format=True)
            assert read.py_type == collection, read
        print(collection, len(answer.records))


def judge_stream(base):
    client = JetstreamClient(
        params={"collections": [COLLECTIONS[0]], "kinds": ["commit"], "cursor": 1},
        base_uri=base.replace("http:", "ws:") + "/xrpc",
        compress=False,
    )

    def read(event):
        assert isinstance(event, models.NetworkBskyJetstreamSubscribeEvents.Commit), event
        print(event.seq, event.operation, flush=True)
        if event.operation == "delete":
            client.stop()

    thread = threading.Thread(target=lambda: client.start(read), daemon=True)
    thread.start()
    thread.join(30)


{"answers": judge_answers, "records": judge_records, "stream": judge_stream}[sys.argv[1]](*sys.argv[2:])
