#!/usr/bin/env python3
"""A service whose OAuth 1.0a is oauthlib's, which shares no code with the kit.

    oauth1-server.py [--clock SECONDS]

Its clock is this many seconds ahead. Prints its port, then a line for each request: what it was and whether the library accepted it. Each PIN is 1234567.
"""
import argparse
import email.utils
import http.server
import json
import time
import urllib.parse

import oauthlib.oauth1

parser = argparse.ArgumentParser()
parser.add_argument("--clock", type=int, default=0)
options = parser.parse_args()

# How far the clock of a client may differ, in seconds.
REACH = 240
KEY, SECRET = "the-api-key", "the api&secret=é%"
TOKEN, TOKEN_SECRET = "user-token", "token+secret/="


class Signing(oauthlib.oauth1.RequestValidator):
    """Accepts one application and one user."""

    enforce_ssl = False
    dummy_client = dummy_request_token = dummy_access_token = "dummy"
    client_key_length = request_token_length = access_token_length = (1, 100)
    verifier_length = nonce_length = timestamp_length = (1, 100)
    nonces = set()
    requests = {}

    safe_characters = set(map(chr, range(33, 127)))

    def validate_client_key(self, key, request): return key == KEY
    def get_client_secret(self, key, request): return SECRET
    def validate_timestamp_and_nonce(self, key, timestamp, nonce, request, request_token=None, access_token=None):
        if abs(int(timestamp) - time.time() - options.clock) > REACH: return False
        entry = (timestamp, nonce)
        is_new = entry not in self.nonces
        self.nonces.add(entry)
        return is_new
    def get_realms(self, token, request): return []
    def get_default_realms(self, key, request): return []
    def validate_requested_realms(self, key, realms, request): return True
    def validate_realms(self, key, token, request, uri=None, realms=None): return True
    def validate_redirect_uri(self, key, uri, request): return True
    def save_request_token(self, token, request):
        self.requests[token["oauth_token"]] = (token["oauth_token_secret"], request.redirect_uri)
    def verify_request_token(self, token, request): return token in self.requests
    def validate_request_token(self, key, token, request): return token in self.requests
    def get_request_token_secret(self, key, token, request): return self.requests[token][0]
    def get_redirect_uri(self, token, request): return self.requests[token][1]
    def save_verifier(self, token, verifier, request): pass
    def validate_verifier(self, key, token, verifier, request): return verifier == "1234567"
    def invalidate_request_token(self, key, token, request): self.requests.pop(token, None)
    def save_access_token(self, token, request): pass
    def validate_access_token(self, key, token, request): return token == TOKEN
    def get_access_token_secret(self, key, token, request): return TOKEN_SECRET


signing = Signing()


class OneUser(oauthlib.oauth1.AccessTokenEndpoint):
    def create_access_token(self, request, credentials):
        return urllib.parse.urlencode(
            {"oauth_token": TOKEN, "oauth_token_secret": TOKEN_SECRET, "user_id": "12", "screen_name": "jack"})


request_tokens = oauthlib.oauth1.RequestTokenEndpoint(signing)
access_tokens = OneUser(signing)
resources = oauthlib.oauth1.ResourceEndpoint(signing)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self): self.handle_request("GET")
    def do_POST(self): self.handle_request("POST")
    def log_message(self, *args): pass
    def date_time_string(self, timestamp=None): return email.utils.formatdate(time.time() + options.clock, usegmt=True)

    def handle_request(self, method):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        uri = f"http://127.0.0.1:{server.server_port}{self.path}"
        headers = dict(self.headers)
        path = urllib.parse.urlsplit(self.path).path
        if path == "/oauth/request_token":
            answer = request_tokens.create_request_token_response(uri, method, body, headers)
        elif path == "/oauth/access_token":
            answer = access_tokens.create_access_token_response(uri, method, body, headers)
        else:
            is_good = resources.validate_protected_resource_request(uri, method, body, headers, [])[0]
            data = {"data": {"id": "12", "username": "jack"}} if path == "/2/users/me" else {"meta": {"result_count": 0}}
            answer = ({"Content-Type": "application/json"}, json.dumps(data if is_good else {}), 200 if is_good else 401)
        fields, text, status = answer
        print(method, path, status, flush=True)
        payload = (text or "").encode()
        self.send_response(status)
        for name, value in (fields or {}).items(): self.send_header(name, value)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
