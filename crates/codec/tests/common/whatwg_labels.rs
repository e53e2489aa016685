//! Labels of the WHATWG's encodings, one for each.
//!
//! # Limits
//!
//! Leaves out UTF-8, UTF-16, the Hebrew encodings, ISO-2022-JP, replacement and x-user-defined.

/// Encodings of one byte a character.
pub(crate) const SINGLE_BYTE: [&str; 26] = [
    "ibm866",
    "iso-8859-2",
    "iso-8859-3",
    "iso-8859-4",
    "iso-8859-5",
    "iso-8859-6",
    "iso-8859-7",
    "iso-8859-10",
    "iso-8859-13",
    "iso-8859-14",
    "iso-8859-15",
    "iso-8859-16",
    "koi8-r",
    "koi8-u",
    "macintosh",
    "windows-874",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "x-mac-cyrillic",
];

/// Encodings of several bytes a character, without shifts.
pub(crate) const MULTI_BYTE: [&str; 6] =
    ["gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr"];
