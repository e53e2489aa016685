"""Reads messages with another reader of mail and tells what it reads, for tests.

`read.py python` reads with the package email of Python, `read.py gmime` with GMime 3 by its introspection. `read.py python fields` and
`read.py gmime fields` tell of the header instead: {"fields": [name and value of each field, in its order]}.

Standard input holds messages, each behind its length as eight bytes, big-endian. For each, standard output gets a line of
JSON: {"subject": text or null, "texts": [text of each part text/*, in the order of the message]}; or {"error": text}.

Limits: a text that the reader cannot decode is null.
"""

import json
import struct
import sys


def frames(stream):
    while head := stream.read(8):
        yield stream.read(struct.unpack(">Q", head)[0])


def python(raw):
    import email
    import email.policy

    message = email.message_from_bytes(raw, policy=email.policy.default)
    texts = []
    for part in message.walk():
        if part.get_content_maintype() != "text" or part.is_multipart():
            continue
        payload = part.get_payload(decode=True)
        try:
            texts.append(payload.decode(part.get_content_charset("utf-8"), "replace"))
        except LookupError:
            texts.append(None)
    subject = message["subject"]
    return {"subject": None if subject is None else str(subject), "texts": texts}


def python_fields(raw):
    import email

    message = email.message_from_bytes(raw)
    return {"fields": [[name, str(value)] for name, value in message.items()]}


def gmime(fields):
    import gi

    gi.require_version("GMime", "3.0")
    from gi.repository import GMime

    GMime.init()

    def texts(entity, found):
        if isinstance(entity, GMime.MessagePart):
            inner = entity.get_message()
            if inner is not None and inner.get_mime_part() is not None:
                texts(inner.get_mime_part(), found)
        elif isinstance(entity, GMime.Multipart):
            for i in range(entity.get_count()):
                texts(entity.get_part(i), found)
        elif isinstance(entity, GMime.TextPart):
            try:
                found.append(entity.get_text())
            except UnicodeDecodeError:  # A label that GMime does not know: the bytes as they are.
                found.append(None)
        return found

    def read(raw):
        parser = GMime.Parser.new_with_stream(GMime.StreamMem.new_with_buffer(raw))
        message = parser.construct_message(None)
        if message is None:
            return {"error": "no message"}
        if fields:
            headers = message.get_header_list()
            headers = [headers.get_header_at(i) for i in range(headers.get_count())]
            return {"fields": [[header.get_name(), header.get_raw_value() or ""] for header in headers]}
        part = message.get_mime_part()
        return {"subject": message.get_subject(), "texts": texts(part, []) if part is not None else []}

    return read


def main():
    fields = sys.argv[2:] == ["fields"]
    if sys.argv[1] == "gmime":
        read = gmime(fields)
    else:
        read = python_fields if fields else python
    for raw in frames(sys.stdin.buffer):
        try:
            answer = read(raw)
        except Exception as error:  # Whatever ends the reader is its answer.
            answer = {"error": f"{type(error).__name__}: {error}"}
        # Lone surrogates are Python's way to hold raw bytes; they have no UTF-8.
        print(json.dumps(answer))


main()
