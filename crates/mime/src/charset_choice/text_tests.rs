//! Tests on the bytes and the text that a charset gives. They prove something about a charset, and none of them chooses one.

pub(super) mod apostrophes;
pub(super) mod baltic_letters;
pub(super) mod case_faults;
pub(super) mod cjk_level1;
pub(super) mod damage;
pub(super) mod evidence_words;
pub(super) mod few_bytes;
pub(super) mod font_names;
pub(super) mod foreign_letters;
pub(super) mod hebrew_visual_order;
pub(super) mod insufficient_evidence;
pub(super) mod language_hint;
pub(super) mod likelier_charset;
pub(super) mod misplaced_signs;
pub(super) mod mojibake_score;
pub(super) mod plain_western;
pub(super) mod plain_words;
pub(super) mod private_use;
pub(super) mod repetitions;
pub(super) mod signs_for_letters;
pub(super) mod structure;
pub(super) mod telltale_bytes;
pub(super) mod truncated_utf8;
pub(super) mod undeclared_bytes;
pub(super) mod western_letters;
pub(super) mod western_pairs;
