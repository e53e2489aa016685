#!/usr/bin/env python3
"""Counts where signs occur in windows-1252 and ISO-8859-1 mail: the weights of `mailglot_tests::signs`.

    count_signs.py REAL OUT.tsv

REAL is the folder `corpus/real` of the shared test material: `eml/` and `verdicts.tsv`. A sign is a byte above 7F that windows-1252 reads
as something else than a letter. A run is signs with at most one blank between them. The output has a row for each run and place:
context (`plain` or `html`), class of the character before, run as hexadecimal bytes, class of the character after, number of parts,
number of occurrences. No other text of a message is written.

Limits: runs are cut after 8 bytes. Blanks at the start of a line belong to the class `start`.
"""
import email
import os
import re
import sys
from collections import Counter, defaultdict

LETTERS = set(b'\x83\x8a\x8c\x8e\x9a\x9c\x9e\x9f') | set(range(0xC0, 0x100)) - {0xD7, 0xF7}
SIGNS = bytes(sorted(set(range(0x80, 0x100)) - LETTERS))
RUN = re.compile(b'[' + re.escape(SIGNS) + b'](?: ?[' + re.escape(SIGNS) + b'])*')
# Labels that mailers write over windows-1252 text; other parts need a verdict.
LATIN = {'iso-8859-1', 'windows-1252', 'iso-8859-15', 'us-ascii', 'unknown-8bit', ''}
LONGEST = 8


def place(byte):
    """Returns the class of the byte beside a run; None stands for the edge of the text."""
    if byte is None or byte in b'\r\n':
        return 'edge'
    if byte in b' \t':
        return 'blank'
    if byte in b'<>':
        return 'tag'
    if chr(byte).isdigit() and byte < 0x80:
        return 'digit'
    if byte in LETTERS or chr(byte).isalpha() and byte < 0x80:
        return 'letter'
    if byte in b'"\'':
        return 'quote'
    if byte in b'([{$':
        return 'open'
    return 'close'


def parts(folder):
    """Yields (context, bytes) of each text part that is windows-1252."""
    with open(os.path.join(folder, 'verdicts.tsv'), encoding='utf-8') as table:
        verdicts = defaultdict(dict)
        for row in (line.rstrip('\n').split('\t') for line in table):
            verdicts[row[0]][row[1]] = row[2]
    for name in sorted(os.listdir(os.path.join(folder, 'eml'))):
        with open(os.path.join(folder, 'eml', name), 'rb') as file:
            message = email.message_from_binary_file(file)
        judged = verdicts[name].values()
        for part in message.walk():
            if part.get_content_maintype() != 'text':
                continue
            body = part.get_payload(decode=True) or b''
            label = str(part.get_param('charset') or '').lower()
            # The table numbers parts otherwise: where a message has a verdict, it decides for all its parts.
            if judged:
                latin = all(right != '?' and right.startswith('windows-1252') for right in judged)
            else:
                latin = label in LATIN - {'', 'unknown-8bit'}
            if latin and RUN.search(body) and not is_utf8(body):
                yield 'html' if part.get_content_subtype() == 'html' else 'plain', body


def is_utf8(body):
    try:
        body.decode('utf-8')
    except UnicodeDecodeError:
        return False
    return True


def count(folder, out):
    in_parts, occurrences, read = Counter(), Counter(), Counter()
    for context, body in parts(folder):
        read[context] += 1
        seen = Counter()
        for found in RUN.finditer(body):
            line_start = body.rfind(b'\n', 0, found.start()) + 1
            before = 'start' if not body[line_start:found.start()].strip(b' \t') else place(body[found.start() - 1])
            after = place(body[found.end()] if found.end() < len(body) else None)
            run = found[0][:LONGEST].rstrip(b' ')
            seen[context, before, run.hex(), after] += 1
        in_parts.update(seen.keys())
        occurrences.update(seen)
    with open(out, 'w', encoding='ascii') as file:
        file.write(f'# Runs of signs in {read["plain"]} plain and {read["html"]} HTML parts of real mail (count_signs.py):\n')
        file.write('# context, before, run in windows-1252, after, parts, occurrences\n')
        for row in sorted(in_parts, key=lambda row: (-in_parts[row], row)):
            file.write('\t'.join([*row, str(in_parts[row]), str(occurrences[row])]) + '\n')


if __name__ == '__main__':
    count(sys.argv[1], sys.argv[2])
