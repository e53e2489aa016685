//! The texts and header values that are converted, and the files that hold them.
//!
//! # Limits
//! A text has only characters that the charset and all contenders know and map alike.

use crate::contender::{Contender, rivals};
use crate::mime;
use crate::text::{
    self,
    Language::{self, Chinese, English, French, Japanese, Korean, Mostly, Russian},
};
use mailglot_codec::{Charset, LossLog, Mode, Unmappable, View};
use std::fs;
use std::io;
use std::process::ExitCode;

/// Writes an input. `text CHARSET LANGUAGE BYTES FILE` writes a text in a charset to `FILE`, and the same text in UTF-8 to `FILE.utf-8`.
/// `values FILE` writes the header values, each with NUL at its end.
pub fn write(words: &[&str]) -> ExitCode {
    let result = match *words {
        ["text", label, language, size, file] => text_files(label, language, size, file),
        ["values", file] => fs::write(file, mime::values_with_nul()),
        _ => Err(io::Error::other("usage: text CHARSET LANGUAGE BYTES FILE, or values FILE")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", words.join(" "));
            ExitCode::from(2)
        }
    }
}

fn text_files(label: &str, language: &str, size: &str, file: &str) -> io::Result<()> {
    let language = language_named(language).ok_or_else(|| io::Error::other("unknown language"))?;
    let size = crate::bytes(size).ok_or_else(|| io::Error::other("not a size"))?;
    let charset = charset(label);
    let text = strict_text(charset, &rivals(label).0, language, size * 2);
    let (bytes, text) = cut(charset, &text, size);
    fs::write(file, bytes)?;
    fs::write(format!("{file}.utf-8"), text)
}

fn language_named(name: &str) -> Option<Language> {
    Some(match name {
        "English" => English,
        "mostly-ASCII" => Mostly,
        "French" => French,
        "Russian" => Russian,
        "Japanese" => Japanese,
        "Chinese" => Chinese,
        "Korean" => Korean,
        _ => return None,
    })
}

/// The charset that a label names in mail.
pub fn charset(label: &str) -> Charset {
    Charset::for_label(label.as_bytes(), View::Mail).charset().unwrap_or(Charset::UTF_8)
}

/// A text of about `size` bytes in a charset.
pub fn encoded(charset: Charset, contenders: &[Contender], language: Language, size: usize) -> Vec<u8> {
    let text = text_for(charset, contenders, language, size * 3);
    cut(charset, &text, size).0
}

/// The beginning of a text that has about `size` bytes in a charset, in that charset and in UTF-8. It ends at the end of a line.
fn cut(charset: Charset, text: &str, size: usize) -> (Vec<u8>, &str) {
    let bytes = encode(charset, text);
    if bytes.len() <= size {
        return (bytes, text);
    }
    let share = text.len() as u64 * size as u64 / bytes.len() as u64;
    let end = text.as_bytes()[..share as usize].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    (encode(charset, &text[..end]), &text[..end])
}

/// Returns a text whose characters the charset and all contenders have.
pub fn text_for(charset: Charset, contenders: &[Contender], language: Language, len: usize) -> String {
    text::write(language, len, |c| fits(charset, contenders, language, c))
}

/// Like `text_for`, without characters that only the superset has. Mail is read by the superset.
fn strict_text(charset: Charset, contenders: &[Contender], language: Language, len: usize) -> String {
    text::write(language, len, |c| {
        fits(charset, contenders, language, c) && {
            let mut utf8 = [0; 4];
            let text = &*c.encode_utf8(&mut utf8);
            let mut log = LossLog::new();
            let mut decoder = charset.new_decoder(Mode::Strict);
            let mut decoded = String::new();
            decoder.push(&encode(charset, text), &mut decoded, &mut log);
            decoder.finish(&mut decoded, &mut log);
            log.is_empty() && decoded == text
        }
    })
}

/// Whether the charset has a character, and all contenders read it alike.
fn fits(charset: Charset, contenders: &[Contender], language: Language, c: char) -> bool {
    // Ordinary text has no characters of JIS X 0212, which EUC-JP encodes in three bytes.
    let plain = |c: char| language != Japanese || encode(Charset::SHIFT_JIS, &c.to_string()) != b"?";
    let mut utf8 = [0; 4];
    let text = &*c.encode_utf8(&mut utf8);
    let mut log = LossLog::new();
    let bytes = charset.encode(text, Unmappable::Skip, &mut log);
    log.is_empty() && plain(c) && contenders.iter().all(|contender| (contender.decode)(&bytes) == text)
}

/// Encodes a text; a question mark stands for what the charset lacks.
pub fn encode(charset: Charset, text: &str) -> Vec<u8> {
    charset.encode(text, Unmappable::QuestionMark, &mut LossLog::new()).into_owned()
}
