"""Asks converters for whole tables of single-byte charsets.

Reads lines `system TAB charset` and writes, for each system that is installed, a line `# TAB system TAB version` first, then
for each request a line `system TAB charset TAB 256 cells`: code points in hexadecimal digits, `A+B` for several, `-` for none.
A charset that the system does not know gives a line with `?` for the cells.

Limits: requests for systems that are not installed are passed over.
"""

import sys

from converters import installed


def cell(text):
    return "+".join(f"{ord(c):04X}" for c in text) if text and "\ufffd" not in text else "-"


def main():
    requests = [line.rstrip("\n").split("\t") for line in sys.stdin]
    converters = {converter.name: converter for converter in installed()}
    for name, converter in converters.items():
        print("#", name, converter.version, sep="\t")
    for system, charset in requests:
        converter = converters.get(system)
        if converter is None:
            continue
        known = converter.find(charset) is not None
        cells = "?"
        if known:
            cells = " ".join(map(cell, converter.decode_all(charset, [bytes([byte]) for byte in range(256)])))
        print(system, charset, cells, sep="\t")


if __name__ == "__main__":
    main()
