"""A server with Mastodon's API that others have written: mastodon-mock, whose one account has the token `mock_token`.

Prints its port; ends when its standard input does.
"""

import os
import socket
import sys
import threading

import uvicorn
from mastodon_mock.app import create_app
from mastodon_mock.config import MastodonMockConfig

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
port = listener.getsockname()[1]
config = MastodonMockConfig.load(None)
config.database.path = ":memory:"
config.domain, config.url_scheme = f"127.0.0.1:{port}", "http"
server = uvicorn.Server(uvicorn.Config(create_app(config), log_level="error", lifespan="on"))


def watch():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=watch, daemon=True).start()
listener.listen(64)
print(port, flush=True)
server.run(sockets=[listener])
