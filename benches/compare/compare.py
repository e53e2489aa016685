"""Compares mailglot with other programs and libraries on messages whose text is known, and prints tables in Markdown.

`compare.py PROGRAM READERS` runs the mailglot at PROGRAM, and mail-parser and mailparse by READERS (`tests/examples/compare_readers.rs`). It runs Python's
email, GMime 3, Perl's Email::MIME and Encode, iconv and uconv where they are installed. Each reader gets each message and gives its Subject and its text. `right`: both are those of the sender. `wrong`: the
reader failed, or wrote U+FFFD. `wrong, not reported`: anything else.

Limits: iconv and uconv convert whole messages by the label of the body. White space at the ends of texts is not compared. Speed is that of one
process over all messages 200 times, in processor time, with the start of the program.
"""

import base64
import json
import os
import quopri
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REPEATS = 200
PYTHON = "/usr/bin/python3"


def word(text, charset, encoding="B", label=None):
    data = text.encode(charset) if isinstance(text, str) else text
    if encoding == "B":
        body = base64.b64encode(data).decode()
    else:
        body = "".join(chr(b) if chr(b).isalnum() and b < 128 else "_" if b == 32 else f"={b:02X}" for b in data)
    return f"=?{label or charset}?{encoding}?{body}?=".encode()


def message(subject, body, label="us-ascii", transfer="8bit"):
    fields = [b"From: a@example.org", b"Subject: " + subject, b"MIME-Version: 1.0"]
    if label is not None:
        fields.append(f"Content-Type: text/plain; charset={label}".encode())
        fields.append(f"Content-Transfer-Encoding: {transfer}".encode())
    return b"\n".join(fields) + b"\n\n" + body + b"\n"


GERMAN = "Grüße aus Köln, der Zug fährt über die Brücke."
SWEDISH = "Katalogen är färdig på svenska och på engelska."
RUSSIAN = "Здравствуйте! Посылаю описание машины."
JAPANESE = "写真は来週お送りします。"


def cases():
    """Name, message, subject and text that the sender meant."""
    b64 = lambda data: base64.encodebytes(data).strip()
    qp = lambda data: quopri.encodestring(data).strip()
    yield "UTF-8, base64", message(word("Grüße", "utf-8"), b64(GERMAN.encode()), "utf-8", "base64"), "Grüße", GERMAN
    yield "ISO-8859-1, quoted-printable", message(word("Grüße", "iso-8859-1", "Q"), qp(GERMAN.encode("latin-1")), "iso-8859-1", "quoted-printable"), "Grüße", GERMAN
    yield "KOI8-R", message(word("Описание", "koi8-r"), RUSSIAN.encode("koi8-r"), "koi8-r"), "Описание", RUSSIAN
    yield "ISO-2022-JP", message(word("写真", "iso-2022-jp"), JAPANESE.encode("iso-2022-jp"), "iso-2022-jp", "7bit"), "写真", JAPANESE
    yield "Shift_JIS", message(word("写真", "shift_jis"), JAPANESE.encode("shift_jis"), "shift_jis"), "写真", JAPANESE
    yield "EUC-KR", message(word("전시 안내", "euc-kr"), "전시회는 월요일에 시작합니다.".encode("euc-kr"), "euc-kr"), "전시 안내", "전시회는 월요일에 시작합니다."
    yield "Big5", message(word("打字機", "big5"), "這台打字機功能完好。".encode("big5"), "big5"), "打字機", "這台打字機功能完好。"
    yield "UTF-7", message(b"=?utf-7?Q?Gr+APwA3w-e?=", GERMAN.encode("utf-7"), "utf-7", "7bit"), "Grüße", GERMAN
    yield "two charsets in one Subject", message(word("Grüße ", "iso-8859-1", "Q") + b" " + word("✨", "utf-8"), b"text"), "Grüße ✨", "text"
    yield "character split between two words", message(word(b"Gr\xc3", "utf-8", "Q") + b" " + word(b"\xbc\xc3", "utf-8", "Q") + b" " + word(b"\x9fe", "utf-8", "Q"), b"text"), "Grüße", "text"
    yield "windows-1252 labelled ISO-8859-1", message(word(b"the museum\x92s shop", "iso-8859-1", "Q"), "“Don’t touch” – it costs €5".encode("cp1252"), "iso-8859-1"), "the museum’s shop", "“Don’t touch” – it costs €5"
    yield "GBK labelled GB2312", message(word("朱镕基", "gbk", "B", "gb2312"), "朱镕基参观过这里。".encode("gbk"), "gb2312"), "朱镕基", "朱镕基参观过这里。"
    yield "UTF-8 labelled ISO-8859-1", message(b"x", SWEDISH.encode(), "iso-8859-1"), "x", SWEDISH
    yield "ISO-8859-1 labelled UTF-8", message(b"x", SWEDISH.encode("latin-1"), "utf-8"), "x", SWEDISH
    yield "ISO-8859-1 labelled US-ASCII", message(b"x", GERMAN.encode("latin-1"), "us-ascii"), "x", GERMAN
    yield "no label, windows-1251", message(b"x", RUSSIAN.encode("cp1251"), None), "x", RUSSIAN
    yield "unknown label, windows-1252", message(b"x", "Le café près de la gare est fermé.".encode("cp1252"), "x-unknown"), "x", "Le café près de la gare est fermé."
    yield "raw KOI8-R in the Subject", message("Описание машины".encode("koi8-r"), RUSSIAN.encode("koi8-r"), "koi8-r"), "Описание машины", RUSSIAN
    yield "raw UTF-8 in the Subject", message("Grüße".encode(), GERMAN.encode(), "utf-8"), "Grüße", GERMAN
    yield "base64 with a foreign byte", message(b"x", b"R3L8\xdf*ZQ==".replace(b"\xdf", b"").replace(b"R3L8*ZQ==", b"R3L8*32U="), "iso-8859-1", "base64"), "x", "Grüße"


def mailbox(messages, path):
    with open(path, "wb") as out:
        for number, raw in enumerate(messages):
            out.write(b"From a@example.org Mon Jan  1 00:00:%02d 2001\n" % (number % 60))
            out.write(raw + b"\n")


def mailglot(program, messages, folder):
    """Reads each message of a mailbox: its normalized Subject, and its text."""
    path = os.path.join(folder, "box")
    mailbox(messages, path)
    texts = {}
    lines = subprocess.run([program, "text", "--json", path], capture_output=True, check=False).stdout
    for line in lines.splitlines():
        entry = json.loads(line)
        texts[entry["message"]] = entry["text"]
    found = []
    for number, raw in enumerate(messages):
        block = subprocess.run([program, "-q", "header", "decode", "--block"], input=raw, capture_output=True, check=False).stdout
        subject = [line[9:] for line in block.decode().split("\n") if line.startswith("Subject: ")]
        found.append({"subject": subject[0] if subject else None, "text": texts.get(number)})
    return found


def script(*command):
    """A reader in a process of its own: each message behind its length; a line of JSON for each."""

    def read(messages):
        framed = b"".join(len(raw).to_bytes(8, "big") + raw for raw in messages)
        done = subprocess.run(command, input=framed, capture_output=True, check=False, cwd=HERE)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        return found if len(found) == len(messages) else None

    return read


def converter(name):
    """iconv or uconv, over the whole message, from the charset of its label."""

    def read(messages):
        found = []
        for raw in messages:
            label = raw.split(b"charset=")[1].split(b"\n")[0].decode() if b"charset=" in raw else "us-ascii"
            done = subprocess.run([name, "-f", label, "-t", "utf-8"], input=raw, capture_output=True, check=False)
            if done.returncode:
                found.append({"error": done.stderr.decode(errors="replace")})
                continue
            header, _, text = done.stdout.decode(errors="replace").partition("\n\n")
            subject = [line[9:] for line in header.split("\n") if line.startswith("Subject: ")]
            found.append({"subject": subject[0] if subject else None, "text": text})
        return found

    return read


def outcome(case, found):
    _, _, subject, text = case
    if found is None or found.get("error") is not None:
        return "wrong"
    got = [(found.get(key) or "").strip() for key in ("subject", "text")]
    if got == [subject, text]:
        return "right"
    return "wrong" if any("\ufffd" in value or "\ufffe" in value for value in got) or "" in got else "not reported"


def restorable(program, messages, folder):
    """Number of messages that come back byte for byte after the conversion."""
    count = 0
    for number, raw in enumerate(messages):
        paths = [os.path.join(folder, f"{number}.{end}") for end in ("eml", "utf8.eml", "back.eml")]
        with open(paths[0], "wb") as out:
            out.write(raw)
        for command in (["normalize", paths[0], "-o", paths[1]], ["restore", paths[1], "-o", paths[2]]):
            subprocess.run([program, "-q", *command], check=True)
        with open(paths[2], "rb") as back:
            count += back.read() == raw
    return count


def seconds(work):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    program = os.path.abspath(sys.argv[1])
    all_cases = list(cases())
    messages = [case[1] for case in all_cases]
    folder = tempfile.mkdtemp()
    reader = os.path.join(HERE, "readers.py")
    perl = os.path.join(HERE, "readers.pl")
    rust = os.path.abspath(sys.argv[2])
    candidates = [
        ("mail-parser", script(rust, "mail-parser")),
        ("mailparse", script(rust, "mailparse")),
        ("Python `email`", script(PYTHON, reader, "python")),
        ("GMime 3", script(PYTHON, reader, "gmime")),
        ("Perl Email::MIME", script("perl", perl, "Email::MIME")),
        ("Perl Encode", script("perl", perl, "Encode")),
        ("iconv", converter("iconv") if shutil.which("iconv") else None),
        ("uconv", converter("uconv") if shutil.which("uconv") else None),
    ]
    results = {"mailglot": mailglot(program, messages, folder)}
    readers = {}
    for name, read in candidates:
        found = read(messages) if read else None
        if found is not None:
            results[name], readers[name] = found, read
        else:
            print(f"{name} is not installed, or failed", file=sys.stderr)
    names = list(results)
    outcomes = {name: [outcome(*pair) for pair in zip(all_cases, found)] for name, found in results.items()}
    many = messages * REPEATS
    size = sum(map(len, many))
    path = os.path.join(folder, "many")
    mailbox(many, path)
    speeds = {"mailglot": seconds(lambda: subprocess.run([program, "text", "--json", path], stdout=subprocess.DEVNULL, check=True))}
    for name in readers:
        if name not in ("iconv", "uconv"):
            speeds[name] = seconds(lambda: readers[name](many))
    print(f"| {len(messages)} messages | {' | '.join(names)} |")
    print("|---|" + "---|" * len(names))
    for title, key in (("right", "right"), ("wrong, and the reader said so", "wrong"), ("wrong, not reported", "not reported")):
        print(f"| {title} | " + " | ".join(str(outcomes[name].count(key)) for name in names) + " |")
    back = restorable(program, messages, folder)
    print("| written as UTF-8 and restored byte for byte | " + " | ".join(str(back) if name == "mailglot" else "–" for name in names) + " |")
    speed = lambda name: f"{size / 1e6 / speeds[name]:.2f}" if name in speeds else "–"
    print("| MB per second of processor time | " + " | ".join(map(speed, names)) + " |")
    print()
    print(f"| message | {' | '.join(names)} |")
    print("|---|" + "---|" * len(names))
    for number, case in enumerate(all_cases):
        print(f"| {case[0]} | " + " | ".join(outcomes[name][number] for name in names) + " |")
    shutil.rmtree(folder)


main()
