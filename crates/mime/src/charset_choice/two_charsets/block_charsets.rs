//! Compares the charsets of blocks of a text: quotations and the lines between them, or sections.
//!
//! # Limits
//! Of more than 64 odd blocks, all have one charset. Documents such as HTML have no blocks.

use super::mixed_lines::decode_lines;
use super::mixed_text::{MixedText, RestCharset, decode_runs, join};
use crate::charset_choice::evidence::Evidence;
use crate::charset_choice::labels::label_plausibility::{find_likelier, is_odd_under};
use crate::charset_choice::labels::label_scope::LabelScope;
use crate::charset_choice::labels::superset::better_by_bytes;
use crate::charset_choice::text_tests::damage::decodes_without_loss;
use crate::charset_choice::text_tests::few_bytes::is_mostly_ascii;
use crate::charset_choice::text_tests::foreign_language::may_be_foreign_language;
use crate::charset_choice::text_tests::foreign_letters::has_western_words;
use crate::charset_choice::text_tests::latin_under_east_asian::is_latin_under;
use crate::charset_choice::text_tests::utf8_sequences::SequenceCount;
use crate::charset_choice::text_tests::western_letters::is_latin_1;
use crate::charset_choice::thresholds::LIKELY_CONFIDENCE;
use mailglot_codec::detect::{self, high_bytes};
use mailglot_codec::{Charset, LossLog};
use std::ops::Range;

/// How much likelier (natural logarithm) blocks must be in their own charset than in that of the other blocks.
const MARGIN: f32 = 6.0;
/// Minimum number of bytes above 7F that prove a charset without a label, and in text of mostly ASCII letters: `Grüße, Jürgen`.
const MIN_BYTES: usize = 6;
const MIN_BYTES_BESIDE_ASCII: usize = 2;
/// Minimum number of bytes above 7F in lines that are odd, to examine all others.
const MANY_BYTES: usize = 8;
/// Minimum number of different bytes above 7F that prove another charset than the label's.
const MIN_DIFFERENT: usize = 7;
/// Number of charsets of a text with the label's, where each block is read in its own.
const LEAST_CHARSETS: usize = 3;
const MOST_CHARSETS: usize = 6;
/// Number of odd blocks that are judged alone.
const MOST_BLOCKS: usize = 64;
/// Number of odd blocks that are judged alone to report a charset.
const FIRST_BLOCKS: usize = 4;
/// Number of bytes whose whole lines are decoded to find losses. A block with a longer first line is decoded completely.
const SAMPLE: usize = 1024;
/// Number of bytes at the beginning of a quotation or section that show whether it is odd under the label.
pub(super) const BEGINNING: usize = 256;

/// Returns true if blocks under the label may have another charset.
pub(crate) fn may_have_other_charset(label: Charset, evidence: &Evidence<'_>) -> bool {
    LabelScope::of(evidence.detection()) != LabelScope::None
        && !evidence.mapped
        && evidence.document.is_none()
        && evidence.may_find_mixed()
        && label.may_stand_beside_ascii()
}

/// Returns the blocks that are no text under the label. None if all are, or none.
pub(crate) fn odd_blocks(
    bytes: &[u8],
    blocks: &[Range<usize>],
    label: Charset,
) -> Option<Vec<Range<usize>>> {
    let is_odd = |block: &&Range<usize>| is_odd_block(&bytes[(*block).clone()], label);
    let odd: Vec<_> = blocks.iter().filter(is_odd).cloned().collect();
    (!odd.is_empty() && odd.len() < blocks.len()).then_some(odd)
}

/// Reads odd blocks in another charset than the label's, if those of them that are `is_proof` prove it and the label suits all other
/// blocks. Blocks are in order.
pub(crate) fn read_odd_blocks(
    bytes: &[u8],
    blocks: &[Range<usize>],
    odd: &[Range<usize>],
    is_proof: impl Fn(&Range<usize>) -> bool,
    label: Charset,
    evidence: &Evidence<'_>,
) -> Option<MixedText> {
    let text = |block: &Range<usize>| &bytes[block.clone()];
    let proofs = odd.iter().filter(|block| is_proof(block));
    let used = likelier(&join(bytes, proofs), label, evidence)?;
    let is_other = |block: &&Range<usize>| {
        is_proof(block) || is_likelier(text(block), used.charset, label, evidence)
    };
    let lines: Vec<_> = odd.iter().filter(is_other).cloned().collect();
    let rest = without(bytes, blocks, &lines);
    let by_label = RestCharset {
        charset: better_by_bytes(label, &rest).unwrap_or(label),
        confidence: used.confidence,
    };
    keeps_label(&rest, by_label.charset, used.charset, evidence)
        .then(|| decode_lines(bytes, &lines, used.charset, by_label))
}

/// Reads each odd block in the charset that it proves alone. Returns None unless these are several charsets, and each suits only its own
/// blocks, as the label does. An odd block that proves none keeps the label.
pub(crate) fn read_each_odd_block(
    bytes: &[u8],
    blocks: &[Range<usize>],
    odd: &[Range<usize>],
    label: Charset,
    evidence: &Evidence<'_>,
) -> Option<MixedText> {
    if odd.len() > MOST_BLOCKS {
        return None;
    }
    let mut confidence: Option<f32> = None;
    let mut runs: Vec<(Range<usize>, Charset)> = Vec::new();
    let mut texts: Vec<(Charset, Vec<u8>)> = Vec::new();
    for block in odd {
        let text = &bytes[block.clone()];
        let Some(used) = likelier(text, label, evidence) else {
            continue;
        };
        runs.push((block.clone(), used.charset));
        let least = |own: f32| confidence.unwrap_or(own).min(own);
        confidence = used.confidence.map(least).or(confidence);
        match texts
            .iter_mut()
            .find(|(charset, _)| *charset == used.charset)
        {
            Some((_, joined)) => joined.extend_from_slice(text),
            None => texts.push((used.charset, text.to_vec())),
        }
    }
    let rest = without(bytes, blocks, odd);
    let charset = better_by_bytes(label, &rest).unwrap_or(label);
    let is_number = (LEAST_CHARSETS..=MOST_CHARSETS).contains(&(texts.len() + 1));
    let suits_rest = || {
        let mut others = texts.iter();
        others.all(|(used, text)| {
            keeps_label(&rest, charset, *used, evidence)
                && is_likelier(text, *used, charset, evidence)
        })
    };
    let by_label = RestCharset {
        charset,
        confidence,
    };
    (is_number && suits_rest() && all_are_apart(&texts, evidence))
        .then(|| decode_runs(bytes, &runs, by_label))
}

/// Returns the charset that one of the first odd blocks proves.
pub(crate) fn proven_by_block(
    bytes: &[u8],
    odd: &[Range<usize>],
    label: Charset,
    evidence: &Evidence<'_>,
) -> Option<Charset> {
    let mut first = odd.iter().take(FIRST_BLOCKS);
    let proven = |block: &Range<usize>| likelier(&bytes[block.clone()], label, evidence);
    first.find_map(proven).map(|used| used.charset)
}

/// Returns true if each text is much likelier in its own charset than in that of any other.
fn all_are_apart(texts: &[(Charset, Vec<u8>)], evidence: &Evidence<'_>) -> bool {
    let is_apart = |(nth, (of_one, one)): (usize, &(Charset, Vec<u8>))| {
        texts[..nth]
            .iter()
            .all(|(of_other, other)| are_apart([one, other], [*of_one, *of_other], evidence))
    };
    texts.iter().enumerate().all(is_apart)
}

/// Concatenates the bytes of the blocks that are not among `lines`. Both are in order.
fn without(bytes: &[u8], blocks: &[Range<usize>], lines: &[Range<usize>]) -> Vec<u8> {
    let mut lines = lines.iter().peekable();
    let is_left = |block: &&Range<usize>| lines.next_if_eq(block).is_none();
    let left: Vec<_> = blocks.iter().filter(is_left).collect();
    join(bytes, left)
}

/// Returns the charset that detection is sure of for blocks without a label.
pub(crate) fn guess(text: &[u8], evidence: &Evidence<'_>) -> Option<RestCharset> {
    let least = if is_mostly_ascii(text) {
        MIN_BYTES_BESIDE_ASCII
    } else {
        MIN_BYTES
    };
    high_bytes(text).nth(least - 1)?;
    let guess = detect::detect(text, &evidence.hints(text));
    let is_likely = guess.confidence >= LIKELY_CONFIDENCE
        && guess.charset.may_stand_beside_ascii()
        && decodes_without_loss(guess.charset, text);
    is_likely.then_some(RestCharset {
        charset: guess.charset,
        confidence: Some(guess.confidence),
    })
}

/// Returns true if each of two texts is much likelier in its own charset than in that of the other.
pub(crate) fn are_apart(
    [one, other]: [&[u8]; 2],
    [of_one, of_other]: [Charset; 2],
    evidence: &Evidence<'_>,
) -> bool {
    of_one != of_other
        && is_likelier(one, of_one, of_other, evidence)
        && is_likelier(other, of_other, of_one, evidence)
}

/// Returns true if `charset` makes letters of the text, and is much likelier than `other` or the only one that decodes it.
fn is_likelier(text: &[u8], charset: Charset, other: Charset, evidence: &Evidence<'_>) -> bool {
    if !detect::has_letters(text, charset) {
        return false;
    }
    if !decodes_without_loss(other, text) {
        return true;
    }
    let hints = evidence.hints(text);
    let margin = match (charset, other) {
        (Charset::UTF_8, _) => str::from_utf8(text)
            .ok()
            .and_then(|text| detect::utf8_margin(text, other, &hints)),
        (_, Charset::UTF_8) => None,
        _ => detect::margin_over(text, other, charset, &hints),
    };
    margin.is_some_and(|margin| margin >= MARGIN)
}

/// Returns true if the label is much likelier than `used` for what is left of a text. Western letters of Latin-1 may be the same in both: then it
/// is enough that `used` is not likelier.
fn keeps_label(rest: &[u8], label: Charset, used: Charset, evidence: &Evidence<'_>) -> bool {
    is_likelier(rest, label, used, evidence)
        || is_latin_1(label)
            && detect::has_letters(rest, label)
            && !is_likelier(rest, used, label, evidence)
}

/// Returns true for UTF-8 with damage. Text of another charset has few sequences of UTF-8 by chance.
fn may_be_damaged_utf8(text: &[u8], guess: Charset) -> bool {
    /// Number of malformed sequences that damage hardly makes.
    const MANY: usize = 4;
    let count = SequenceCount::of(text);
    count.within * 2 >= count.malformed || guess.is_single_byte() && count.malformed < MANY
}

/// Returns true if so many bytes above 7F differ (`many`) that they prove a charset, or if ASCII letters stand beside them. Lines of a few letters
/// do not: `æøå æøå`.
pub(crate) fn has_various_letters(text: &[u8], many: usize) -> bool {
    let mut seen = [false; 256];
    let is_new = |at: &usize| !std::mem::replace(&mut seen[usize::from(text[*at])], true);
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic());
    high_bytes(text).filter(is_new).nth(many - 1).is_some()
        || letters.count() > high_bytes(text).count()
}

/// Returns true if the beginning of a block is no text under the label. Few letters are odd by chance, unless they stand within Latin words.
pub(crate) fn begins_oddly(beginning: &[u8], label: Charset) -> bool {
    if high_bytes(beginning).nth(MANY_BYTES - 1).is_some() {
        return is_odd_block(beginning, label);
    }
    is_latin_under(label, beginning)
        || may_be_foreign_language(label, beginning)
        || has_western_words(label, beginning)
}

/// Returns true if a block is no text under the label.
pub(crate) fn is_odd_block(block: &[u8], label: Charset) -> bool {
    if is_latin_under(label, block) || has_western_words(label, block) {
        return true;
    }
    let charset = better_by_bytes(label, block).unwrap_or(label);
    if may_be_foreign_language(charset, block) {
        return true;
    }
    if charset != Charset::UTF_8 && is_odd_under(charset, block) {
        return charset.is_single_byte() || has_word_characters(charset, block);
    }
    // Every single-byte charset decodes most bytes.
    let sample = match block.get(..SAMPLE) {
        Some(start) => memchr::memrchr(b'\n', start).map_or(block, |end| &start[..end]),
        None => block,
    };
    !charset.is_single_byte() && !decodes_without_loss(charset, sample)
}

/// Returns true if double-byte text has ideographs, syllables or half-width katakana, or cannot be decoded. Models say nothing of other
/// characters, such as jamo, Greek letters, box-drawing lines and circled digits.
fn has_word_characters(charset: Charset, block: &[u8]) -> bool {
    let mut log = LossLog::with_limit(0);
    let text = charset.decode(block, &mut log);
    let is_word = |c: char| {
        matches!(
            c,
            '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{E000}'..='\u{FAFF}' | '\u{FF61}'..='\u{FF9F}'
        ) || c >= '\u{20000}'
    };
    log.losses() > 0 || text.chars().any(is_word)
}

/// Returns the charset that replaces the label for odd blocks.
pub(crate) fn likelier(
    text: &[u8],
    label: Charset,
    evidence: &Evidence<'_>,
) -> Option<RestCharset> {
    let charset = better_by_bytes(label, text).unwrap_or(label);
    let hints = || evidence.hints(text);
    let guess = if decodes_without_loss(charset, text) {
        let likelier = find_likelier(charset, text, LabelScope::Implausible, hints)?;
        likelier.decides.then_some(likelier.guess)?
    } else {
        let guess = detect::detect(text, &hints());
        let is_damage = charset == Charset::UTF_8 && may_be_damaged_utf8(text, guess.charset);
        (guess.confidence >= LIKELY_CONFIDENCE && !is_damage).then_some(guess)?
    };
    let is_text = guess.charset.may_stand_beside_ascii()
        && has_various_letters(text, MIN_DIFFERENT)
        && guess.charset.superset() != charset.superset()
        && decodes_without_loss(guess.charset, text)
        && !detect::is_odd(text, guess.charset);
    is_text.then_some(RestCharset {
        charset: guess.charset,
        confidence: Some(guess.confidence),
    })
}
