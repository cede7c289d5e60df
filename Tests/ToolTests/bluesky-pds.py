"""The server of one Bluesky account, which others have written: arroba keeps the repository, and lexrpc checks each request, each
answer and each record against Bluesky's own lexicons. What an AppView answers is made of the records.

Prints its port; ends when its standard input does.
"""

import hashlib
import os
import sys
import threading

DID = "did:plc:abcdefghijklmnopqrstuvwx"
OTHER = "did:plc:bcdefghijklmnopqrstuvwxy"
os.environ.update(
    REPO_TOKEN="token-of-alice", REPO_PASSWORD="abcd-efgh-ijkl-mnop", PDS_HOST="127.0.0.1", PLC_HOST="127.0.0.1"
)

import flask
import lexrpc.flask_server
from arroba import server, util, xrpc_identity, xrpc_repo, xrpc_server  # noqa: F401
from arroba.repo import Repo
from arroba.storage import MemoryStorage
from flask import Flask, jsonify
from multiformats import CID
from werkzeug.serving import make_server

HANDLES = {"alice.example": DID, "bob.example": OTHER}
server.storage = MemoryStorage()
key = util.new_key()
server.repo = Repo.create(server.storage, DID, handle="alice.example", signing_key=key)
other = Repo.create(server.storage, OTHER, handle="bob.example", signing_key=key)
xrpc = server.server
port = None

POST = {"$type": "app.bsky.feed.post", "text": "tea", "createdAt": "2026-11-26T20:00:00.000Z"}
KEY = "3mabcdefghi22"


def seed():
    from arroba.repo import Write
    from arroba.storage import Action

    write = Write(action=Action.CREATE, collection="app.bsky.feed.post", rkey=KEY, record=POST)
    server.storage.commit(server.storage.load_repo(OTHER), [write])


@xrpc.method("com.atproto.identity.resolveHandle", override=True)
def resolve(input, handle=None):
    if handle not in HANDLES:
        raise ValueError("Unable to resolve handle")
    return {"did": HANDLES[handle]}


def put_checked(input):
    xrpc.validate(input["collection"], "record", input["record"])
    return xrpc_repo.put_record(input)


xrpc.register("com.atproto.repo.putRecord", put_checked, override=True)


def apply_checked(input):
    writes = input["writes"]
    assert all(write["$type"] == "com.atproto.repo.applyWrites#create" for write in writes), writes
    for write in writes:
        xrpc.validate(write["collection"], "record", write["value"])
    results = []
    for write in writes:
        put = {"repo": input["repo"], "collection": write["collection"], "rkey": write["rkey"], "record": write["value"]}
        result = xrpc_repo.put_record(put)
        results.append({"$type": "com.atproto.repo.applyWrites#createResult", "uri": result["uri"], "cid": result["cid"]})
    return {"results": results}


xrpc.register("com.atproto.repo.applyWrites", apply_checked, override=True)


def delete(input):
    xrpc_repo.delete_record(input)
    return {}


xrpc.register("com.atproto.repo.deleteRecord", delete, override=True)


@xrpc.method("com.atproto.repo.uploadBlob", override=True)
def upload(input):
    digest = hashlib.sha256(input).digest()
    cid = CID("base32", 1, "raw", ("sha2-256", digest))
    kind = flask.request.headers["Content-Type"]
    return {"blob": {"$type": "blob", "ref": cid, "mimeType": kind, "size": len(input)}}


@xrpc.method("app.bsky.actor.getProfile", override=True)
def profile(input, actor=None):
    did = HANDLES.get(actor, actor)
    handle = next(name for name, value in HANDLES.items() if value == did)
    return {"did": did, "handle": handle, "displayName": handle.split(".")[0]}


@xrpc.method("app.bsky.feed.getPosts", override=True)
def posts(input, uris=()):
    views = []
    for uri in uris:
        _, _, did, collection, rkey = uri.split("/")
        record = server.storage.load_repo(did).get_record(collection, rkey)
        if record:
            views.append(
                {
                    "$type": "app.bsky.feed.defs#postView",
                    "uri": uri,
                    "cid": util.dag_cbor_cid(record).encode("base32"),
                    "author": profile(None, did),
                    "record": record,
                    "indexedAt": "2026-11-26T20:00:00.000Z",
                }
            )
    return {"posts": views}


app = Flask(__name__, static_folder=None)


@app.get("/<did>")
def document(did):
    name = next(name for name, value in HANDLES.items() if value == did)
    service = {"id": "#atproto_pds", "type": "AtprotoPersonalDataServer", "serviceEndpoint": f"http://127.0.0.1:{port}"}
    return jsonify({"id": did, "alsoKnownAs": [f"at://{name}"], "service": [service]})


seed()
lexrpc.flask_server.init_flask(xrpc, app)
service = make_server("127.0.0.1", 0, app, threaded=True)
port = service.port
print(port, flush=True)
threading.Thread(target=service.serve_forever, daemon=True).start()
sys.stdin.read()
