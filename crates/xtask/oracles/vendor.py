"""The tables of vendors' charsets that `grids.py` makes: code pages of IBM and Microsoft, Big5 by year, mixed EBCDIC.

A code is a single byte (row 0), a pair of bytes, `8F` and a pair, or `8E` and three bytes (the code is the last three).

Limits: what WHATWG's encodings read in the same way is no table of its own.
"""

PAIRS = list(range(0x100)) + [lead << 8 | trail for lead in range(0x80, 0x100) for trail in range(0x21, 0x100)]
EUC = PAIRS + [0x8F0000 | lead << 8 | trail for lead in range(0xA1, 0xFF) for trail in range(0xA1, 0xFF)]
PLANES = PAIRS + [plane << 16 | row << 8 | column for plane in range(0xA1, 0xB0) for row in range(0xA1, 0xFF) for column in range(0xA1, 0xFF)]
# Shift out and shift in are no characters.
EBCDIC = [byte for byte in range(0x100) if byte not in (0x0E, 0x0F)] + [0x4040]
EBCDIC += [lead << 8 | trail for lead in range(0x41, 0xFF) for trail in range(0x40, 0xFF)]


def plain(code):
    """The bytes of a code. A pair whose first byte is a character by itself is none: `grids.py` asks for both."""
    if code >> 16 in (0, 0x8F):
        return code.to_bytes(1 if code < 0x100 else 2 if code < 0x10000 else 3, "big")
    return b"\x8e" + code.to_bytes(3, "big")


def shifted(code):
    return bytes([code]) if code < 0x100 else b"\x0e" + code.to_bytes(2, "big") + b"\x0f"


def mixed(number, icu, glibc=True, java=False):
    asked = {"ICU": (f"ibm-{number}_{icu}", shifted)}
    if glibc:
        asked["glibc"] = (f"IBM{number}", shifted)
    if java:
        asked["Java"] = (f"x-IBM{number}", shifted)
    return EBCDIC, asked


def table(title, codes, over=None, **asked):
    return title, codes, {who.replace("_", "-"): (charset, plain) for who, charset in asked.items()}, over


SETS = {
    "ibm930": ("IBM930, Japanese: code pages 290 and 300.", *mixed(930, "P120-1999", java=True)),
    "ibm939": ("IBM939, Japanese: code pages 1027 and 300.", *mixed(939, "P120-1999", java=True), "ibm930"),
    "ibm1390": ("IBM1390, Japanese with the euro: code pages 8482 and 16684.", *mixed(1390, "P110-2003"), "ibm930"),
    "ibm1399": ("IBM1399, Japanese with the euro: code pages 5123 and 16684.", *mixed(1399, "P110-2003"), "ibm1390"),
    "ibm933": ("IBM933, Korean: code pages 833 and 834.", *mixed(933, "P110-1995", java=True)),
    "ibm1364": ("IBM1364, Korean with all syllables: code pages 833 and 4930.", *mixed(1364, "P110-2007", java=True), "ibm933"),
    "ibm935": ("IBM935, simplified Chinese: code pages 836 and 837.", *mixed(935, "P110-1999", java=True)),
    "ibm1388": ("IBM1388, simplified Chinese after GBK and GB 18030: code pages 836 and 4933.", *mixed(1388, "P103-2001"), "ibm935"),
    "ibm937": ("IBM937, traditional Chinese: code pages 37 and 835.", *mixed(937, "P110-1999", java=True)),
    "ibm1371": ("IBM1371, traditional Chinese with the euro: code pages 1159 and 9027.", *mixed(1371, "P100-1999"), "ibm937"),
    "ibm943": table("IBM943, Shift_JIS of IBM, with JIS X 0201.", PAIRS, ICU="ibm-943_P130-1999", glibc="IBM943", libiconv="CP943", Java="x-IBM943"),
    "ibm943c": table("IBM943C, the same with ASCII.", PAIRS, "ibm943", ICU="ibm-943_P15A-2003", libiconv="CP943", Java="x-IBM943C"),
    "ibm942": table("IBM942, Shift_JIS of IBM before 1990, with JIS X 0201.", PAIRS, "ibm943", ICU="ibm-942_P12A-1999", glibc="IBM932", Java="x-IBM942"),
    "ibm942c": table("IBM942C, the same with ASCII.", PAIRS, "ibm942", ICU="ibm-942_P12A-1999", glibc="IBM932", Java="x-IBM942C"),
    "eucjp-ms": table("eucJP-ms, EUC-JP with the rows of NEC and IBM and two user-defined areas.", EUC, glibc="EUC-JP-MS", Java="x-eucJP-Open"),
    "ibm33722": table("IBM33722, EUC-JP of IBM.", EUC, "eucjp-ms", ICU="ibm-33722_P120-1999", Java="x-IBM33722"),
    "ibm949": table("IBM949, Korean: KS X 1001 with IBM's and user-defined characters.", PAIRS, ICU="ibm-949_P110-1999", Java="x-IBM949"),
    "ibm949c": table("IBM949C, the same with the backslash.", PAIRS, "ibm949", ICU="ibm-949_P11A-1999", Java="x-IBM949C"),
    "ibm970": table("IBM970, EUC-KR of IBM.", PAIRS, "ibm949", ICU="ibm-970_P110_P110-2006_U2", Java="x-IBM970"),
    "ibm1383": table("IBM1383, EUC-CN of IBM.", PAIRS, ICU="ibm-1383_P110-1999", Java="x-IBM1383"),
    "ibm964": table("IBM964, EUC-TW of IBM.", PLANES, ICU="ibm-964_P110-1999", Java="x-IBM964"),
    "windows-950": table(
        "windows-950, Big5 of Microsoft.",
        PAIRS, ICU="windows-950-2000", libiconv="CP950", Python="cp950", Perl="cp950", Java="x-windows-950",
    ),
    "ibm950": table("IBM950, Big5 of IBM.", PAIRS, "windows-950", ICU="ibm-950_P110-1999", Java="x-IBM950"),
    "big5-2003": table("Big5-2003.", PAIRS, "windows-950", libiconv="BIG5-2003"),
    "big5-hkscs": table(
        "Big5-HKSCS:2008.",
        PAIRS, "windows-950", ICU="ibm-1375_P100-2008", glibc="BIG5HKSCS", libiconv="BIG5-HKSCS", Java="Big5-HKSCS", iconv_lite="big5hkscs",
    ),
    "big5-hkscs-2004": table("Big5-HKSCS:2004.", PAIRS, "big5-hkscs", libiconv="BIG5-HKSCS:2004", Python="big5hkscs"),
    "big5-hkscs-2001": table(
        "Big5-HKSCS:2001.",
        PAIRS, "big5-hkscs", ICU="ibm-5471_P100-2006", libiconv="BIG5-HKSCS:2001", Java="x-Big5-HKSCS-2001",
    ),
    "big5-hkscs-1999": table("Big5-HKSCS:1999.", PAIRS, "big5-hkscs", libiconv="BIG5-HKSCS:1999"),
    "mac-chinesesimp": table("x-mac-chinesesimp.", PAIRS, "ibm1383", Perl="MacChineseSimp"),
    "mac-chinesetrad": table("x-mac-chinesetrad.", PAIRS, "windows-950", Perl="MacChineseTrad"),
}
