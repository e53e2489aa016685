//! Writes the semicolons that a rewritten field lacks, so that strict readers find its parameters, too.
//!
//! # Limits
//!
//! Does not separate `charset` and `boundary`: their edits are planned with the body. Keeps a comma after a media type, which is
//! part of the type as read.

use super::scan::{LIMIT, Scanner};
use crate::encoded_word::{HeaderContext, Replacement};
use crate::lexer::{self, split_name};

/// Returns the edits that write a semicolon before each parameter without one. A comma there is replaced.
pub(super) fn separators(value: &[u8], context: &HeaderContext) -> Vec<Replacement> {
    let (main, scanner) = Scanner::new(value);
    let mut list = Vec::new();
    for (index, item) in scanner.within(context).take(LIMIT).enumerate() {
        let (base, _) = split_name(item.raw.name);
        let is_of_body =
            base.eq_ignore_ascii_case(b"charset") || base.eq_ignore_ascii_case(b"boundary");
        let before = lexer::trim_end(&value[..item.name.start]);
        if item.has_semicolon || is_of_body || before.is_empty() {
            continue;
        }
        let is_comma = before.strip_suffix(b",").is_some_and(|rest| {
            let follows_main = index == 0 && main.ends_with(b",") && !main.contains(&b'/');
            follows_main || lexer::trim_end(rest).ends_with(b"\"")
        });
        list.push(Replacement {
            at: before.len() - usize::from(is_comma)..before.len(),
            with: b";".to_vec(),
        });
    }
    list
}
