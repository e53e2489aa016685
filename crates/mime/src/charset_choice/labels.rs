//! Compares a label with the text that it gives, and with its rivals.

pub(super) mod alphabet_charsets;
pub(super) mod certain_utf8;
pub(super) mod decisive_guess;
pub(super) mod disproved_label;
pub(super) mod disproved_labels;
pub(super) mod label_check;
pub(super) mod label_events;
pub(super) mod label_plausibility;
pub(super) mod label_scope;
mod mac_label;
mod misread_words;
pub(super) mod named_rival;
pub(super) mod other_alphabet;
pub(super) mod other_script;
pub(super) mod superset;
pub(super) mod utf8_vs_label;
