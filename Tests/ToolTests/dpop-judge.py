"""Reads proofs of possession (DPoP, RFC 9449) with PyJWT, a JSON object a line: jwt, method, url, token.

Prints how many there were, and of how many keys; ends with an error at the first that is not right.
"""

import base64
import hashlib
import json
import sys
import time

import jwt

ids = set()
keys = set()
for line in sys.stdin:
    proof = json.loads(line)
    head = jwt.get_unverified_header(proof["jwt"])
    assert head["typ"] == "dpop+jwt" and head["alg"] == "ES256" and "d" not in head["jwk"], head
    key = jwt.PyJWK(head["jwk"], algorithm="ES256")
    claims = jwt.decode(
        proof["jwt"],
        key,
        algorithms=["ES256"],
        leeway=60,
        options={"require": ["iat", "jti"]},
    )
    assert claims["htm"] == proof["method"] and claims["htu"] == proof["url"], claims
    assert abs(claims["iat"] - time.time()) < 300, claims
    if proof["token"]:
        digest = hashlib.sha256(proof["token"].encode()).digest()
        assert claims["ath"] == base64.urlsafe_b64encode(digest).rstrip(b"=").decode(), claims
    else:
        assert "ath" not in claims, claims
    assert claims["jti"] not in ids, "a proof came twice"
    ids.add(claims["jti"])
    keys.add(head["jwk"]["x"])
print(f"{len(ids)} proofs of {len(keys)} key" + ("s" if len(keys) > 1 else ""))
