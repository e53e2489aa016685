//! Generates English mail with a few characters of East Asia, and with lines in windows-1252 and UTF-8.
//!
//! # Limits
//!
//! No message names the country of its writer.

use crate::charset_decisions::material::{EAST_ASIAN, ENGLISH, FONTS};
use crate::charset_decisions::{Case, Label, Set, TextPosition};
use crate::faker::encoded;
use crate::rng::Rng;
use mailglot_codec::Charset;
use std::collections::BTreeMap;

/// Generates English HTML with full-width spaces or names of fonts.
pub(super) fn with_east_asian_characters(put: &mut impl FnMut(Case)) {
    let mut rng = Rng::new(17);
    for nth in 0..1_200 {
        let lines: Vec<&str> = (0..=(nth % 5)).map(|_| *rng.pick(ENGLISH)).collect();
        let (name, text) = if nth % 2 == 0 {
            let (name, run) = *rng.pick(EAST_ASIAN);
            let plain = nth % 4 == 0;
            let ends = if plain { ("", "") } else { ("<p>", "</p>") };
            let line = |line: &&str| match rng.below(3) {
                0 => format!("{}{run}{line}{}", ends.0, ends.1),
                1 => format!("{}{line}{run}{}", ends.0, ends.1),
                _ => format!("{}{}{}", ends.0, line.replacen(' ', run, 1), ends.1),
            };
            (name, lines.iter().map(line).collect::<Vec<_>>().join("\n"))
        } else {
            let (name, font) = *rng.pick(FONTS);
            let quote = if font.contains(' ') || rng.chance(50) {
                "\""
            } else {
                ""
            };
            let line =
                |line: &&str| format!("<font face={quote}{font}{quote} size=2>{line}</font><br>");
            (name, lines.iter().map(line).collect::<Vec<_>>().join("\n"))
        };
        let charset = Charset::for_name(name).expect("a charset");
        let Some(base) = Case::new(Set::EastAsian, "en", charset, &text, lines.len()) else {
            continue;
        };
        let form = if text.contains('<') {
            TextPosition::Html
        } else {
            TextPosition::Plain
        };
        let own = match name {
            "GBK" => "gb2312",
            "windows-949" => "ks_c_5601-1987",
            other => other,
        };
        for label in [Label::None, Label::Right(own), Label::Wrong("us-ascii")] {
            put(base.with(form, label));
        }
    }
}

/// Generates English with words or lines of Western languages, mixing windows-1252 and UTF-8 like quotations and footers do.
pub(super) fn in_two_charsets(texts: &BTreeMap<String, Vec<String>>, put: &mut impl FnMut(Case)) {
    let mut rng = Rng::new(29);
    let western = [
        "de_DE", "fr_FR", "es_ES", "pt_BR", "it_IT", "sv_SE", "da_DK", "nl_NL",
    ];
    let pool: Vec<&str> = western
        .iter()
        .flat_map(|locale| &texts[*locale])
        .filter(|text| encoded(text, Charset::WINDOWS_1252).is_some())
        .map(String::as_str)
        .collect();
    for nth in 0..3_000 {
        let (mut text, mut bytes) = (String::new(), Vec::new());
        let lines = 4 + rng.below(20);
        // Both encodings occur.
        for line in 0..lines {
            let foreign = *rng.pick(&pool);
            let (own, raw) = match line {
                0 => (
                    foreign,
                    encoded(foreign, Charset::WINDOWS_1252).map(|(bytes, _)| bytes),
                ),
                2 => (foreign, None),
                _ if rng.chance(20) => (foreign, None),
                _ if rng.chance(20) => (
                    foreign,
                    encoded(foreign, Charset::WINDOWS_1252).map(|(bytes, _)| bytes),
                ),
                _ => (*rng.pick(ENGLISH), None),
            };
            text.push_str(own);
            text.push('\n');
            bytes.extend(raw.unwrap_or_else(|| own.as_bytes().to_vec()));
            bytes.push(b'\n');
        }
        let label = match nth % 3 {
            0 => Label::None,
            1 => Label::Wrong("iso-8859-1"),
            _ => Label::Wrong("utf-8"),
        };
        put(Case {
            set: Set::Mixed,
            language: "en".to_owned(),
            charset: Charset::WINDOWS_1252,
            form: TextPosition::Plain,
            label,
            lines,
            place: None,
            country: None,
            has_address: false,
            bytes: bytes.trim_ascii_end().to_vec(),
            text: text.trim_ascii_end().to_owned(),
        });
    }
}
