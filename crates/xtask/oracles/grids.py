"""Asks the installed converters for the two-byte sets of East Asia and writes what the codec's tables are made from.

    LIBICONV=... python3 crates/xtask/oracles/grids.py [SET ...]

For each set: data/tables/SET.tsv, the majority of the answers, and data/oracles/SET.tsv, each converter's answers as
differences to that table. A cell on which no majority agrees, or for which data/grid-exceptions.tsv has a row, is taken
from there; a cell that needs a row and has none is an error. A row of that file may name a range of codes (`8140..8DFE`)
and, as its cell, a converter (`=ICU`); the code `*` stands for all cells on which no majority agrees.

A table may be written as its changes to another one (`# over: NAME`).

Limits: sets that WHATWG's encodings hold are not asked for here.
"""

import os
import sys

import vendor
from converters import installed

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
COLUMNS = range(0x21, 0x7F)


def planes(numbers):
    """Codes `plane << 16 | row << 8 | column` of sets of 94 by 94."""
    return [p << 16 | r << 8 | c for p in numbers for r in COLUMNS for c in COLUMNS]


def pair(code):
    return code >> 16, bytes([code >> 8 & 0xFF, code & 0xFF])


def high(code):
    return bytes(b | 0x80 for b in pair(code)[1])


def euc_tw(code):
    plane, _ = pair(code)
    return high(code) if plane == 1 else bytes([0x8E, 0xA0 + plane]) + high(code)


def euc_jisx0213(code):
    return high(code) if pair(code)[0] == 1 else b"\x8f" + high(code)


def shift_jisx0213(code):
    plane, (row, column) = pair(code)
    row, column = row - 0x20, column - 0x20
    if plane == 1:
        lead = (row + 1) // 2 + (0x80 if row < 63 else 0xC0)
    elif row in (1, 3, 4, 5, 8, 12, 13, 14, 15):
        lead = {1: 0xF0, 8: 0xF0, 3: 0xF1, 4: 0xF1, 5: 0xF2, 12: 0xF2, 13: 0xF3, 14: 0xF3, 15: 0xF4}[row]
    elif row >= 78:
        lead = (row + 1) // 2 + 0xF4 - 39
    else:
        return b"\xff\xff"
    return bytes([lead, column + (0x9E if row % 2 == 0 else 0x3F + (column > 63))])


def behind(prefix):
    return lambda code: prefix + pair(code)[1]


def raw(code):
    return bytes([code >> 8, code & 0xFF])


# Set: what it is, its codes, for each converter its name of a charset and how that writes a code, and perhaps the
# table that it is kept as changes to.
SETS = {
    "cns11643": (
        "CNS 11643, planes 1 to 7 and 15; rows are `plane << 8 | row`.",
        planes(range(1, 17)),
        {
            "glibc": ("EUC-TW", euc_tw),
            "libiconv": ("EUC-TW", euc_tw),
            "ICU": ("euc-tw-2014", euc_tw),
            "Java": ("x-EUC-TW", euc_tw),
        },
    ),
    "jisx0213": (
        "JIS X 0213:2004, planes 1 and 2; rows are `plane << 8 | row`.",
        planes((1, 2)),
        {
            "glibc": ("EUC-JISX0213", euc_jisx0213),
            "libiconv": ("EUC-JISX0213", euc_jisx0213),
            # Its EUC reads rows of JIS X 0212, too.
            "Python": ("shift_jis_2004", shift_jisx0213),
            "Java": ("x-SJIS_0213", shift_jisx0213),
        },
    ),
    "jisx0212": (
        "JIS X 0212-1990.",
        planes((0,)),
        {
            "glibc": ("EUC-JP", lambda code: b"\x8f" + high(code)),
            "libiconv": ("EUC-JP", lambda code: b"\x8f" + high(code)),
            "Python": ("euc_jp", lambda code: b"\x8f" + high(code)),
            "Java": ("EUC-JP", lambda code: b"\x8f" + high(code)),
            "ICU": ("euc-jp-2007", lambda code: b"\x8f" + high(code)),
            "Perl": ("jis0212-raw", raw),
        },
    ),
    "isoir165": (
        "ISO-IR-165 (CCITT Chinese, with GB 6345.1 and GB 8565.2).",
        planes((0,)),
        {
            "glibc": ("ISO-2022-CN-EXT", behind(b"\x1b$)E\x0e")),
            "libiconv": ("ISO-IR-165", raw),
            "ICU": ("ISO_2022,locale=zh,version=1", behind(b"\x1b$)E\x0e")),
            "Perl": ("iso-ir-165", raw),
        },
    ),
    "gb12345": (
        "GB/T 12345-90, the traditional forms of GB 2312.",
        planes((0,)),
        {"Perl": ("gb12345-raw", raw)},
    ),
    "johab": (
        "KS X 1001:1992 annex 3 (Johab).",
        [lead << 8 | trail for lead in range(0x80, 0x100) for trail in range(0x100)],
        {
            "glibc": ("JOHAB", raw),
            "libiconv": ("JOHAB", raw),
            "Python": ("johab", raw),
            "Java": ("x-Johab", raw),
            "Perl": ("johab", raw),
        },
    ),
}


def shown(text):
    return "+".join(f"{ord(c):04X}" for c in text) if text else "-"


def majority(answers):
    best = max(set(answers), key=answers.count)
    return best if len(answers) == 1 or 2 * answers.count(best) > len(answers) else None


def exceptions():
    rows = {}
    for line in open(f"{ROOT}/data/grid-exceptions.tsv"):
        if not line.startswith("#"):
            name, code, cell, _ = line.rstrip("\n").split("\t")
            rows.setdefault(name, {})[code] = cell
    return rows


def excepted_cells(codes, rows):
    """What exceptions say of single codes: code -> (the row's key, cell)."""
    cells = {}
    for key, cell in rows.items():
        if key != "*":
            first, last = (int(code, 16) for code in (key.split("..") * 2)[:2])
            cells.update((code, (key, cell)) for code in codes if first <= code <= last)
    return cells


def without_two_singles(answers):
    """A converter that reads the first byte by itself has no character of two bytes, and so on."""
    for code in sorted(answers):
        first = [b for b in (vendor.plain(code)[:n] for n in range(1, len(vendor.plain(code))))]
        if any(answers.get(int.from_bytes(part, "big"), "-") != "-" for part in first):
            answers[code] = "-"
    return answers


def read(name):
    """The cells of a table."""
    cells = {}
    for line in open(f"{ROOT}/data/tables/{name}.tsv"):
        if line.startswith("# over: "):
            cells = read(line.split()[-1])
        elif not line.startswith("#"):
            row, first, line = line.rstrip("\n").split("\t")
            for i, cell in enumerate(line.split(" ")):
                cells[int(row, 16) << 8 | int(first, 16) + i] = cell
    return {code: cell for code, cell in cells.items() if cell != "-"}


def rows(cells):
    """Lines `row TAB first column TAB cells` of a dictionary, with `-` between."""
    lines = {}
    for code, cell in cells.items():
        lines.setdefault(code >> 8, {})[code & 0xFF] = cell
    for row, line in sorted(lines.items()):
        first, last = min(line), max(line)
        yield row, first, " ".join(line.get(c, "-") for c in range(first, last + 1))


def runs(cells):
    """The same without gaps: first code, cells."""
    run = []
    for code, cell in sorted(cells.items()):
        if run and (code != first + len(run) or code & 0xFF == 0):
            yield first, run
            run = []
        if not run:
            first = code
        run.append(cell)
    if run:
        yield first, run


def make(name, found, excepted):
    title, codes, asked, *over = SETS[name]
    over = over[0] if over else None
    answers = {}
    for converter in found:
        if converter.name in asked:
            charset, form = asked[converter.name]
            given = converter.decode_all(charset, [form(code) for code in codes])
            answers[converter] = {code: shown(text) for code, text in zip(codes, given)}
            if form is vendor.plain:
                without_two_singles(answers[converter])
    missing = set(asked) - {converter.name for converter in answers}
    if missing:
        sys.exit(f"{name}: not installed here: {missing}")
    named = {converter.name: given for converter, given in answers.items()}
    single = excepted_cells(codes, excepted)
    table, undecided, unused = {}, [], set(excepted)
    for code in codes:
        key, cell = single.get(code, (None, None))
        cell = cell or majority([a[code] for a in answers.values()])
        if cell is None and "*" in excepted:
            key, cell = "*", excepted["*"]
        unused.discard(key)
        if cell and cell.startswith("="):
            cell = named[cell[1:]][code]
        if cell is None:
            undecided.append((f"{code:04X}", {str(c): a[code] for c, a in answers.items()}))
        elif cell != "-":
            table[code] = cell
    for key, cells in undecided:
        print(name, key, cells)
    if undecided or unused:
        sys.exit(f"{name}: {len(undecided)} cells need a row in data/grid-exceptions.tsv; not used: {sorted(unused)}")
    with open(f"{ROOT}/data/tables/{name}.tsv", "w") as file:
        file.write(f"# {title}\n")
        lines = rows(table)
        if over:
            file.write(f"# over: {over}\n")
            base = read(over)
            changed = {c: table.get(c, "-") for c in base.keys() | table.keys() if base.get(c) != table.get(c)}
            lines = ((first >> 8, first & 0xFF, " ".join(run)) for first, run in runs(changed))
        for row, first, line in lines:
            file.write(f"{row:02X}\t{first:02X}\t{line}\n")
    with open(f"{ROOT}/data/oracles/{name}.tsv", "w") as file:
        file.write("# Converter, version, its charset; then the cells in which each differs from data/tables: converter, first code, cells.\n")
        for converter in answers:
            file.write(f"{converter.name}\t{converter.version}\t{asked[converter.name][0]}\n")
        for converter, given in answers.items():
            different = {code: cell for code, cell in given.items() if cell != table.get(code, "-")}
            print(name, converter, f"{sum(c != '-' for c in given.values())} cells, {len(different)} differ")
            for first, run in runs(different):
                file.write(f"{converter.name}\t{first:04X}\t{' '.join(run)}\n")


if __name__ == "__main__":
    SETS.update(vendor.SETS)
    everything = installed()
    known = exceptions()
    for each in sys.argv[1:] or SETS:
        make(each, everything, known.get(each, {}))
