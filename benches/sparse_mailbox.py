"""Writes a sparse mailbox of any size: a message at each 4 MiB, and a hole behind its text.

    python3 benches/sparse_mailbox.py MAILBOX SIZE_IN_GB

A mailbox of 100 GB takes about 100 MB of disk. The holes read as NULs, so the body of a message has 4 MiB of them.
"""

import sys

STEP = 4 << 20


def main(path, gigabytes):
    count = gigabytes * 10**9 // STEP
    with open(path, "wb") as file:
        for number in range(count):
            file.seek(number * STEP)
            start = b"\n\n" if number else b""
            head = f"From a@example.org Mon Jan  1 00:00:00 2024\nSubject: {number}\nFrom: a@example.org\n\nText {number}\n"
            file.write(start + head.encode())
        file.truncate(count * STEP)
    print(f"{count} messages, {count * STEP} bytes")


main(sys.argv[1], int(sys.argv[2]))
