"""Reads a Jetstream with the client of the package atproto: ADDRESS COUNT. A line for each event, with its number and its text."""

import sys

from atproto import JetstreamClient

left = int(sys.argv[2])
client = JetstreamClient(
    params={"collections": ["app.bsky.feed.post"], "kinds": ["commit"], "cursor": 1}, base_uri=sys.argv[1] + "/xrpc")


def print_event(event):
    global left
    print(event.seq, event.operation, event.record["text"], flush=True)
    left -= 1
    if not left:
        client.stop()


client.start(print_event)
