//! Decodes the transfer encoding of a body, and finds its charset label and its encoded blocks.

use crate::event::{EventKind, Finding};
use crate::message::Message;
use crate::part_id::PartId;
use crate::span::Span;
use crate::transfer::blocks::{Block, blocks};
use crate::transfer::{self, Decoded, TransferEncoding};
use mailglot_codec::{Charset, Resolved, View};
use mailglot_kernel::TextFinder;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

/// A body after transfer decoding.
#[derive(Debug)]
pub(crate) struct DecodedBody<'a> {
    pub body: &'a [u8],
    pub span: Span,
    pub label: TransferEncoding,
    pub decoded: Decoded<'a>,
    /// The charset label as written, unquoted.
    pub(crate) charset: Option<Cow<'a, [u8]>>,
    pub resolved: Option<Resolved>,
    /// Encoded blocks (uuencode, yEnc) in the text, with offsets into the decoded bytes.
    pub blocks: Vec<Block>,
    pub(super) findings: Vec<Finding>,
    /// Caches whether an inline PGP block begins in the body.
    armour: OnceCell<bool>,
}

impl<'a> DecodedBody<'a> {
    /// Decodes the transfer encoding of a leaf.
    pub(crate) fn read(message: &Message<'a>, id: PartId) -> Self {
        let part = message.part_at(id);
        let body = part.body.of(message.raw());
        let mut findings = Vec::new();
        let decoded = transfer::decode(part.transfer, body, &mut findings);
        // A charset label counts only on text.
        let charset = message.charset_label(id).filter(|_| part.media.is_text());
        let resolved = charset
            .as_deref()
            .map(|label| Charset::for_label(label, View::Mail));
        // A uuencode label reports the whole body as one block.
        let blocks = match part.transfer {
            TransferEncoding::Uuencode => Vec::new(),
            _ => blocks(&decoded.bytes),
        };
        Self {
            body,
            span: part.body,
            label: part.transfer,
            decoded,
            charset,
            resolved,
            blocks,
            findings,
            armour: OnceCell::new(),
        }
    }

    /// Takes the preamble or epilogue of a multipart, which has neither a transfer encoding nor a label.
    pub(crate) fn outer_text(message: &Message<'a>, span: Span) -> Self {
        let body = span.of(message.raw());
        let label = TransferEncoding::Identity;
        Self {
            body,
            span,
            label,
            decoded: transfer::decode(label, body, &mut Vec::new()),
            charset: None,
            resolved: None,
            blocks: blocks(body),
            findings: Vec::new(),
            armour: OnceCell::new(),
        }
    }

    /// Returns true if an inline PGP block begins in the decoded body or in the encoded one: some signers sign the encoding.
    pub(crate) fn has_armour(&self) -> bool {
        *self.armour.get_or_init(|| {
            has_armour(&self.decoded.bytes)
                || self.decoded.used != TransferEncoding::Identity && has_armour(self.body)
        })
    }

    /// Returns true if the transfer encoding had a finding of this kind.
    pub(crate) fn has(&self, kind: EventKind) -> bool {
        self.findings.iter().any(|finding| finding.kind == kind)
    }

    /// Returns the places in the message that these ranges of decoded bytes came from. They may be in any order and overlap.
    pub(super) fn places(&self, ranges: &[Range<usize>]) -> Vec<Span> {
        let places = transfer::locate_any(self.decoded.used, self.body, ranges);
        places.iter().map(|place| self.span.at(place)).collect()
    }

    /// Returns the place in the message that a range of decoded bytes came from.
    pub(super) fn place(&self, range: &Range<usize>) -> Span {
        let places = self.places(std::slice::from_ref(range));
        places.first().copied().unwrap_or(self.span)
    }

    /// Returns true if plain text stands before or behind the encoded body.
    pub(crate) fn has_text_around(&self) -> bool {
        self.decoded.footer.is_some() || self.decoded.banner.is_some()
    }

    /// Returns plain text that was appended after the encoded body.
    pub(crate) fn footer(&self) -> Option<&'a [u8]> {
        self.decoded
            .footer
            .as_ref()
            .map(|range| &self.body[range.clone()])
    }
}

/// Returns true if an inline PGP block begins in a text.
pub(crate) fn has_armour(text: &[u8]) -> bool {
    static BEGIN: TextFinder = TextFinder::new(b"-----BEGIN PGP ", [4, 5]);
    BEGIN.find(text).is_some()
}
