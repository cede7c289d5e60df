#!/usr/bin/env python3
"""A service whose OAuth 2.0 is Authlib's, which shares no code with the kit.

    oauth2-server.py [--code-life SECONDS] [--token-life SECONDS]

Prints its port, then a line for each request: method, path, status, and the error that the library has found. A person's
consent is given at once: the page redirects with a code. A refresh token works once; using it again ends the sign-in.
"""
import argparse
import http.server
import json
import os
import time
import urllib.parse

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
from authlib.common.security import generate_token
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import (
    AuthorizationCodeMixin, AuthorizationServer, ClientMixin, OAuth2Request, ResourceProtector, TokenMixin, grants)
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc6750 import BearerTokenGenerator, BearerTokenValidator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge

parser = argparse.ArgumentParser()
parser.add_argument("--code-life", type=int, default=30)
parser.add_argument("--token-life", type=int, default=7200)
options = parser.parse_args()

METHODS = ["none", "client_secret_basic"]


class Client(ClientMixin):
    def __init__(self, client_id, secret=None): self.client_id, self.secret = client_id, secret
    def get_client_id(self): return self.client_id
    def get_default_redirect_uri(self): return None
    def get_allowed_scope(self, scope): return scope
    def check_redirect_uri(self, uri): return uri.startswith(("http://127.0.0.1:", "http://localhost:"))
    def check_client_secret(self, secret): return secret == self.secret
    def check_endpoint_auth_method(self, method, endpoint):
        return method == ("client_secret_basic" if self.secret else "none")
    def check_response_type(self, kind): return kind == "code"
    def check_grant_type(self, kind): return kind in ("authorization_code", "refresh_token")


CLIENTS = {client.client_id: client for client in [Client("public"), Client("confidential", "a+secret&with=%:é")]}


class Code(AuthorizationCodeMixin):
    def __init__(self, text, request):
        self.text, self.client_id, self.user = text, request.client.client_id, request.user
        self.redirect_uri, self.scope = request.payload.redirect_uri, request.scope
        self.code_challenge = request.payload.data.get("code_challenge")
        self.code_challenge_method = request.payload.data.get("code_challenge_method")
        self.end = time.time() + options.code_life
    def get_redirect_uri(self): return self.redirect_uri
    def get_scope(self): return self.scope


class Token(TokenMixin):
    def __init__(self, values, client_id, user, grant):
        self.access, self.refresh = values["access_token"], values.get("refresh_token")
        self.client_id, self.user, self.grant, self.scope = client_id, user, grant, values.get("scope", "")
        self.end, self.is_dead, self.is_spent = time.time() + values["expires_in"], False, False
    def check_client(self, client): return self.client_id == client.client_id
    def get_scope(self): return self.scope
    def get_expires_in(self): return int(self.end - time.time())
    def is_expired(self): return self.end <= time.time()
    def is_revoked(self): return self.is_dead
    def get_user(self): return self.user


codes, tokens = {}, []


def revoke(grant):
    for token in tokens:
        if token.grant == grant: token.is_dead = True


class Server(AuthorizationServer):
    def query_client(self, client_id): return CLIENTS.get(client_id)
    def send_signal(self, name, *args, **kwargs): pass
    def create_oauth2_request(self, request): return request
    def handle_response(self, status, body, headers): return status, body, headers
    def save_token(self, values, request):
        old = request.refresh_token
        tokens.append(Token(values, request.client.client_id, request.user, old.grant if old else generate_token(8)))


class Request(OAuth2Request):
    def __init__(self, method, uri, headers, form):
        super().__init__(method, uri, headers=headers)
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(uri).query))
        self._form, self._args, self.payload = form, query, BasicOAuth2Payload({**query, **form})
    @property
    def form(self): return self._form
    @property
    def args(self): return self._args


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS
    def save_authorization_code(self, text, request): codes[text] = Code(text, request)
    def query_authorization_code(self, text, client):
        code = codes.get(text)
        return code if code and code.client_id == client.client_id and code.end > time.time() else None
    def delete_authorization_code(self, code): del codes[code.text]
    def authenticate_user(self, code): return code.user


class RefreshGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True
    def authenticate_refresh_token(self, text):
        token = next((token for token in tokens if token.refresh == text), None)
        if token and token.is_spent: revoke(token.grant)
        return token if token and not token.is_dead else None
    def authenticate_user(self, token): return token.user
    def revoke_old_credential(self, token): token.is_spent = True


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = METHODS
    def query_token(self, text, hint): return next((token for token in tokens if text in (token.access, token.refresh)), None)
    def revoke_token(self, token, request): revoke(token.grant)


class Bearer(BearerTokenValidator):
    def authenticate_token(self, text): return next((token for token in tokens if token.access == text), None)


server = Server(["tweet.read", "users.read", "tweet.write", "follows.read", "follows.write", "like.read", "like.write",
                 "bookmark.read", "bookmark.write", "list.read", "media.write", "offline.access"])
server.register_grant(CodeGrant, [CodeChallenge(required=True)])
server.register_grant(RefreshGrant)
server.register_endpoint(Revocation)
server.register_token_generator("default", BearerTokenGenerator(
    lambda **_: generate_token(42), lambda **_: generate_token(48), lambda client, kind: options.token_life))
resources = ResourceProtector()
resources.register_token_validator(Bearer())


def answer(request, path):
    if path == "/i/oauth2/authorize":
        try:
            grant = server.get_consent_grant(request, end_user="jack")
        except OAuth2Error as error:
            return server.handle_error_response(request, error)
        return server.create_authorization_response(request, grant_user="jack", grant=grant)
    if path == "/2/oauth2/token": return server.create_token_response(request)
    if path == "/2/oauth2/revoke": return server.create_endpoint_response("revocation", request)
    try:
        resources.validate_request(["users.read" if path == "/2/users/me" else "tweet.read"], request)
    except OAuth2Error as error:
        return server.handle_error_response(request, error)
    data = {"data": {"id": "12", "username": "jack"}} if path == "/2/users/me" else {"meta": {"result_count": 0}}
    return 200, data, [("Content-Type", "application/json")]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self): self.handle_request()
    def do_POST(self): self.handle_request()
    def log_message(self, *args): pass

    def handle_request(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        form = dict(urllib.parse.parse_qsl(body))
        request = Request(self.command, f"http://127.0.0.1:{listener.server_port}{self.path}", self.headers, form)
        path = urllib.parse.urlsplit(self.path).path
        status, body, fields = answer(request, path)
        error = body.get("error", "") if isinstance(body, dict) else ""
        text = [error, body.get("error_description", "")] if error else []
        print(self.command, path, status, *(part for part in text if part), flush=True)
        payload = (json.dumps(body) if isinstance(body, dict) else body or "").encode()
        self.send_response(status)
        for name, value in fields: self.send_header(name, value)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(listener.server_port, flush=True)
listener.serve_forever()
