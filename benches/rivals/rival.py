"""Python as a rival of whole programs.

`rival.py convert FROM TO FILE` converts a file. `rival.py header FILE` decodes the header values of a file; a NUL ends each value. `rival.py
text FILE` writes the text parts of a message, each as `0`, a tab, the text and NUL. All write to standard output.

Limits: a header value that `email.header` refuses is written as it came.
"""

import sys


def convert(source, target, file):
    with open(file, "rb") as data:
        text = data.read().decode(source)
    sys.stdout.buffer.write(text.encode(target))


def header(file):
    from email.header import decode_header, make_header

    with open(file, "rb") as data:
        values = data.read().split(b"\0")[:-1]
    for value in values:
        text = value.decode("utf-8", "surrogateescape")
        try:
            text = str(make_header(decode_header(text)))
        except (LookupError, UnicodeError, ValueError):
            pass
        text = text.replace("\r\n ", " ")
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape") + b"\0")


def text(file):
    from email import message_from_binary_file

    with open(file, "rb") as data:
        data.readline()
        message = message_from_binary_file(data)
    for part in message.walk():
        if part.get_content_maintype() == "text":
            body = part.get_payload(decode=True).decode(part.get_content_charset("utf-8"), "replace")
            sys.stdout.buffer.write(b"0\t" + body.encode() + b"\0")


if __name__ == "__main__":
    {"convert": convert, "header": header, "text": text}[sys.argv[1]](*sys.argv[2:])
