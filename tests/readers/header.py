"""Decodes header values with Python's email.header: NUL-separated values on standard input, a line of JSON for each on standard output."""

import json
import sys
from email.header import decode_header, make_header


def decode(value):
    text = value.decode("utf-8", "surrogateescape")
    try:
        return str(make_header(decode_header(text)))
    except Exception:
        return None


for value in sys.stdin.buffer.read().split(b"\0")[:-1]:
    text = decode(value)
    if text is not None:
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    print(json.dumps(text))
