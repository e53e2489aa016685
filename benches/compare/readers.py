"""Reads messages with Python's package email or with GMime: `readers.py python`, `readers.py gmime`.

Standard input has messages, each behind its length as eight bytes, big-endian. Each gives a line of JSON: {"subject", "text"} or {"error"}.
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
    subject = str(message["subject"]).encode("utf-8", "replace").decode()
    return {"subject": subject, "text": message.get_content()}


def gmime(raw):
    import gi

    gi.require_version("GMime", "3.0")
    from gi.repository import GMime

    GMime.init()
    parser = GMime.Parser.new_with_stream(GMime.StreamMem.new_with_buffer(raw))
    message = parser.construct_message(None)
    return {"subject": message.get_subject(), "text": message.get_mime_part().get_text()}


def main():
    read = {"python": python, "gmime": gmime}[sys.argv[1]]
    if sys.argv[1] == "gmime":
        import gi

        gi.require_version("GMime", "3.0")
    for raw in frames(sys.stdin.buffer):
        try:
            found = read(raw)
        except Exception as error:  # Each failure of a reader is an outcome.
            found = {"error": str(error) or type(error).__name__}
        print(json.dumps(found))


main()
