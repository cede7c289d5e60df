"""Makes the files of docs/schema from docs/schema/record.keys: generate.py [--check]

With --check nothing is written: the files that differ are named, and the status is 1."""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/schema"
# Tables have no recursion: tweets inside a tweet are columns as deep as this, and below that JSON text. No service
# nests them deeper than a retweet of a quote of a quote.
DEPTH = 2

SCALARS = {
    # JSON Schema, Spark, DuckDB, Arrow
    "string": ({"type": "string"}, "STRING", "VARCHAR", {"name": "utf8"}),
    "time": ({"$ref": "#/$defs/time"}, "TIMESTAMP", "TIMESTAMPTZ", {"name": "timestamp", "unit": "MICROSECOND", "timezone": "UTC"}),
    "integer": ({"type": "integer"}, "BIGINT", "BIGINT", {"name": "int", "bitWidth": 64, "isSigned": True}),
    "number": ({"type": "number"}, "DOUBLE", "DOUBLE", {"name": "floatingpoint", "precision": "DOUBLE"}),
    "boolean": ({"type": "boolean"}, "BOOLEAN", "BOOLEAN", {"name": "bool"}),
    "json": (True, "STRING", "JSON", {"name": "utf8"}),
}


class Table:
    """The objects and record types of record.keys: lists of (key, type, marks)."""

    def __init__(self, text):
        self.objects, self.records = {}, {}
        keys = None
        for line in text.splitlines():
            words = line.split("#")[0].split()
            if not words:
                continue
            if not line.startswith(" "):
                kind, name = words
                keys = []
                {"object": self.objects, "record": self.records}[kind][name] = keys
            elif words[0] == "more":
                keys.append(("more", words[1], ""))
            else:
                keys.append((words[0], words[1], "".join(words[2:])))

    def keys(self, name, kind="object"):
        """The keys of an object, with those of the objects that it takes; one name has one place."""
        found = {}
        for key, type, marks in (self.objects if kind == "object" else self.records)[name]:
            for entry in self.keys(type) if key == "more" else [(key, type, marks)]:
                if entry[0] in found:
                    sys.exit(f"record.keys: '{entry[0]}' is twice in {name}")
                found[entry[0]] = entry
        return list(found.values())


def element(type):
    return type[1:-1] if type.startswith("[") else None


def json_schema(table):
    def of(type):
        if element(type):
            return {"type": "array", "items": of(element(type))}
        return SCALARS[type][0] if type in SCALARS else {"$ref": "#/$defs/" + type}

    def object(keys):
        schema = {"type": "object", "properties": {key: of(type) for key, type, _ in keys}}
        required = [key for key, _, marks in keys if "!" in marks]
        return {**schema, "required": required} if required else schema

    used = {element(type) or type for name in table.objects for _, type, _ in table.keys(name)}
    used |= {element(type) or type for name in table.records for _, type, _ in table.keys(name, "record")}
    definitions = {"time": {"type": "string", "format": "date-time", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"}}
    definitions |= {name: object(table.keys(name)) for name in table.objects if name in used}
    definitions |= {name + "_record": object(table.keys(name, "record")) for name in table.records}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tweet(5), version 1",
        "description": "A record of the tw tools: a line of NDJSON. Other keys and record types may be there.",
        "type": "object",
        "properties": {"tw": {"type": "string"}},
        "required": ["tw"],
        "allOf": [
            {"if": {"properties": {"tw": {"const": name}}}, "then": {"$ref": f"#/$defs/{name}_record"}} for name in table.records
        ],
        "$defs": definitions,
    }


class Columns:
    """Walks the columns of a record type; a subclass says how an engine spells them."""

    def __init__(self, table):
        self.table = table

    def of(self, record):
        return [(key, self.type(type, 0)) for key, type, _ in self.table.keys(record, "record")]

    def type(self, type, depth):
        if type == "[reference]":
            if depth == DEPTH:
                return self.scalar("json")
            depth += 1
        if element(type):
            return self.list(self.type(element(type), depth))
        if type in SCALARS:
            return self.scalar(type)
        return self.struct([(key, self.type(inner, depth)) for key, inner, _ in self.table.keys(type)])


class Spark(Columns):
    def scalar(self, type):
        return SCALARS[type][1]

    def list(self, inner):
        return f"ARRAY<{inner}>"

    def struct(self, columns):
        return "STRUCT<" + ", ".join(f"`{key}`: {type}" for key, type in columns) + ">"

    def text(self, record):
        return ",\n".join(f"`{key}` {type}" for key, type in self.of(record)) + "\n"


class DuckDB(Columns):
    """The structure that json_transform takes."""

    def scalar(self, type):
        return SCALARS[type][2]

    def list(self, inner):
        return [inner]

    def struct(self, columns):
        return dict(columns)

    def text(self, record):
        keys = ",\n".join(f"    {json.dumps(key)}: {json.dumps(type)}" for key, type in self.of(record))
        return (
            f"CREATE OR REPLACE MACRO {plural(record)}(files) AS TABLE\n"
            f"  SELECT unnest(json_transform(json, '{{\n{keys}\n  }}'))\n"
            f"  FROM read_ndjson_objects(files) WHERE json->>'$.tw' = '{record}';\n"
        )


def plural(record):
    return {"query": "queries", "refresh": "refreshes", "also_on": "also_on"}.get(record, record + "s")


class Arrow(Columns):
    """The form of a schema in JSON that the Arrow project's implementations exchange in their tests."""

    def scalar(self, type):
        extension = [{"key": "ARROW:extension:name", "value": "arrow.json"}]
        return {"type": SCALARS[type][3], "children": []} | ({"metadata": extension} if type == "json" else {})

    def list(self, inner):
        return {"type": {"name": "list"}, "children": [self.field("element", inner)]}

    def struct(self, columns):
        return {"type": {"name": "struct"}, "children": [self.field(*column) for column in columns]}

    def field(self, name, type):
        return {"name": name, "nullable": True, **type}

    def text(self, record):
        fields = ",\n".join("  " + json.dumps(self.field(*column)) for column in self.of(record))
        return f'{{"fields": [\n{fields}\n]}}\n'


DUCKDB_HEAD = """\
-- Records of tweet(5) in DuckDB: tweets(FILES), users(FILES) and so on are tables of the records of a type in files of NDJSON,
-- which may be compressed. A value of another type than its column's is NULL, and no line stops the load. Made from record.keys.
"""


def files(table):
    """What each file of docs/schema should have."""
    made = {"record.schema.json": json.dumps(json_schema(table), indent=1) + "\n"}
    for record in table.records:
        made[f"spark/{record}.ddl"] = Spark(table).text(record)
        made[f"arrow/{record}.json"] = Arrow(table).text(record)
    made["duckdb.sql"] = DUCKDB_HEAD + "".join("\n" + DuckDB(table).text(record) for record in table.records)
    return made


def page_names():
    """The keys that tweet(5) names in the sections that describe records."""
    page = (ROOT / "man/tweet.5").read_text()
    names = []
    for section in ["RECORD TYPES", "NOTIFICATIONS", "TWEETS", "PICTURES", "CHECKED LINKS"]:
        text = page.split(f"\n.Sh {section}\n")[1].split("\n.Sh ")[0]
        for words in re.findall(r"^(?:\.It |\.Pq |\.)Cm (.*)", text, re.MULTILINE):
            # A word after another macro is not a key; "viewer.account" is a key inside another.
            names += [word for word in re.split(r" (?:Ns|Ar|Ql|Xr) ", words)[0].split() if re.fullmatch("[a-z_0-9]+", word)]
    return set(names) | {"tw"}


def disagreements(table):
    """Keys that record.keys has and tweet(5) does not name, and the reverse."""
    kept = [(kind, name) for kind in ["object", "record"] for name in (table.objects if kind == "object" else table.records)]
    names = {key for kind, name in kept for key, _, marks in table.keys(name, kind) if "x" not in marks}
    records = set(table.records)
    for name in sorted(names - page_names()):
        yield f"record.keys has '{name}', which tweet(5) does not name"
    for name in sorted(page_names() - names - records):
        yield f"tweet(5) names '{name}', which record.keys does not have"


def main():
    table = Table((FOLDER / "record.keys").read_text())
    made = files(table)
    check = sys.argv[1:] == ["--check"]
    wrong = 0
    for fault in disagreements(table):
        print(fault)
        wrong = 1
    for name, text in made.items():
        path = FOLDER / name
        if check:
            if not path.exists() or path.read_text() != text:
                print(f"docs/schema/{name} is not what Tests/Schema/generate.py makes of record.keys")
                wrong = 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    sys.exit(wrong)


main()
