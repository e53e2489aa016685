//! Text in the charsets of mail, from which values are made.

/// A text, and its bytes under a label.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub(super) label: &'static str,
    pub(super) bytes: &'static [u8],
    pub(super) text: &'static str,
}

const fn sample(label: &'static str, bytes: &'static [u8], text: &'static str) -> Sample {
    Sample { label, bytes, text }
}

const fn utf8(text: &'static str) -> Sample {
    Sample {
        label: "UTF-8",
        bytes: text.as_bytes(),
        text,
    }
}

/// Text that may be cut between two characters, or within one.
pub(super) const SAMPLES: [Sample; 26] = [
    utf8("Grüße aus Köln"),
    utf8("Привет, мир"),
    utf8("日本語の件名"),
    utf8("안녕하세요"),
    utf8("שלום עולם"),
    utf8("Déjà vu"),
    utf8("naïve – “quoted”"),
    utf8("👩\u{200d}👧 family"),
    utf8("plain words"),
    utf8("Ελληνικά"),
    sample("US-ASCII", b"plain words", "plain words"),
    sample("ISO-8859-1", b"Gr\xfc\xdfe aus K\xf6ln", "Grüße aus Köln"),
    sample("ISO-8859-1", b"\xc9t\xe9 \xe0 M\xe1laga", "Été à Málaga"),
    sample(
        "ISO-8859-2",
        b"\xaf\xf3\xb3\xe6 i \xb3\xb1ka",
        "Żółć i łąka",
    ),
    sample("ISO-8859-15", b"prix: 5\xa4 \xe9t\xe9", "prix: 5€ été"),
    sample(
        "ISO-8859-7",
        b"\xca\xe1\xeb\xe7\xec\xdd\xf1\xe1 \xea\xfc\xf3\xec\xe5",
        "Καλημέρα κόσμε",
    ),
    sample(
        "KOI8-R",
        b"\xf0\xd2\xc9\xd7\xc5\xd4, \xcd\xc9\xd2",
        "Привет, мир",
    ),
    sample(
        "windows-1251",
        b"\xc4\xee\xe1\xf0\xfb\xe9 \xe4\xe5\xed\xfc",
        "Добрый день",
    ),
    sample(
        "windows-1252",
        b"\x93quoted\x94 \x96 na\xefve",
        "“quoted” – naïve",
    ),
    sample(
        "Shift_JIS",
        b"\x93\xfa\x96{\x8c\xea\x83e\x83X\x83g",
        "日本語テスト",
    ),
    sample("Shift_JIS", b"\x83\x5c\x95\x5c\x8e\xa6", "ソ表示"),
    sample(
        "EUC-JP",
        b"\xb2\xf1\xb5\xc4\xa4\xce\xa4\xaa\xc3\xce\xa4\xe9\xa4\xbb",
        "会議のお知らせ",
    ),
    sample("GB2312", b"\xbb\xe1\xd2\xe9\xcd\xa8\xd6\xaa", "会议通知"),
    sample("GBK", b"\xd5\x88\xbf\xb4\xb8\xbd\xbc\xfe", "請看附件"),
    sample("Big5", b"\xb7|\xc4\xb3\xac\xf6\xbf\xfd", "會議紀錄"),
    sample(
        "EUC-KR",
        b"\xbe\xc8\xb3\xe7\xc7\xcf\xbc\xbc\xbf\xe4",
        "안녕하세요",
    ),
];

/// Text whose bytes are not cut: charsets with states, UTF-16 with a byte order mark, characters of a superset.
pub(super) const WHOLE: [Sample; 5] = [
    sample("ISO-2022-JP", b"\x1b$BF|K\\8l\x1b(B", "日本語"),
    sample("ISO-2022-JP", b"Re: \x1b$B%F%9%H\x1b(B", "Re: テスト"),
    sample("UTF-16", b"\xfe\xff\x00G\x00r\x00\xfc\x00n", "Grün"),
    sample("UTF-16BE", b"\x00G\x00r\x00\xfc\x00n", "Grün"),
    sample("UTF-7", b"Gr+APwA3w-e", "Grüße"),
];

/// Characters that the label lacks and its Windows superset has.
pub(super) const SUPERSETS: [Sample; 4] = [
    sample("ISO-8859-1", b"It\x92s 5 \x80", "It’s 5 €"),
    sample("ISO-8859-9", b"\x93T\xfcrk\xe7e\x94", "“Türkçe”"),
    sample("GB2312", b"\xd5\x88\xbf\xb4\xb8\xbd\xbc\xfe", "請看附件"),
    sample("Shift_JIS", b"\x87\x40\x93\xfa\x96{", "①日本"),
];

/// Other spellings of labels.
pub(super) const ALIASES: [(&str, &str); 12] = [
    ("UTF-8", "utf8"),
    ("ISO-8859-1", "latin1"),
    ("ISO-8859-1", "iso8859-1"),
    ("ISO-8859-15", "iso_8859-15"),
    ("windows-1251", "cp1251"),
    ("windows-1252", "cp1252"),
    ("Shift_JIS", "x-sjis"),
    ("EUC-JP", "x-euc-jp"),
    ("EUC-KR", "ks_c_5601-1987"),
    ("GBK", "cp936"),
    ("US-ASCII", "ascii"),
    ("ISO-8859-2", "l2"),
];
