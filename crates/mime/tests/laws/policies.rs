//! The policies that messages are put through, for the laws and for the fuzzer.

use mailglot_mime::encoded_word::Repairs;
use mailglot_mime::{Attachments, CharsetOut, Headers, OnLoss, Policy, Transfer};

pub(crate) const HEADERS: [Headers; 3] = [Headers::Keep, Headers::Words, Headers::RawUtf8];
pub(crate) const TRANSFERS: [Transfer; 4] = [
    Transfer::Keep,
    Transfer::Clean,
    Transfer::SevenBit,
    Transfer::EightBit,
];
pub(crate) const LOSSES: [OnLoss; 2] = [OnLoss::Replace, OnLoss::Keep];
pub(crate) const ATTACHMENTS: [Attachments; 2] = [Attachments::Keep, Attachments::Utf8];
pub(crate) const OUT: [CharsetOut; 2] = [CharsetOut::Utf8, CharsetOut::Iso2022Jp];

/// One of them; `below` gives a number below another.
pub(crate) fn policy(below: &mut dyn FnMut(usize) -> usize) -> Policy {
    Policy::default()
        .headers(HEADERS[below(HEADERS.len())])
        .transfer(TRANSFERS[below(TRANSFERS.len())])
        .on_loss(LOSSES[below(LOSSES.len())])
        .attachments(ATTACHMENTS[below(ATTACHMENTS.len())])
        .repairs([Repairs::default(), Repairs::ALL][usize::from(below(4) == 0)])
        .charset_out(OUT[usize::from(below(3) == 0)])
}
