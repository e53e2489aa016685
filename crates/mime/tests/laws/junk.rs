//! Messages with junk in one header field beside UTF-8 or legacy text in others.

use crate::numbers::Numbers;

/// Values that say nothing about the charset of other fields: symbols, spaces, single bytes, and bytes without a word.
const JUNK: [&[u8]; 20] = [
    b"\xa0text/plain",
    b"\xa0",
    b"\xa0\xa0 x",
    b"x\xa0",
    b"\xa35.00",
    b"Discover\xae",
    b"\x93quoted\x94",
    b"don\x92t",
    b"\xb7 one",
    b"a \x96 b",
    b"\xff",
    b"\x80",
    b"caf\xe9",
    b"(\xe4)",
    b"\xb0C",
    b"n\xba 5",
    b"\xc3",
    b"\xe2\x80",
    b"text/plain;\xa0charset=us-ascii",
    b"\xa1",
];

/// Text in UTF-8.
pub(crate) const TEXTS: [&str; 16] = [
    "caf\u{e9}",
    "Gr\u{fc}\u{df}e",
    "\u{43f}\u{440}\u{438}\u{432}\u{435}\u{442}",
    "\u{65e5}\u{672c}\u{8a9e}",
    "\u{e9}",
    "\u{2019}",
    "\u{20ac} 5",
    "\u{1f642}",
    "a\u{a0}b",
    "\u{5e9}\u{5dc}\u{5d5}\u{5dd}",
    "\u{c548}\u{b155}",
    "\u{bb}",
    "Zo\u{eb} \u{2013} Andr\u{e9}",
    "\u{10d}",
    "\u{6c49}",
    "na\u{ef}ve",
];

/// The names of fields for text, and for junk.
const NAMES: [&str; 4] = ["Subject", "From", "X-Other", "Comments"];
const JUNK_NAMES: [&str; 6] = [
    "Content-Type",
    "X-A",
    "Content-Disposition",
    "To",
    "X-MS-TNEF-Correlator",
    "Organization",
];

/// Writes a message with one field of UTF-8 text; returns it with the name of that field and its text.
pub(crate) fn message(numbers: &mut Numbers) -> (Vec<u8>, &'static str, String) {
    let mut fields = Vec::new();
    let name = NAMES[numbers.below(NAMES.len())];
    let text: Vec<&str> = (0..=numbers.below(3))
        .map(|_| TEXTS[numbers.below(TEXTS.len())])
        .collect();
    let text = text.join(" ");
    fields.push([name.as_bytes(), b": ", text.as_bytes(), b"\n"].concat());
    for _ in 0..=numbers.below(3) {
        let junk = JUNK[numbers.below(JUNK.len())];
        let space: &[u8] = if numbers.below(2) == 0 { b" " } else { b"" };
        let field = [
            JUNK_NAMES[numbers.below(JUNK_NAMES.len())].as_bytes(),
            b":",
            space,
            junk,
            b"\n",
        ]
        .concat();
        fields.insert(numbers.below(fields.len() + 1), field);
    }
    (
        fields.into_iter().flatten().chain(*b"\nbody\n").collect(),
        name,
        text,
    )
}
