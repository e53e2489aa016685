"""Reads recipes as docs/ledger-format.md has them, and nothing else.

Each line of standard input has a recipe, new bytes and old bytes in hexadecimal. What differs is told, with exit code 1.
"""
import base64
import re
import sys

# Names that Python spells otherwise.
NAMES = {
    'Windows-31J': 'cp932',
    'windows-949': 'cp949',
    'IBM850': 'cp850',
    'macintosh': 'mac_roman',
    'HZ-GB-2312': 'hz',
    'windows-874': 'cp874',
}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        number = shift = 0
        while True:
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def counted(self):
        length = self.varint()
        self.at += length
        assert self.at <= len(self.data), 'the recipe is cut'
        return self.data[self.at - length:self.at]


def run(recipe, new):
    reader = Reader(recipe)
    assert reader.byte() == 1, 'another version'
    added, ends, transfer = reader.byte(), reader.byte(), reader.byte()
    width = reader.varint() if transfer else 0
    charset = reader.counted().decode('ascii')
    text = new[:len(new) - added]
    if ends == 1:
        text = re.sub(rb'(?<!\r)\n', b'\r\n', text)
    elif ends == 2:
        text = text.replace(b'\r\n', b'\n')
    out, last = b'', 0
    while reader.at < len(recipe):
        place, length, old = reader.varint(), reader.varint(), reader.counted()
        out += text[last:place] + old
        last = place + length
    text = out + text[last:]
    if charset:
        text = text.decode('utf-8').encode(NAMES.get(charset, charset))
    if charset == 'ISO-2022-KR':
        # Python writes the sequence where the first shift is.
        text = b'\x1b$)C' + text.replace(b'\x1b$)C', b'')
    if not transfer:
        return text
    eol = b'\r\n' if transfer & 2 else b'\n'
    digits = base64.b64encode(text)
    lines = [digits[at:at + width] for at in range(0, len(digits), width)]
    return eol.join(lines) + (eol if transfer & 4 and lines else b'')


wrong = 0
for line in sys.stdin:
    recipe, new, old = map(bytes.fromhex, line.rstrip('\n').split(' '))
    made = run(recipe, new)
    if made != old:
        wrong += 1
        if wrong <= 5:
            print(recipe.hex(), made[:60], old[:60])
sys.exit(wrong > 0)
