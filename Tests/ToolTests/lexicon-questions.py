"""Checks requests against Bluesky's lexicons, which lexrpc has: lexicon-questions.py

Standard input has a line for each, `GET /xrpc/METHOD?PARAMETERS`. Prints what is wrong, and ends with 1 if anything is.
"""

import sys
import urllib.parse

from lexrpc.base import Base

lexicons = Base()
faults = 0
for line in sys.stdin:
    address = urllib.parse.urlsplit(line.split()[1])
    method = address.path.removeprefix("/xrpc/")
    try:
        pairs = urllib.parse.parse_qsl(address.query, keep_blank_values=True, strict_parsing=bool(address.query))
        known = lexicons.defs[method]["parameters"]["properties"]
        unknown = [name for name, _ in pairs if name not in known]
        if unknown:
            raise ValueError(f"it has no {unknown}")
        lexicons.validate(method, "parameters", lexicons.decode_params(method, pairs))
    except Exception as error:
        faults += 1
        print(f"{line.strip()}: {error}")
sys.exit(1 if faults else 0)
