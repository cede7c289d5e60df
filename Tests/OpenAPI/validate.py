"""Validates requests against an OpenAPI description: validate.py DESCRIPTION [SERVER] < requests

SERVER is the address that the description has requests go to, if it is not X's. The description itself is then not checked:
others have faults of their own.

Requests are as `tw-post --dry-run` prints them: method and URL, header fields, and after an empty line the body, which is
one line: JSON, or `base64:` and any other body. Between two there is an empty line. Prints what is wrong with each, and ends with 1 if something is.
"""
import base64
import io
import json
import sys
from urllib.parse import parse_qsl, urlsplit

from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from werkzeug.datastructures import Headers, ImmutableMultiDict
from werkzeug.formparser import parse_form_data


SERVER = sys.argv[2] if len(sys.argv) > 2 else "https://api.x.com"


class Request:
    """The protocol of openapi_core.protocols.Request."""

    def __init__(self, method, url, headers, body):
        parts = urlsplit(url)
        self.host_url = SERVER
        self.path = parts.path
        self.method = method.lower()
        self.body = body
        self.content_type = headers.get("Content-Type", "application/json")
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(parse_qsl(parts.query)), header=Headers(headers), cookie=ImmutableMultiDict())


def parse(text):
    lines = text.split("\n")
    while lines and lines[0]:
        method, url = lines.pop(0).split(" ")
        headers = {"Authorization": "Bearer x"}
        while lines and lines[0]:
            name, value = lines.pop(0).split(": ", 1)
            headers[name] = "Bearer x" if name == "Authorization" else value
        lines.pop(0)
        body = None
        if lines and lines[0].startswith("{"):
            body = lines.pop(0).encode()
            lines.pop(0)
        elif lines and lines[0].startswith("base64:"):
            body = base64.b64decode(lines.pop(0).removeprefix("base64:"))
            lines.pop(0)
        yield Request(method, url, headers, body)


def validate_form(document, request):
    """The validator takes no bytes for the string that a file is: names and types of a form are compared here."""
    schema = document["paths"][request.path][request.method]["requestBody"]["content"]["multipart/form-data"]["schema"]
    _, texts, files = parse_form_data(
        {
            "wsgi.input": io.BytesIO(request.body),
            "CONTENT_TYPE": request.content_type,
            "CONTENT_LENGTH": str(len(request.body)),
            "REQUEST_METHOD": "POST",
        }
    )
    for name in [*texts, *files]:
        kind = schema["properties"][name]
        if (name in files) != (kind.get("format") == "binary"):
            raise ValueError(f"{name} is no {kind}")
    for name in schema["required"]:
        if name not in texts and name not in files:
            raise ValueError(f"{name} is missing")
    for name, file in files.items():
        if not file.mimetype.startswith("image/"):
            raise ValueError(f"{name} has no media type")


with open(sys.argv[1]) as file:
    config = Config(spec_validator_cls=None) if len(sys.argv) > 2 else None
    document = json.load(file)
    if len(sys.argv) > 2:
        # A poll, and a picture with a text, are of two of the kinds of posts that this description has for
        # alternatives.
        for content in document["paths"]["/api/v1/statuses"]["post"]["requestBody"]["content"].values():
            content["schema"]["anyOf"] = content["schema"].pop("oneOf")
    description = OpenAPI.from_dict(document, config=config)
faults = count = 0
for request in parse(sys.stdin.read()):
    count += 1
    try:
        if request.content_type.startswith("application/x-www-form-urlencoded"):
            # OAuth has forms (RFC 6749, RFC 7009), whose parameters this description knows only as members of JSON.
            request.body = json.dumps(dict(parse_qsl(request.body.decode()))).encode()
            request.content_type = "application/json"
        if request.content_type.startswith("multipart/"):
            validate_form(document, request)
        else:
            description.validate_request(request)
    except Exception as error:
        faults += 1
        cause = error.__cause__
        details = [str(each.message) for each in getattr(cause, "schema_errors", [])]
        print(request.method, request.path, request.body, repr(error), cause, details)
print(count, "requests,", faults, "faults")
sys.exit(1 if faults or not count else 0)
