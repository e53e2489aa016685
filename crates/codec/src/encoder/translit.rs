//! Finds the nearest text that a charset has for a character that it lacks, by the table of `data/translit.tsv`.
//!
//! A row leads one step on (`ấ` to `â`, `â` to `a`). The first step that the charset can encode is used. A twin, the same sign at another
//! code point, is better than any row: Shift_JIS gets `～` for `〜`, not `~`.
//!
//! # Limits
//! One table for all languages: `ö` becomes `o`, also in German. Full-width forms become ASCII, including `<`. Only Latin, Greek and Cyrillic
//! have rows.

use crate::generated::translit::STEPS;
use crate::string_table::{StringTable, column, total_len};

/// Returns the nearest text whose characters all satisfy `carried`, or `None`.
pub(super) fn nearest(c: char, carried: impl Fn(char) -> bool) -> Option<String> {
    let mut text = String::new();
    append(c, &carried, &mut text).then_some(text)
}

/// Appends the replacement of `c`; returns false if there is none. The table has no cycles, so this terminates.
fn append(c: char, carried: &impl Fn(char) -> bool, text: &mut String) -> bool {
    if let Some(twin) = twins(c).find(|twin| carried(*twin)) {
        text.push(twin);
        return true;
    }
    let Ok(row) = CHARACTERS.binary_search(&c) else {
        return false;
    };
    REPLACEMENTS.text(row).chars().all(|step| {
        let own = carried(step);
        if own {
            text.push(step);
        }
        own || append(step, carried, text)
    })
}

/// Returns the characters that mean the same as `c` and look like it.
fn twins(c: char) -> impl Iterator<Item = char> {
    let sets = TWINS.iter().filter(move |set| set.contains(&c));
    sets.flat_map(|set| set.iter().copied())
        .filter(move |twin| *twin != c)
}

/// Signs of East Asian charsets that tables of Unicode map to different code points, as those of JIS X 0208 and of Windows do.
const TWINS: &[&[char]] = &[
    &['¢', '￠'],
    &['£', '￡'],
    &['¥', '￥'],
    &['¦', '￤'],
    &['¬', '￢'],
    &['¯', '￣'],
    &['₩', '￦'],
    &['〜', '～', '∼'],
    &['−', '－'],
    &['‖', '∥'],
    &['—', '―'],
    &['·', '・'],
];

/// The characters of the table, in order.
static CHARACTERS: [char; STEPS.len()] = column!(STEPS, 0, '\0');

/// The text to which each of them leads.
static REPLACEMENTS: StringTable<{ STEPS.len() }, { total_len(&STEP_TEXTS) }> =
    StringTable::new(&STEP_TEXTS);

static STEP_TEXTS: [&str; STEPS.len()] = column!(STEPS, 1, "");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_ends_in_ascii_or_in_nothing_known() {
        for (c, _) in STEPS {
            let ascii = nearest(*c, |c| c.is_ascii());
            // Kana and the symbols of mathematics are for charsets that have them.
            let far = matches!(c, '\u{FF61}'..='\u{FF9F}' | '\u{3300}'..='\u{33FF}');
            assert!(
                ascii
                    .as_ref()
                    .is_some_and(|text| !text.contains(['\r', '\n']))
                    || far,
                "{c:?} {ascii:?}"
            );
        }
        assert!(STEPS.len() > 1500);
    }

    #[test]
    fn the_first_step_that_fits_is_taken() {
        assert_eq!(nearest('ấ', |c| c == 'â').as_deref(), Some("â"));
        assert_eq!(nearest('ấ', |c| c.is_ascii()).as_deref(), Some("a"));
        assert_eq!(nearest('\u{200B}', |_| false).as_deref(), Some(""));
        assert_eq!(nearest('日', |_| true), None);
    }

    #[test]
    fn a_twin_is_better_than_a_row() {
        let shift_jis = crate::charset::Charset::SHIFT_JIS;
        let written = |text: &str| -> String {
            let carried = |c: char| c.is_ascii() || shift_jis.encode_exact(&c.to_string()).is_ok();
            text.chars()
                .map(|c| nearest(c, carried).unwrap_or_default())
                .collect()
        };
        assert_eq!(written("¢£¥¬¯〜−‖—·"), "￠￡￥￢￣～－∥―・");
        assert_eq!(nearest('¥', |c| c.is_ascii()).as_deref(), Some("JPY"));
        assert_eq!(nearest('－', |c| c == '−').as_deref(), Some("−"));
    }
}
