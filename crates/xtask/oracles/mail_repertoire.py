"""Asks readers of mail how they decode what mailglot encodes.

Usage: mail_repertoire.py MAILGLOT. Prints a line for each legacy charset that at least three readers know, if some of its characters are not read
alike by three of them: the name, a tab, and ranges of these characters in hexadecimal.

The readers are Python's codecs, glibc's iconv, Perl's Encode, PHP's mbstring, and browsers (the WHATWG Encoding Standard, whose tables mailglot encodes
with).
"""

import codecs
import json
import subprocess
import sys

MAILGLOT = sys.argv[1]
ENOUGH = 3
CHARS = [chr(c) for c in (*range(0x80, 0xD800), *range(0xF900, 0xFFFE), *range(0x1F100, 0x1F780), *range(0x20000, 0x2FA20))]
WHATWG = set(
    """IBM866 ISO-8859-2 ISO-8859-3 ISO-8859-4 ISO-8859-5 ISO-8859-6 ISO-8859-7 ISO-8859-8 ISO-8859-10 ISO-8859-13 ISO-8859-14 ISO-8859-15
    ISO-8859-16 KOI8-R KOI8-U macintosh windows-874 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256
    windows-1257 windows-1258 x-mac-cyrillic GBK GB18030 Big5 EUC-JP ISO-2022-JP Shift_JIS EUC-KR""".split()
)
PYTHON = {"windows-949": "cp949", "Windows-31J": "cp932"}
GLIBC = {"windows-949": "CP949", "Windows-31J": "CP932"}
PERL = {"windows-949": "cp949", "Windows-31J": "cp932"}
PHP = {"Big5": "BIG-5", "GB2312": "EUC-CN", "GBK": "CP936", "windows-949": "UHC", "Windows-31J": "CP932", "Shift_JIS": "SJIS", "IBM866": "CP866", "IBM850": "CP850"}

PERL_SCRIPT = r"""use Encode; binmode STDIN; binmode STDOUT, ":utf8"; my $e = find_encoding($ARGV[0]) or exit 3;
while (<STDIN>) { chomp; my $t = $e->decode($_); $t =~ s/\n/ /g; print $t, "\n" }"""
PHP_SCRIPT = r"""mb_substitute_character(0xFFFD); if (!in_array(strtolower($argv[1]), array_map("strtolower", array_merge(mb_list_encodings(),
array_merge(...array_map("mb_encoding_aliases", mb_list_encodings())))))) exit(3);
foreach (explode("\n", stream_get_contents(STDIN)) as $l) echo mb_convert_encoding($l, "UTF-8", $argv[1]), "\n";"""


def run(command, data):
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def python(name, lines):
    try:
        codec = codecs.lookup(PYTHON.get(name, name))
    except LookupError:
        return None

    def text(line):
        try:
            return codec.decode(line, "strict")[0]
        except (UnicodeDecodeError, ValueError):
            return ""

    try:
        codec.decode(b"a", "strict")
        return [text(line) for line in lines]
    except LookupError:
        return None


def of_lines(data, lines):
    texts = data.decode("utf-8", "replace").split("\n")[: len(lines)] if data is not None else None
    return texts if texts is not None and len(texts) == len(lines) else None


def glibc(name, lines):
    label = GLIBC.get(name, name)
    if subprocess.run(["iconv", "-f", label, "-t", "UTF-8"], input=b"", capture_output=True, check=False).returncode:
        return None
    done = subprocess.run(["iconv", "-c", "-f", label, "-t", "UTF-8"], input=b"\n".join(lines) + b"\n", capture_output=True, check=False)
    return of_lines(done.stdout, lines)


def perl(name, lines):
    return of_lines(run(["perl", "-e", PERL_SCRIPT, PERL.get(name, name)], b"\n".join(lines) + b"\n"), lines)


def php(name, lines):
    return of_lines(run(["php", "-r", PHP_SCRIPT, PHP.get(name, name)], b"\n".join(lines)), lines)


def ranges(chars):
    found = []
    for c in sorted(map(ord, chars)):
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return " ".join(f"{a:04X}" if a == b else f"{a:04X}-{b:04X}" for a, b in found)


print("# Characters of legacy charsets that fewer than three readers of mail read alike. Made by `cargo xtask mail-repertoire`.")
print("# charset\tranges of code points")
listed = subprocess.run([MAILGLOT, "charsets", "--json"], capture_output=True, check=True).stdout
for name in sorted(json.loads(line)["name"] for line in listed.splitlines()):
    if name.startswith(("UTF-", "UCS-", "ISO-10646", "IBM", "SCSU", "BOCU", "US-ASCII", "HZ-", "CESU")) and name != "IBM866":
        continue
    encoded = subprocess.run(
        [MAILGLOT, "-q", "convert", "-f", "utf-8", "-t", name, "--unmappable", "skip"],
        input="".join(c + "\n" for c in CHARS).encode(),
        capture_output=True,
        check=False,
    ).stdout.split(b"\n")[:-1]
    if len(encoded) != len(CHARS):
        continue
    known = [(c, line) for c, line in zip(CHARS, encoded) if line]
    lines = [line for _, line in known]
    if not lines or all(line.isascii() for line in lines) and not name.startswith("ISO-2022"):
        continue
    answers = [answer for answer in (ask(name, lines) for ask in (python, glibc, perl, php)) if answer is not None]
    if name in WHATWG:
        answers.append([c for c, _ in known])
    if len(answers) < ENOUGH:
        continue
    bad = [c for at, (c, _) in enumerate(known) if sum(answer[at] == c for answer in answers) < ENOUGH]
    print(f"asked {len(answers)} about {name}: {len(bad)} of {len(known)}", file=sys.stderr)
    if bad:
        print(f"{name}\t{ranges(bad)}")
