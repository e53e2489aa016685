//! Defines the evidence that a message gives about the charset of a text.

use crate::policy::Policy;
use mailglot_codec::Charset;
use mailglot_codec::detect::{Guess, Hints};
use std::fmt::Debug;

/// The evidence of a message about the charset of a text. Each method computes its answer on first use.
pub(crate) trait MailEvidence: Debug {
    /// Returns the policy of the caller.
    fn policy(&self) -> &Policy;

    /// Returns the charsets that the message names elsewhere, nearest first: an earlier part, encoded words, labels.
    fn named_charsets(&self) -> Box<dyn Iterator<Item = Charset> + '_>;

    /// Returns the charset that Content-Transfer-Encoding of the body names by mistake: `Content-Transfer-Encoding: ISO-8859-1`.
    fn transfer_charset(&self) -> Option<Charset>;

    /// Returns the hints for detection: the language of the part, the message or the caller, and the sender's country.
    fn hints<'b>(&'b self, document: Option<&'b [u8]>) -> Hints<'b>;

    /// Returns the guess for all undeclared text of the message; None if there is only one piece of it.
    fn pooled_guess(&self) -> Option<Guess>;
}
