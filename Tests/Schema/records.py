"""Records for the tests of docs/schema: what the golden cases print, and what tw-parse makes of the documents in Shapes and of
recorded ones."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ROOT / "Tests/ToolTests"
RECORDED = {".json", ".jsonl", ".ndjson", ".js", ".txt", ".car"}
# Descriptions of services, which have no posts.
NOT_POSTS = {"x-openapi", "openapi", "twitter-text", "lexicons", "oauth"}


def lines(text):
    return [line for line in text.splitlines() if line.startswith('{"tw":')]


def parsed(parser, arguments, text=None):
    return subprocess.run([parser, "--quiet", "--users", *arguments], input=text, capture_output=True, text=True).stdout


def golden():
    """Pairs of a case's name and a line that it prints."""
    for path in sorted(TESTS.glob("Golden/*/*/stdout")):
        for line in lines(path.read_text(errors="replace")):
            yield f"{path.parent.parent.name}/{path.parent.name}", line


def shapes(parser):
    """Pairs of a file's name and a line that tw-parse makes of its documents."""
    for path in sorted(TESTS.glob("Shapes/*.jsonl")):
        for shape in map(json.loads, path.read_text().splitlines()):
            documents = "".join(json.dumps(document) + "\n" for document in shape.get("documents", []))
            for line in lines(parsed(parser, [], documents)):
                yield path.name, line


def recorded(parser, folder):
    """Pairs of a recording's name and a line that tw-parse makes of it; none without the folder."""
    if not folder:
        return
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.suffix in RECORDED and path.is_file() and not NOT_POSTS & set(path.parts):
            for line in lines(parsed(parser, [str(path)])):
                yield str(path.relative_to(folder)), line


def all_records(parser, folder=None):
    yield from golden()
    yield from shapes(parser)
    yield from recorded(parser, folder)
