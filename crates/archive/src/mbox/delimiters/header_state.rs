//! Reads the fields of a header that say whether its body is a multipart, a message, base64 data or a mailbox.
//!
//! # Limits
//! The first Content-Type and the first Content-Transfer-Encoding count.

use super::line::{begins_with, embeds, field, is_data, names_mailbox};

/// State of a header that is being read.
#[derive(Clone, Copy, Default)]
pub(super) struct HeaderState {
    /// True if the first byte of the current line was examined.
    pub(super) in_line: bool,
    /// The declaration of the current field, if it is a Content-Type.
    pub(super) content_type: DeclaredType,
    /// True if the type is an embedded message.
    pub(super) embeds: bool,
    /// True if the first Content-Type says that the body is data, not lines of text.
    pub(super) is_data: Option<bool>,
    /// True if the first Content-Transfer-Encoding is base64.
    pub(super) is_base64: Option<bool>,
    /// True if the current field is Content-Type or Content-Disposition.
    pub(super) may_name: bool,
    /// True if one of these fields names a mailbox.
    pub(super) names_mailbox: bool,
}

impl HeaderState {
    /// Reads a field whose name begins with `C`. `is_part` means that this is the header of a part, which may name a file.
    pub(super) fn take_field(&mut self, line: &[u8], is_part: bool) {
        self.content_type = DeclaredType::Other;
        let content_type = field(line, b"content-type");
        self.may_name = content_type.is_some() || field(line, b"content-disposition").is_some();
        if is_part {
            self.take_name(line);
        }
        if let Some(value) = content_type {
            self.take_type(value);
        } else if let Some(value) = field(line, b"content-transfer-encoding") {
            let is_base64 = begins_with(value, b"base64");
            self.is_base64.get_or_insert(is_base64);
        }
    }

    /// Reads the value of a Content-Type field, or the part of it on this line.
    pub(super) fn take_type(&mut self, value: &[u8]) {
        self.content_type = match value.get(..b"multipart/".len()) {
            Some(start) if start.eq_ignore_ascii_case(b"multipart/") => DeclaredType::Multipart,
            _ if matches!(value.first(), None | Some(b'\r' | b'\n')) => DeclaredType::Awaited,
            _ => DeclaredType::Other,
        };
        self.embeds |= embeds(value);
        if self.content_type != DeclaredType::Awaited {
            self.is_data.get_or_insert_with(|| is_data(value));
        }
    }

    /// Checks whether a line names a mailbox.
    pub(super) fn take_name(&mut self, line: &[u8]) {
        if self.may_name {
            let end = memchr::memchr2(b'\n', b'\r', line).unwrap_or(line.len());
            self.names_mailbox |= names_mailbox(&line[..end]);
        }
    }
}

/// Declaration of a Content-Type field.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum DeclaredType {
    /// Nothing relevant, or another field.
    #[default]
    Other,
    /// The type follows on the next line.
    Awaited,
    Multipart,
}
