"""Validates records against docs/schema/record.schema.json: validate.py TW-PARSE [RECORDINGS]

Needs jsonschema. Prints a line for each fault and, last, how many records were right; ends with 1 if there are faults."""

import json
import sys

from jsonschema import Draft202012Validator

import records

# Golden cases whose input is a record of another program, with values that no service sends: tools print what they do
# not change as it stands. These faults must be there.
FOREIGN = {
    "tw-parse/own-records": {"public_metrics.like_count"},
    "tw-parse/odd-values": {""},
    "tw-parse/v2-own-names": {"retrieved_at"},
}

schema = json.loads((records.ROOT / "docs/schema/record.schema.json").read_text())
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
right, faults, foreign = {}, [], {}
for name, line in records.all_records(*sys.argv[1:]):
    record = json.loads(line)
    wrong = {".".join(map(str, error.absolute_path)): error.message for error in validator.iter_errors(record)}
    for path in [path for path in wrong if path in FOREIGN.get(name, ())]:
        foreign.setdefault(name, set()).add(path)
        del wrong[path]
    faults += [f"{name}: {path}: {message[:200]}" for path, message in wrong.items()]
    right[record["tw"]] = right.get(record["tw"], 0) + (not wrong)
faults += [f"{name}: {path}: nothing is wrong" for name in FOREIGN for path in FOREIGN[name] - foreign.get(name, set())]
print("\n".join(faults))
print("right:", json.dumps(right, sort_keys=True))
sys.exit(1 if faults else 0)
