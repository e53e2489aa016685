"""Asks ICU for SCSU and BOCU-1, and Python for UTF-7, and writes data/oracles/unicode_forms.tsv.

    python3 crates/xtask/oracles/unicode_forms.py

Rows: `encode CHARSET TEXT HEX` is what ICU writes; `order CHARSET NAME LENGTH FNV` is the length and the FNV-1a of 64
bits of what it writes for all Unicode scalar values in an order (`up`, or `mixed`: every 435,937th, so that no two
neighbours are near each other); `random UTF-7 direct|base64 COUNT FNV` is the FNV-1a of random texts in UTF-7, each
followed by LF, by a model of the encoder's rules (charsets: Set O direct or in base64) whose every output Python's own
decoder has read back.

Limits: one version of ICU.
"""

import base64
import ctypes
import ctypes.util
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
TEXTS = [
    "Plain ASCII, and nothing else.\r\n",
    "Über den Äckern fließt ein Öl-Süßwassergemisch.",
    "Ça déçoit l'élève naïf, où qu'il soit.",
    "Příliš žluťoučký kůň úpěl ďábelské ódy",
    "Zażółć gęślą jaźń",
    "Árvíztűrő tükörfúrógép",
    "Привет, как дела? Всё хорошо.\r\nДо встречи!",
    "Καλημέρα κόσμε, τι κάνετε;",
    "שלום עולם, מה שלומך?",
    "مرحبا بالعالم، كيف حالك؟",
    "नमस्ते दुनिया",
    "สวัสดีชาวโลก",
    "日本語の文章には、漢字とひらがなとカタカナが混ざる。\r\n二行目です。",
    "メールの件名：ご確認ください（至急）",
    "今天天气很好，我们去公园吧。",
    "안녕하세요, 세계! 오늘은 날씨가 좋습니다.",
    "Xin chào thế giới, tiếng Việt có nhiều dấu",
    "100 € — “quoted” … 5 × 3 ≠ 16 ™",
    "😀😁😂 and 👍🏽, 𐍈𐍉𐍊",
    "a\0b\x01c\x1bd\x7fe\x80f\x9fg",
    "\ufeffmark, then\ufeff mark",
    "\ufffd\uffff\ue000\uf8ff\U000f0000\U0010ffff",
    "日a本b語c",
    "Ａｌｐｈａ ｱｲｳ",
]


class Icu:
    def __init__(self):
        path = ctypes.util.find_library("icuuc")
        self.version = re.search(r"\.so\.(\d+)", path).group(1)
        self.icu = ctypes.CDLL(path)

    def encode(self, charset, text):
        function = lambda name: getattr(self.icu, f"{name}_{self.version}")
        error = ctypes.c_int(0)
        function("ucnv_open").restype = ctypes.c_void_p
        converter = ctypes.c_void_p(function("ucnv_open")(charset.encode(), ctypes.byref(error)))
        units = text.encode("utf-16-le")
        room = len(units) * 3 + 64
        out = ctypes.create_string_buffer(room)
        length = function("ucnv_fromUChars")(converter, out, room, units, len(units) // 2, ctypes.byref(error))
        function("ucnv_close")(converter)
        assert error.value <= 0, (charset, error.value)
        return out.raw[:length]


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016X}"


def numbers(state):
    """SplitMix64."""
    while True:
        state = state + 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        z = (z ^ z >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        yield z ^ z >> 31


def random_texts(count):
    draw = numbers(7)
    below = lambda end: next(draw) % end
    for _ in range(count):
        text = ""
        for _ in range(below(24)):
            kind = below(8)
            if kind < 3:
                code = below(0x80)
            elif kind < 5:
                code = b"+-/\\~=&<\r\n"[below(10)]
            elif kind < 7:
                code = below(0x10000)
            else:
                code = 0x10000 + below(0x100000)
            text += chr(0xFFFD if 0xD800 <= code < 0xE000 else code)
        yield text


def utf_7(text, optional):
    direct = r"A-Za-z0-9'(),\-./:? \t\r\n" + (r"!\"#$%&*;<=>@\[\]^_`{|}" if optional else "")
    out = ""
    for run, plus, rest in re.findall(rf"([{direct}]+)|(\++(?=[{direct}]|$))|([^{direct}]+)", text, re.S):
        if run:
            out += run
        elif plus:
            out += "+-" * len(plus)
        else:
            # Pluses before a run stand alone, but for the last one, which is in it.
            pluses = len(rest) - len(rest.lstrip("+"))
            alone = max(pluses - 1, 0)
            units = rest[alone:].encode("utf-16-be")
            out += "+-" * alone + "+" + base64.b64encode(units).decode().rstrip("=") + "-"
    return out.encode()


def main():
    icu = Icu()
    rows = []
    for charset in ("SCSU", "BOCU-1"):
        for text in TEXTS:
            shown = "".join(f"{ord(c):04X} " for c in text).rstrip()
            rows.append(("encode", charset, shown, icu.encode(charset, text).hex().upper()))
    scalars = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    mixed = [scalars[i * 435937 % len(scalars)] for i in range(len(scalars))]
    for name, order in (("up", scalars), ("mixed", mixed)):
        data = icu.encode("BOCU-1", "".join(map(chr, order)))
        rows.append(("order", "BOCU-1", name, str(len(data)), fnv(data)))
    count = 20000
    for name, optional in (("base64", False), ("direct", True)):
        data = b""
        for text in random_texts(count):
            encoded = utf_7(text, optional)
            assert encoded.decode("utf-7") == text, (text, encoded)
            data += encoded + b"\n"
        rows.append(("random", "UTF-7", name, str(count), fnv(data)))
    head = f"# What ICU {icu.version} and the rules of UTF-7 say; made by crates/xtask/oracles/unicode_forms.py.\n"
    with open(os.path.join(ROOT, "data/oracles/unicode_forms.tsv"), "w", encoding="utf-8") as file:
        file.write(head + "".join("\t".join(row) + "\n" for row in rows))


main()
