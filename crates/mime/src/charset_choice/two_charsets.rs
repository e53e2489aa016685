//! Decodes text in two charsets: runs, lines, quotations and sections.

pub(super) mod block_charsets;
pub(super) mod card_properties;
mod foreign_words;
pub(super) mod koi8_signs;
pub(super) mod latin2_passages;
pub(super) mod lost_characters;
pub(super) mod mixed_choice;
pub(super) mod mixed_hz;
pub(super) mod mixed_iso2022jp;
pub(super) mod mixed_lines;
pub(super) mod mixed_text;
pub(super) mod mixed_utf8;
pub(super) mod quoted_lines;
pub(super) mod sections;
pub(super) mod utf8_runs;
pub(super) mod windows_signs;
