//! The programs that decode, behind one kind of function: bytes in, a text out.
//!
//! # Limits
//! iconv and ICU write into a fresh buffer whose size they do not have to find out.

use mailglot_codec::{Charset, LossLog};
use std::borrow::Cow;
use std::ffi::{CString, c_char, c_void};

type Decode = Box<dyn for<'a> Fn(&'a [u8]) -> Cow<'a, str>>;

/// One program in one charset.
pub struct Contender {
    pub name: &'static str,
    pub decode: Decode,
}

impl Contender {
    fn new(name: &'static str, decode: impl for<'a> Fn(&'a [u8]) -> Cow<'a, str> + 'static) -> Self {
        Self { name, decode: Box::new(decode) }
    }

    /// Ourselves, with the log of losses that every caller gets.
    pub fn ours(charset: Charset) -> Self {
        Self::new("mailglot", move |bytes| {
            let mut log = LossLog::new();
            charset.decode(bytes, &mut log)
        })
    }

    pub fn encoding_rs(label: &str) -> Option<Self> {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes())?;
        Some(Self::new("encoding_rs", |bytes| encoding.decode_without_bom_handling(bytes).0))
    }
}

/// The rivals that know a charset, and a line for each that does not.
pub fn rivals(label: &str) -> (Vec<Contender>, Vec<String>) {
    let all = [
        ("encoding_rs", Contender::encoding_rs(label)),
        ("mail-parser", mail_parser(label)),
        ("encodify", encodify(label)),
        ("iconv", iconv(label)),
        ("ICU", icu(label)),
    ];
    let mut known = Vec::new();
    let mut missing = Vec::new();
    for (name, contender) in all {
        match contender {
            Some(contender) => known.push(contender),
            None if name == "ICU" && !cfg!(icu) => missing.push(format!("{label}: ICU: not installed")),
            None => missing.push(format!("{label}: {name}: not known there")),
        }
    }
    (known, missing)
}

/// The validators of UTF-8; the first is the one that is measured against.
pub fn validators() -> Vec<Contender> {
    vec![
        Contender::new("simdutf8", |bytes| {
            simdutf8::basic::from_utf8(bytes).map_or(Cow::Borrowed(""), Cow::Borrowed)
        }),
        Contender::new("std", |bytes| std::str::from_utf8(bytes).map_or(Cow::Borrowed(""), Cow::Borrowed)),
    ]
}

fn mail_parser(label: &str) -> Option<Contender> {
    let charset = mail_parser::Charset::from_label(label.as_bytes())?;
    Some(Contender::new("mail-parser", move |bytes| charset.decode(bytes)))
}

fn encodify(label: &str) -> Option<Contender> {
    (label == "UTF-7")
        .then(|| Contender::new("encodify", |bytes| encodify::utf7::MAIL.decode_lossy(bytes).into()))
}

/// Decodes a header value with encodify, which knows no charsets and gets them from encoding_rs.
pub fn encodify_value(value: &[u8]) -> Cow<'_, str> {
    encodify::rfc2047::decode_text(value, |label, bytes, out| {
        let encoding = encoding_rs::Encoding::for_label(label).unwrap_or(encoding_rs::UTF_8);
        out.push_str(&encoding.decode_without_bom_handling(bytes).0);
    })
}

unsafe extern "C" {
    fn rival_iconv_open(charset: *const c_char) -> *mut c_void;
    fn rival_iconv(converter: *mut c_void, from: *const u8, len: usize, to: *mut u8, room: usize) -> isize;
    #[cfg(icu)]
    fn rival_icu_open(charset: *const c_char) -> *mut c_void;
    #[cfg(icu)]
    fn rival_icu(
        converter: *mut c_void,
        utf8: *mut c_void,
        from: *const u8,
        len: usize,
        to: *mut u8,
        room: usize,
    ) -> isize;
}

fn iconv(label: &str) -> Option<Contender> {
    let label = if label == "GBK" { "GB18030" } else { label };
    let name = CString::new(label).ok()?;
    // SAFETY: the name ends in NUL.
    let converter = unsafe { rival_iconv_open(name.as_ptr()) };
    (!converter.is_null()).then(|| {
        Contender::new("iconv", move |bytes| {
            // SAFETY: the lengths are those of the buffers, and the converter lives as long as the program.
            written(bytes, |to, room| unsafe {
                rival_iconv(converter, bytes.as_ptr(), bytes.len(), to, room)
            })
        })
    })
}

#[cfg(icu)]
fn icu(label: &str) -> Option<Contender> {
    let open = |label: &str| {
        let name = CString::new(label).ok()?;
        // SAFETY: the name ends in NUL.
        let converter = unsafe { rival_icu_open(name.as_ptr()) };
        (!converter.is_null()).then_some(converter)
    };
    let (converter, utf8) = (open(label)?, open("UTF-8")?);
    Some(Contender::new("ICU", move |bytes| {
        // SAFETY: as above.
        written(bytes, |to, room| unsafe {
            rival_icu(converter, utf8, bytes.as_ptr(), bytes.len(), to, room)
        })
    }))
}

#[cfg(not(icu))]
fn icu(_: &str) -> Option<Contender> {
    None
}

/// The text that a converter writes into room of three times the input.
fn written(bytes: &[u8], convert: impl FnOnce(*mut u8, usize) -> isize) -> Cow<'static, str> {
    let room = bytes.len() * 3 + 64;
    let mut text = Vec::with_capacity(room);
    let Ok(len) = usize::try_from(convert(text.as_mut_ptr(), room)) else { return Cow::Borrowed("") };
    // SAFETY: the converter has written so many bytes, and they are UTF-8, which is what was asked for.
    Cow::Owned(unsafe {
        text.set_len(len);
        String::from_utf8_unchecked(text)
    })
}
