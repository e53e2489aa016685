//! Chooses the charset of calendars and vCards that are folded within characters.
//!
//! # Limits
//! Text in two charsets keeps its folds if only the choice between them reveals its charset.

use super::choice::Choice;
use super::evidence::Evidence;
use super::steps::choose;
use crate::split_folds::{MovedFolds, joined, may_be_double_byte, may_split, splits_iso2022jp};
use mailglot_codec::{Charset, Resolved};

/// Chooses the charset of a calendar or vCard by its bytes without folds within characters. Decodes it.
pub(crate) fn choose_unfolded<'a>(bytes: &'a [u8], evidence: &Evidence<'_>) -> Choice<'a> {
    let choice = choose(bytes, evidence);
    // A fold within a character is a loss, except in a single-byte charset. Most bodies end here, or have no such fold.
    let is_whole =
        !choice.used.is_single_byte() && choice.log.losses() == 0 && choice.mixed.is_none();
    // A line end returns to ASCII, so what follows a fold is no loss.
    let splits_escapes = splits_iso2022jp(bytes);
    if !splits_escapes && (is_whole || !may_split(bytes)) {
        return choice;
    }
    let choose_moved = |moved: MovedFolds| {
        let choice = choose(moved.bytes(), evidence).into_owned();
        let is_same = MovedFolds::find(bytes, choice.used).as_ref() == Some(&moved);
        is_same.then_some(Choice {
            moved_folds: Some(moved),
            ..choice
        })
    };
    let label = evidence.resolved.and_then(Resolved::charset);
    let label = label.filter(|charset| *charset != Charset::UTF_8);
    let by_escapes = splits_escapes.then_some(Charset::ISO_2022_JP);
    let named = [Some(Charset::UTF_8), label, by_escapes]
        .into_iter()
        .flatten();
    let mut found = named.filter_map(|charset| MovedFolds::find(bytes, charset));
    if let Some(choice) = found.find_map(choose_moved) {
        return choice;
    }
    if is_whole {
        return choice;
    }
    if may_be_double_byte(bytes) {
        let used = choose(&joined(bytes), evidence).used;
        if let Some(choice) = MovedFolds::find(bytes, used).and_then(choose_moved) {
            return choice;
        }
    }
    // Text in two charsets was not decoded by one of them.
    let is_mixed = choice.mixed.is_some();
    match MovedFolds::find(bytes, choice.used).filter(|_| !is_mixed) {
        Some(moved) => Choice {
            moved_folds: Some(moved.clone()),
            ..choice.of_bytes(moved.bytes())
        },
        None => choice,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::View;

    #[test]
    fn folds_leave_runs_of_iso_2022_jp() {
        let run = Charset::ISO_2022_JP
            .encode_exact("これは日本語の予定です")
            .expect("exact");
        let calendar = |run: &[u8]| [b"BEGIN:VCALENDAR\r\nSUMMARY:", run, b"\r\nX:y\r\n"].concat();
        for at in 0..=run.len() {
            let folded = [&run[..at], b"\r\n ", &run[at..]].concat();
            let bytes = calendar(&folded);
            for label in [Some("iso-2022-jp"), None] {
                let label = label.map(str::as_bytes);
                let evidence = Evidence {
                    label,
                    resolved: label.map(|label| Charset::for_label(label, View::Mail)),
                    ..Evidence::default()
                };
                let choice = choose_unfolded(&bytes, &evidence);
                assert_eq!(choice.used, Charset::ISO_2022_JP, "{at} {label:?}");
                let text = choice.text.replace("\r\n ", "");
                let want = "BEGIN:VCALENDAR\r\nSUMMARY:これは日本語の予定です\r\nX:y\r\n";
                assert_eq!(text, want, "{at} {label:?}");
            }
        }
        let terminal = b"SUMMARY:a\x1B[1m\r\n b\r\n";
        assert!(
            choose_unfolded(terminal, &Evidence::default())
                .moved_folds
                .is_none()
        );
    }
}
