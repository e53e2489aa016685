"""Writes `data/sequences.tsv`: charsets that are lists of byte sequences, longest match first, both ways.

    python3 crates/xtask/oracles/sequences.py >data/sequences.tsv
    python3 crates/xtask/oracles/sequences.py --check

Asked are glibc and the character maps of Debian's `locales` (T.61 and its relatives, TSCII), GNU recode (RFC 1345
mnemonics; VIQR), ICU and Perl (GSM 03.38), Unicode::Map8 of Perl (dk-us), ICU and Java (ISCII), Perl alone (x-mac-korean).
Where two of them know a charset they must agree, but for what is named here with its reason, else this stops.

Limits: runs where all of them are installed. What is not in a converter but in a standard is written here, with a word why.
"""

import itertools
import os
import re
import subprocess
import sys
import unicodedata

from converters import Charmaps, Glibc, Icu, Java, PerlEncode, PythonCodecs

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../data/sequences.tsv")

HEAD = """\
# Charsets that are lists of byte sequences: table, bytes, use, code points, comment. The longest match counts, both ways.
# use: `=` both ways; `>` decoding only; `?` decoding only, and recorded as irregular; `<` encoding only; `~` encoding only,
# as a look-alike; `!` encoding only: its first character cannot be written here; `+` all rows of the table in the last
# column, behind these bytes; EUC-KR there means the pairs A1-FE of WHATWG's EUC-KR where this table has no row.
# `XX-YY` without code points: each byte stands for the character of its number; other rows without code points: no text.
# Written by crates/xtask/oracles/sequences.py from: {versions}.
"""

# The PUA code points by which RFC 1345 names non-spacing marks, and what they are in Unicode.
MARKS = {
    0xE002: 0x0300, 0xE003: 0x0301, 0xE004: 0x0302, 0xE005: 0x0303, 0xE006: 0x0304, 0xE007: 0x0306, 0xE008: 0x0307,
    0xE009: 0x0308, 0xE00A: 0x030A, 0xE00B: 0x0327, 0xE00C: 0x0332, 0xE00D: 0x030B, 0xE00E: 0x0328, 0xE00F: 0x030C,
    0xE011: 0x0308,
}  # fmt: skip
LETTERS = [c for c in map(chr, range(0x80)) if c.isalpha()]


class Rows(list):
    """The rows of one table, in order."""

    def __init__(self, name):
        super().__init__()
        self.name = name

    def add(self, data, use, text, comment=""):
        self.append((data, use, text, comment))

    def range(self, first, last):
        self.append((f"{first:02X}-{last:02X}", "=", "", ""))

    def include(self, table, prefix=b""):
        self.append((prefix, "+", table, ""))

    def lines(self):
        for data, use, text, comment in self:
            data = data if isinstance(data, str) else data.hex().upper() or "-"
            text = text if use == "+" else " ".join(f"{ord(c):04X}" for c in text) or "-"
            yield "\t".join([self.name, data, use, text] + [comment] * bool(comment))


def main():
    versions = []
    tables = list(all_tables(versions))
    text = HEAD.format(versions=", ".join(versions))
    text += "".join(line + "\n" for rows in tables for line in rows.lines())
    if "--check" in sys.argv:
        if open(DATA).read() != text:
            sys.exit("data/sequences.tsv is not what the converters say")
    else:
        sys.stdout.write(text)


def all_tables(versions):
    glibc, charmaps, icu, perl, java, python = Glibc(), Charmaps(), Icu(), PerlEncode(), Java(), PythonCodecs()
    versions += [str(c) for c in (glibc, charmaps, icu, perl, java)]
    version = subprocess.run(["recode", "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    versions.append(version.replace("Free ", ""))
    yield from diacritics(charmaps, glibc)
    yield gsm(icu, perl)
    yield from koi7(charmaps, glibc)
    yield tscii(glibc)
    yield viqr()
    yield vni()
    yield from mnemonics()
    yield danish(charmaps)
    yield iscii(icu, java)
    yield mac_korean(perl, python)


def diacritics(charmaps, glibc):
    """Charsets of the T.61 family: a non-spacing mark stands before its letter."""
    maps = {
        "T.61-8bit": "T.61-8BIT",
        "ISO_6937-2-add": "ISO_6937-2-ADD",
        "T.101-G2": "T.101-G2",
        "videotex-suppl": "VIDEOTEX-SUPPL",
        "ANSI_X3.110-1983": "ANSI_X3.110-1983",
        "iso-ir-90": "ISO-IR-90",
    }
    tables = {name: charmaps.table(own) for name, own in maps.items()}
    pairs = {name: {k: v for k, v in table.items() if len(k) == 2} for name, table in tables.items()}
    common = dict(set.intersection(*(set(p.items()) for p in pairs.values())))
    for own, table in ("T.61", tables["T.61-8bit"]), ("ANSI_X3.110", tables["ANSI_X3.110-1983"]):
        for data, text in table.items():
            if text[0] < "\ue000" or text[0] > "\uf8ff":
                assert glibc.decode(own, data) == text, (own, data)
    shared = Rows("diacritics")
    for data, text in sorted(common.items()):
        shared.add(data, "=", text)
        decomposed = chr(data[1]) + chr(MARKS[ord(tables["ISO_6937-2-add"][data[:1]])])
        if data[1] != 0x20:
            shared.add(data, "~", decomposed)
    # A mark over a letter of ASCII that no list has.
    marked = {name: dict(irregular(table, pairs[name])) for name, table in tables.items()}
    everywhere = dict(set.intersection(*(set(m.items()) for m in marked.values())))
    for data, text in sorted(everywhere.items()):
        shared.add(data, "?", text)
    yield shared
    for name, table in tables.items():
        rows = Rows(name)
        singles = {k[0]: v for k, v in table.items() if len(k) == 1 and not "\ue000" <= v <= "\uf8ff"}
        # Characters that the standard leaves out, but whoever uses the label today writes.
        for byte in range(0x100):
            if byte not in singles:
                if byte < 0x80:
                    rows.add(bytes([byte]), "?", chr(byte))
            elif singles[byte] in [v for k, v in singles.items() if k < byte]:
                rows.add(bytes([byte]), ">", singles[byte])
            else:
                rows.add(bytes([byte]), "=", singles[byte])
        for data, text in sorted(set(pairs[name].items()) - set(common.items())):
            rows.add(data, ">" if text in singles.values() else "=", text)
        for data, text in sorted(set(marked[name].items()) - set(everywhere.items())):
            rows.add(data, "?", text)
        rows.include("diacritics")
        yield rows


def irregular(table, pairs):
    for lead, mark in ((k, ord(v)) for k, v in table.items() if len(k) == 1 and ord(v[0]) in MARKS):
        for letter in LETTERS:
            data = lead + letter.encode()
            if data not in pairs:
                yield data, letter + chr(MARKS[mark])


def gsm(icu, perl):
    """GSM 03.38 (3GPP TS 23.038), unpacked septets; 1B extends."""
    rows = Rows("GSM0338")
    for byte in range(0x80):
        data = bytes([byte])
        if byte != 0x1B:
            text = icu.decode("gsm-03.38-2009", data)
            assert text == perl.decode("gsm0338", data), byte
            rows.add(data, "=", text)
    for byte in range(0x80):
        data = bytes([0x1B, byte])
        text = perl.decode("gsm0338", data)
        if text is not None and len(text) == 1:
            assert icu.decode("gsm-03.38-2009", data) == text, byte
            rows.add(data, "=", text)
    return rows


def koi7(charmaps, glibc):
    """The two sets of KOI7-switched: ISO_646.irv:1983 and ISO_5427, without SO and SI."""
    for name, own, second in ("KOI7-N0", "ISO_646.IRV", None), ("KOI7-N1", "ISO_5427", "ISO_5427"):
        rows = Rows(name)
        for data, text in sorted(charmaps.table(own).items()):
            assert second is None or glibc.decode(second, data) == text, data
            if data not in (b"\x0e", b"\x0f"):
                rows.add(data, "=", text)
        yield rows


def tscii(glibc):
    """TSCII 1.7: Tamil in visual order; vowel signs that stand left of a consonant come first."""
    known = {}

    def longest(data):
        out, at = "", 0
        while at < len(data):
            size = next((n for n in (3, 2, 1) if data[at : at + n] in known), None)
            if size is None:
                return None
            out, at = out + known[data[at : at + size]], at + size
        return out

    for size in (1, 2, 3):
        found = {}
        for data in map(bytes, itertools.product(range(0x80, 0x100), repeat=size)):
            text = glibc.decode("TSCII", data)
            if text is not None and text != longest(data):
                found[data] = text
        known.update(found)
    reason = "glibc leaves Grantha letters in visual order"
    extra = {}
    for letter in range(0x83, 0x88):
        for lead in (0xA6, 0xA7, 0xA8):
            extra[bytes([lead, letter])] = known[bytes([letter])] + known[bytes([lead])]
        for key in (b"\xa6\xa1", b"\xa7\xa1", b"\xa7\xaa"):
            extra[key[:1] + bytes([letter]) + key[1:]] = known[bytes([letter])] + known[key]
    rows = Rows("TSCII")
    rows.range(0, 0x7F)
    texts = set()
    everything = {**known, **extra}
    for data, text in sorted(everything.items(), key=lambda item: (len(item[0]), item[0] == b"\xad", item[0])):
        # A sign of the left alone could join what comes after it.
        once = text in texts or data in (b"\xa6", b"\xa7", b"\xa8")
        rows.add(data, ">" if once else "=", text, reason if data in extra else "")
        texts.add(text)
    # Vowel signs of two parts may come in parts, behind a letter.
    writable = {text for _, use, text, _ in rows if use == "="}
    for data, text in sorted(everything.items()):
        parts = unicodedata.normalize("NFD", text)
        if parts not in texts and parts[0] in writable:
            rows.add(data, "~", parts)
    forbid_collisions(rows)
    return rows


def forbid_collisions(rows):
    """Adds what must not be written one after the other, as it would be read as something else."""
    decode = {d: t for d, use, t, _ in rows if use in "=>?" and isinstance(d, bytes)}
    encode = {t: d for d, use, t, _ in rows if use in "=<" and isinstance(d, bytes)}
    alike = {t for _, use, t, _ in rows if use == "~"}
    longest = max(map(len, decode))

    def read(data):
        out, at = "", 0
        while at < len(data):
            size = next(n for n in range(longest, 0, -1) if data[at : at + n] in decode)
            out, at = out + decode[data[at : at + size]], at + size
        return out

    bad = []
    for first, second in itertools.product(encode, repeat=2):
        text = first + second
        if text not in encode and text not in alike and read(encode[first] + encode[second]) != text:
            bad.append(first + second[0])
    for text in sorted(set(bad) - alike):
        rows.add(b"", "!", text)


def viqr():
    """VIQR (RFC 1456), in its Vietnamese state: marks behind the letter, a backslash keeps them apart."""
    breve, circumflex, horn = ("(", "\u0306"), ("^", "\u0302"), ("+", "\u031b")
    tones = [("", ""), ("'", "\u0301"), ("`", "\u0300"), ("?", "\u0309"), ("~", "\u0303"), (".", "\u0323")]
    letters = {"a": [breve, circumflex], "e": [circumflex], "i": [], "o": [circumflex, horn], "u": [horn], "y": []}
    composed, decomposed = {}, {}
    for small, modifiers in letters.items():
        for letter in small, small.upper():
            for modifier, modifying in [("", "")] + modifiers:
                for tone, sounding in tones:
                    if modifier + tone:
                        data = (letter + modifier + tone).encode()
                        composed[data] = unicodedata.normalize("NFC", letter + modifying + sounding)
                        half = unicodedata.normalize("NFC", letter + modifying)
                        decomposed[half + sounding] = decomposed[letter + modifying + sounding] = data
    composed |= {b"dd": "đ", b"DD": "Đ"}
    aliases = {b"Dd": "Đ", b"dD": "Đ"}
    for data, text in (composed | aliases).items():
        assert recode("viqr..utf-8", data).decode() == text, data
    rows = Rows("VIQR")
    rows.range(0, 0x5B)
    rows.range(0x5D, 0x7F)
    rows.add(b"\\", ">", "\\")
    rows.add(b"\\\\", "=", "\\")
    for data, text in composed.items():
        rows.add(data, "=", text)
    for data, text in aliases.items():
        rows.add(data, ">", text)
    for sign in "(^+'`?~.dD":
        rows.add(b"\\" + sign.encode(), ">", sign)
    plain = {c: c.encode() for c in LETTERS} | {text: data for data, text in composed.items()}
    keys = set(composed) | set(aliases)
    for text, data in plain.items():
        for sign in "(^+'`?~.dD":
            if data + sign.encode() in keys:
                rows.add(data + b"\\" + sign.encode(), "<", text + sign)
    for first, second in itertools.product("dD", "đĐ"):
        rows.add(b"\\" + first.encode() + plain[second], "<", first + second)
    for text, data in decomposed.items():
        if len(text) > 1:
            rows.add(data, "~", text)
    return rows


def vni():
    """VNI for Windows, an encoding of fonts. Letters have their marks behind them, in places of windows-1252.

    No converter at hand knows it. The table is that of the keyboard program xvnkb (vni.h) and of other programs, which agree.
    """
    tones = ["\u0301", "\u0300", "\u0309", "\u0303", "\u0323"]
    sets = [("", "ùøûõï"), ("\u0302", "áàåãä"), ("\u0306", "éèúüë")]
    marks = {}
    for modifier, signs in sets:
        marks |= {sign: modifier + tone for sign, tone in zip(signs, tones)}
    circumflex, breve = ("â", "\u0302"), ("ê", "\u0306")
    marks |= dict([circumflex, breve])
    horned = {"ô": "ơ", "ö": "ư"}
    letters = {"í": "í", "ì": "ì", "æ": "ỉ", "ó": "ĩ", "ò": "ị", "î": "ỵ", "ñ": "đ"} | horned
    for vowel in "aeouyôö":
        for sign, mark in marks.items():
            has_tone_only = sign in sets[0][1]
            is_possible = has_tone_only or vowel == "a" or vowel in "eo" and "\u0302" in mark
            if is_possible and vowel + sign != "yï":
                text = horned.get(vowel, vowel)
                letters[vowel + sign] = unicodedata.normalize("NFC", text + mark)
    letters |= {written.upper(): text.upper() for written, text in letters.items()}
    of_windows = {}
    for byte in range(0x80, 0x100):
        of_windows[byte] = bytes([byte]).decode("cp1252", "replace").replace("\ufffd", chr(byte))
    rows = Rows("VNI")
    rows.range(0, 0x7F)
    for written, text in letters.items():
        assert len(text) == 1, text
        rows.add(written.encode("cp1252"), "=", text)
    for byte, text in of_windows.items():
        if text not in letters:
            # Signs of windows-1252 are written as they are, its letters are not.
            is_letter = text.lower() in marks or text in letters.values()
            rows.add(bytes([byte]), "?" if is_letter else "=", text)
    for written, text in letters.items():
        decomposed = unicodedata.normalize("NFD", text)
        base, *behind = decomposed
        for first in sorted({unicodedata.normalize("NFC", base + mark) for mark in behind} - {text}):
            rest = [mark for mark in behind if unicodedata.normalize("NFC", base + mark) != first]
            rows.add(written.encode("cp1252"), "~", first + "".join(rest))
        for order in sorted(set(itertools.permutations(behind))) if behind else []:
            rows.add(written.encode("cp1252"), "~", base + "".join(order))
    return rows


def mnemonics():
    """Mnemonics of RFC 1345, behind `&` (MNEMONIC) or SPACE BACKSPACE (MNEM, `mnemonic+ascii+8200`)."""
    points = [c for c in range(0x80, 0xFFFE) if not 0xD800 <= c < 0xE000]
    answers = recode("-f", "utf-8..RFC1345", "\n".join(map(chr, points)).encode()).decode().split("\n")
    names = {answer[1:].encode(): chr(code) for code, answer in zip(points, answers) if answer[:1] == "&"}
    # Recode writes it, but cannot read it: the underline begins a long name.
    del names[b"__"]
    back = recode("RFC1345..utf-8", b"".join(b"&" + name + b"\n" for name in names)).decode().split("\n")
    assert back[:-1] == list(names.values())
    rows = Rows("mnemonics")
    for name, text in sorted(names.items(), key=lambda item: item[1]):
        rows.add(name, "=", text)
        if len(name) == 2:
            rows.add(b"_" + name + b"_", ">", text)
    # The characters that not every variant of ISO 646 has may be named, too.
    for name in "SP Nb DO At <( // )> '> '! (! !! !) '?".split():
        text = recode("-f", "RFC1345..utf-8", b"&" + name.encode()).decode()
        assert len(text) == 1, name
        rows.add(name.encode(), ">", text)
        rows.add(f"_{name}_".encode(), ">", text)
    yield rows
    for name, intro in ("MNEMONIC", b"&"), ("MNEM", b" \b"):
        rows = Rows(name)
        for byte in range(0x80):
            if bytes([byte]) != intro:
                rows.add(bytes([byte]), "=", chr(byte))
        rows.add(intro, "?", intro.decode(), "a mnemonic that is not known")
        rows.add(intro * 2, "=", intro.decode())
        rows.include("mnemonics", intro)
        yield rows


def danish(charmaps):
    """dk-us (RFC 1345): DS 2089 with the dollar sign and the tilde of ASCII. Perl's Unicode::Map8 has it."""
    script = "use Unicode::Map8; my $m = Unicode::Map8->new('dk-us'); printf '%04X ', $m->to_char16($_) for 0 .. 127"
    codes = subprocess.run(["perl", "-e", script], capture_output=True, text=True, check=True).stdout.split()
    rows = Rows("dk-us")
    for byte, code in enumerate(codes):
        text = chr(int(code, 16))
        assert text == charmaps.table("DS_2089")[bytes([byte])] or byte in b"$~", byte
        rows.add(bytes([byte]), "=", text)
    return rows


def iscii(icu, java):
    """ISCII (IS 13194:1991) in its default script, Devanagari, as ICU reads it; Java agrees but for what is named here."""
    vowel_e, halant, nukta, danda, inv, ext, atr = 0xE0, 0xE8, 0xE9, 0xEA, 0xD9, 0xF0, 0xEF
    # ICU gives out INV when it sees what follows.
    ask = lambda *data: (icu.decode("ISCII,version=0", bytes(data) + b" ") or "")[:-1]
    rows = Rows("x-iscii-de")
    rows.range(0, 0x7F)
    for byte in range(0x80, 0xA1):
        rows.add(bytes([byte]), "=", ask(byte), "ICU alone; Java has no controls here")
    singles = {}
    for byte in range(0xA1, 0xFB):
        if ask(byte):
            singles[byte] = ask(byte)
            assert singles[byte] == java.decode("x-ISCII91", bytes([byte])), byte
            rows.add(bytes([byte]), "=", singles[byte])
    reasons = {
        vowel_e: "ICU; Java knows no short A",
        nukta: "ICU; Java writes letter and nukta, which is canonically equivalent",
        danda: "ICU; Java writes two dandas",
    }
    for first, second in itertools.product(singles, (vowel_e, halant, nukta, danda)):
        data, text = bytes([first, second]), ask(first, second)
        if text == singles[first] + singles[second] or first == inv:
            continue
        answer = java.decode("x-ISCII91", data)
        assert answer in (text, unicodedata.normalize("NFD", text)) or (first, second) in ((0xA4, vowel_e), (danda, danda))
        rows.add(data, "=", text, "" if answer == text else reasons[second])
    for data in bytes([inv, halant]), bytes([inv, halant, halant]), bytes([inv, halant, nukta]):
        rows.add(data, ">", ask(*data), "ICU: a halant without consonant; Java has U+200D for INV")
    for second in range(0xA1, 0xEF):
        if ask(ext, second):
            rows.add(bytes([ext, second]), "=", ask(ext, second), "ICU; Java has no extensions")
    # ICU skips all of 21-3F; more than the digits are not defined, and markup must not be skipped.
    for code in range(0x30, 0x3A):
        assert ask(atr, code, 0xB3) == singles[0xB3]
        rows.add(bytes([atr, code]), "?", "", "an attribute of display; Java has none")
    for code in b"@B":
        assert ask(atr, code, 0xB3) == singles[0xB3]
        rows.add(bytes([atr, code]), ">", "", "the default script; Java has none")
    check_iscii(rows, singles, ask)
    for data, text in [(d, t) for d, use, t, _ in rows if use == "=" and isinstance(d, bytes)]:
        parts = unicodedata.normalize("NFD", text)
        if parts != text:
            rows.add(data, "~", parts)
    rows.add(bytes([danda, danda]), "~", singles[danda] * 2)
    forbid_collisions(rows)
    return rows


def check_iscii(rows, singles, ask):
    """The list says what ICU says of all threes of letters."""
    decode = {d: t for d, use, t, _ in rows if isinstance(d, bytes)}
    for data in map(bytes, itertools.product(singles, repeat=3)):
        out, at = "", 0
        while at < len(data):
            size = next(n for n in (3, 2, 1) if data[at : at + n] in decode)
            out, at = out + decode[data[at : at + size]], at + size
        assert out == ask(*data), data


def is_written(text, written):
    """Whether a text is texts of a set, the longest first."""
    while text:
        ends = (end for end in range(len(text), 0, -1) if text[:end] in written)
        if not (end := next(ends, 0)):
            return False
        text = text[end:]
    return True


def mac_korean(perl, python):
    """x-mac-korean, of which Perl alone has a table; only what EUC-KR has not is listed."""
    ask = lambda sequences: dict(zip(sequences, perl.decode_all("MacKorean", sequences)))
    singles = ask([bytes([byte]) for byte in range(0x80, 0x100)])
    pairs = ask([bytes(pair) for pair in itertools.product(range(0x80, 0x100), range(0x21, 0x100)) if singles[bytes(pair[:1])] == ""])
    rows = Rows("x-mac-korean")
    rows.range(0, 0x7F)
    own = {data: text for data, text in {**singles, **pairs}.items() if text}
    known = {data: python.decode("euc_kr", data) for data in pairs if min(data) > 0xA0}
    assert all(pairs[data] for data, text in known.items() if text)
    texts = {text for data, text in own.items() if known.get(data) == text}
    for data, text in own.items():
        if known.get(data) != text:
            rows.add(data, ">" if text in texts else "=", text)
            texts.add(text)
    # What breaks off before its end must be writable as far as it came: an encoder has waited for the rest.
    written = {text for text in known.values() if text} | {chr(code) for code in range(0x80)}
    for at, (data, use, text, comment) in sorted(enumerate(rows), key=lambda row: len(row[1][2])):
        if use != "=" or not text:
            continue
        if all(is_written(text[:end], written) for end in range(1, len(text))):
            written.add(text)
        else:
            rows[at] = (data, ">", text, comment)
    rows.include("EUC-KR")
    rows[-1] = rows[-1][:3] + ("Perl is the only converter with this charset",)
    return rows


def recode(*arguments):
    *options, data = arguments
    answer = subprocess.run(["recode", *options], input=data, capture_output=True)
    assert answer.returncode == 0 or "-f" in options, (options, data[:20], answer.stderr)
    return answer.stdout


if __name__ == "__main__":
    main()
