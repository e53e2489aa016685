"""Writes a Maildir or an MH folder with many messages. Every second message needs a change.

    python3 benches/large_folder.py FOLDER COUNT maildir|mh

Each message has 1 to 4 KB. Every second one is in ISO-8859-1, with an encoded word in its subject. The same arguments give the same bytes.
"""

import os
import random
import sys

ENGLISH = (
    "the list patch kernel driver build error mail server charset python module release version thanks please could would there which "
    "about after before again some other"
).split()
FRENCH = "été où ça français déjà élève naïve garçon forêt hôtel âme".split()


def text(numbers, words):
    lines, length = [], 0
    while length < 4000:
        line = " ".join(numbers.choice(words) for _ in range(11))
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines) + "\n"


def header(numbers, number, subject, charset, encoding):
    time = f"Mon, {1 + number % 28} Jan 2001 10:{number % 60:02}"
    fields = [f"Return-Path: <user{number % 4000}@example.org>"]
    for hop in range(3):
        relay = f"relay{hop}.example.net"
        fields.append(
            f"Received: from {relay} ({relay} [192.0.2.{1 + number % 250}])\n\tby mx.example.org (Postfix) with ESMTP id "
            f"{numbers.getrandbits(40):010X}\n\tfor <list@example.org>; {time}:07 +0000 (UTC)"
        )
    fields += [
        f"From: User {number} <user{number % 4000}@example.org>\nTo: list@example.org\nDate: {time}:30 +0000",
        f"Message-ID: <{number}.{numbers.getrandbits(60):x}@example.org>\nSubject: {subject} {number}",
        f"MIME-Version: 1.0\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}\n\n",
    ]
    return "\n".join(fields)


def main(root, count, form):
    numbers = random.Random(7)
    plain = [text(numbers, ENGLISH) for _ in range(40)]
    foreign = [text(numbers, ENGLISH + FRENCH * 2) for _ in range(40)]
    for folder in ["cur", "new", "tmp"] if form == "maildir" else [""]:
        os.makedirs(os.path.join(root, folder))
    for number in range(count):
        if number % 2:
            kind, texts = ("=?iso-8859-1?Q?d=E9j=E0_vu?=", "iso-8859-1", "8bit"), foreign
        else:
            kind, texts = ("patch", "us-ascii", "7bit"), plain
        body = texts[numbers.randrange(40)][: numbers.randrange(600, 3200)] + "\n"
        message = (header(numbers, number, *kind) + body).encode("latin-1")
        name = str(number + 1)
        if form == "maildir":
            flags = ["", "S", "RS"][number % 3]
            name = f"cur/{978300000 + number * 61}.M{numbers.getrandbits(20)}P{number % 30000}.host,S={len(message)}:2,{flags}"
        with open(os.path.join(root, name), "wb") as file:
            file.write(message)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
