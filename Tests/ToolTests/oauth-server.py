#!/usr/bin/env python3
"""A service whose OAuth 1.0a and OAuth 2.0 are checked by oauthlib, which shares no code with the kit.

Prints its port, then a line for each request: what it was and whether the library accepted it. A person's consent is given
at once: its pages redirect, or show a PIN.
"""
import http.server
import json
import urllib.parse

import oauthlib.oauth1
import oauthlib.oauth2

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


class Bearing(oauthlib.oauth2.RequestValidator):
    """Accepts one public application, with PKCE."""

    codes, refresh, access = {}, set(), set()

    def validate_client_id(self, client_id, request, *args, **kwargs): return client_id == "public"
    def authenticate_client(self, request, *args, **kwargs): return False
    def authenticate_client_id(self, client_id, request, *args, **kwargs):
        request.client = type("Client", (), {"client_id": client_id})()
        return client_id == "public"
    def client_authentication_required(self, request, *args, **kwargs): return False
    def is_pkce_required(self, client_id, request): return True
    def validate_redirect_uri(self, client_id, uri, request, *args, **kwargs): return uri.startswith("http://127.0.0.1:")
    def get_default_redirect_uri(self, client_id, request, *args, **kwargs): return None
    def validate_scopes(self, client_id, scopes, client, request, *args, **kwargs): return "tweet.read" in scopes
    def get_default_scopes(self, client_id, request, *args, **kwargs): return ["tweet.read"]
    def validate_response_type(self, client_id, kind, client, request, *args, **kwargs): return kind == "code"
    def save_authorization_code(self, client_id, code, request, *args, **kwargs):
        self.codes[code["code"]] = (request.redirect_uri, request.code_challenge, request.code_challenge_method, request.scopes)
    def validate_code(self, client_id, code, client, request, *args, **kwargs):
        if code not in self.codes: return False
        request.scopes, request.user = self.codes[code][3], "jack"
        return True
    def get_code_challenge(self, code, request): return self.codes[code][1]
    def get_code_challenge_method(self, code, request): return self.codes[code][2]
    def confirm_redirect_uri(self, client_id, code, uri, client, request, *args, **kwargs): return uri == self.codes[code][0]
    def validate_grant_type(self, client_id, kind, client, request, *args, **kwargs): return True
    def invalidate_authorization_code(self, client_id, code, request, *args, **kwargs): self.codes.pop(code)
    def save_bearer_token(self, token, request, *args, **kwargs):
        self.access.add(token["access_token"])
        self.refresh.discard(request.refresh_token)
        self.refresh.add(token["refresh_token"])
    def validate_refresh_token(self, token, client, request, *args, **kwargs): return token in self.refresh
    def get_original_scopes(self, token, request, *args, **kwargs): return ["tweet.read", "users.read"]
    def validate_bearer_token(self, token, scopes, request): return token in self.access
    def revoke_token(self, token, hint, request, *args, **kwargs):
        self.access.discard(token)
        self.refresh.discard(token)


signing, bearing = Signing(), Bearing()


class OneUser(oauthlib.oauth1.AccessTokenEndpoint):
    def create_access_token(self, request, credentials):
        return urllib.parse.urlencode(
            {"oauth_token": TOKEN, "oauth_token_secret": TOKEN_SECRET, "user_id": "12", "screen_name": "jack"})


request_tokens = oauthlib.oauth1.RequestTokenEndpoint(signing)
access_tokens = OneUser(signing)
resources = oauthlib.oauth1.ResourceEndpoint(signing)
oauth2 = oauthlib.oauth2.WebApplicationServer(bearing, token_expires_in=7200)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self): self.handle_request("GET")
    def do_POST(self): self.handle_request("POST")
    def log_message(self, *args): pass

    def handle_request(self, method):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        uri = f"http://127.0.0.1:{server.server_port}{self.path}"
        headers = dict(self.headers)
        path = urllib.parse.urlsplit(self.path).path
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        if path == "/oauth/request_token":
            answer = request_tokens.create_request_token_response(uri, method, body, headers)
        elif path == "/oauth/access_token":
            answer = access_tokens.create_access_token_response(uri, method, body, headers)
        elif path == "/i/oauth2/authorize":
            scopes, credentials = oauth2.validate_authorization_request(uri, method, body, headers)
            answer = oauth2.create_authorization_response(uri, method, body, headers, scopes, credentials)
        elif path == "/2/oauth2/token":
            answer = oauth2.create_token_response(uri, method, body, headers)
        elif path == "/2/oauth2/revoke":
            answer = oauth2.create_revocation_response(uri, method, body, headers)
        else:
            if headers.get("Authorization", "").startswith("Bearer "):
                is_good = oauth2.verify_request(uri, method, body, headers, [])[0]
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


import os
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
