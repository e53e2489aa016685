//! Tests the adapters with readers and writers that return little, stop, and fail.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may fail by panic"
)]

use super::{DecodeReader, DecodeWriter, EncodeWriter};
use crate::charset::Charset;
use crate::encoder::Unmappable;
use crate::loss::LossLog;
use crate::mode::Mode;
use std::collections::VecDeque;
use std::io::{BufRead, Error, ErrorKind, Read, Result, Write};

/// Gives one byte a time, and an interruption or a fault before every third.
struct Grudging<'a> {
    bytes: &'a [u8],
    calls: usize,
    fault: ErrorKind,
}

impl Grudging<'_> {
    fn may(&mut self) -> Result<()> {
        self.calls += 1;
        if self.calls.is_multiple_of(3) {
            Err(self.fault.into())
        } else {
            Ok(())
        }
    }
}

impl Read for Grudging<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        self.may()?;
        let Some((first, rest)) = self.bytes.split_first() else {
            return Ok(0);
        };
        out[0] = *first;
        self.bytes = rest;
        Ok(1)
    }
}

/// Takes what the script allows: a number of bytes, or an error.
struct Scripted {
    taken: Vec<u8>,
    script: VecDeque<Result<usize>>,
}

impl Write for Scripted {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let n = self
            .script
            .pop_front()
            .unwrap_or(Ok(bytes.len()))?
            .min(bytes.len());
        self.taken.extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

const TEXT: &str = "Grüße, 日本語 \u{1F600} — +x~\r\nnext 한글 и кириллица\n";

#[test]
fn readers_give_what_decoding_gives() {
    for charset in Charset::all() {
        let mut bytes = charset
            .encode(TEXT, Unmappable::QuestionMark, &mut LossLog::new())
            .into_owned();
        bytes.extend(b"\xFF\x81\x1b$B$");
        let mut log = LossLog::new();
        let expected = charset.decode(&bytes, &mut log).into_owned();
        let new = |fault| {
            let source = Grudging {
                bytes: &bytes,
                calls: 0,
                fault,
            };
            DecodeReader::new(source, charset.new_decoder(Mode::Lenient))
        };
        // read_to_end goes on after interruptions by itself.
        let mut reader = new(ErrorKind::Interrupted);
        let mut text = Vec::new();
        reader.read_to_end(&mut text).unwrap();
        assert_eq!(
            (&text[..], reader.log()),
            (expected.as_bytes(), &log),
            "{charset}"
        );
        // A fault is passed on, and nothing is lost by it.
        let mut reader = new(ErrorKind::TimedOut);
        let (mut text, mut faults) = (Vec::new(), 0);
        loop {
            let mut small = [0; 2];
            match reader.read(&mut small) {
                Ok(0) => break,
                Ok(n) => text.extend_from_slice(&small[..n]),
                Err(e) => {
                    assert_eq!(e.kind(), ErrorKind::TimedOut);
                    faults += 1;
                }
            }
        }
        assert_eq!(
            (&text[..], reader.into_parts().1),
            (expected.as_bytes(), log),
            "{charset}"
        );
        // A charset of signs alone wrote next to nothing.
        assert!(faults > 10 || !charset.is_ascii_compatible(), "{charset}");
    }
}

#[test]
fn a_buffered_reader_cuts_no_character_and_reads_lines() {
    let bytes = Charset::ISO_2022_JP.encode(TEXT, Unmappable::QuestionMark, &mut LossLog::new());
    let mut reader = DecodeReader::new(&bytes[..], Charset::ISO_2022_JP.new_decoder(Mode::Lenient))
        .with_log(LossLog::with_limit(1));
    assert!(std::str::from_utf8(reader.fill_buf().unwrap()).is_ok());
    let lines: Vec<String> = reader.lines().map(Result::unwrap).collect();
    assert_eq!(lines, ["Gr??e, 日本語 ? ― +x~", "next ?? и кириллица"]);
}

#[test]
fn long_input_goes_through_in_blocks() {
    let text = TEXT.repeat(2000);
    let bytes = Charset::UTF_16LE
        .encode_exact(&text)
        .expect("the charset has every character");
    let mut reader = DecodeReader::new(&bytes[..], Charset::UTF_16LE.new_decoder(Mode::Lenient));
    let mut read = String::new();
    reader.read_to_string(&mut read).unwrap();
    assert!(read == text);
    let mut writer = DecodeWriter::new(Vec::new(), Charset::UTF_16LE.new_decoder(Mode::Lenient));
    writer.write_all(&bytes).unwrap();
    assert!(writer.finish().unwrap().0 == text.as_bytes());
    let mut writer = EncodeWriter::new(Vec::new(), Charset::UTF_16LE.new_encoder(Unmappable::Skip));
    for piece in text.as_bytes().chunks(777) {
        writer.write_all(piece).unwrap();
    }
    assert!(writer.finish().unwrap().0 == *bytes);
}

#[test]
fn writers_give_what_encoding_and_decoding_give() {
    for charset in Charset::all() {
        let mut log = LossLog::new();
        let bytes = charset
            .encode(TEXT, Unmappable::HtmlDecimal, &mut log)
            .into_owned();
        let mut writer =
            EncodeWriter::new(Vec::new(), charset.new_encoder(Unmappable::HtmlDecimal));
        for byte in TEXT.as_bytes() {
            writer.write_all(std::slice::from_ref(byte)).unwrap();
        }
        assert_eq!(writer.finish().unwrap(), (bytes.clone(), log), "{charset}");

        let mut log = LossLog::new();
        let text = charset.decode(&bytes, &mut log).into_owned();
        let mut writer = DecodeWriter::new(Vec::new(), charset.new_decoder(Mode::Lenient));
        for byte in &bytes {
            writer.write_all(std::slice::from_ref(byte)).unwrap();
            writer.flush().unwrap();
        }
        assert_eq!(writer.log().losses(), log.losses());
        assert_eq!(
            writer.finish().unwrap(),
            (text.into_bytes(), log),
            "{charset}"
        );
    }
}

#[test]
fn a_writer_that_fails_gets_nothing_twice() {
    let script = || {
        VecDeque::from([
            Ok(1),
            Err(Error::from(ErrorKind::Interrupted)),
            Err(Error::from(ErrorKind::TimedOut)),
            Ok(2),
            Err(Error::from(ErrorKind::StorageFull)),
        ])
    };
    let sink = Scripted {
        taken: Vec::new(),
        script: script(),
    };
    let mut writer = EncodeWriter::new(sink, Charset::KOI8_R.new_encoder(Unmappable::Skip));
    writer.write_all("привет".as_bytes()).unwrap();
    assert_eq!(writer.flush().unwrap_err().kind(), ErrorKind::TimedOut);
    writer.write_all("!".as_bytes()).unwrap();
    assert_eq!(writer.flush().unwrap_err().kind(), ErrorKind::StorageFull);
    let expected = Charset::KOI8_R
        .encode_exact("привет!")
        .expect("the charset has every character")
        .into_owned();
    assert_eq!(writer.finish().unwrap().0.taken, expected);

    let sink = Scripted {
        taken: Vec::new(),
        script: VecDeque::from([Ok(0)]),
    };
    let mut writer = DecodeWriter::new(sink, Charset::KOI8_R.new_decoder(Mode::Lenient));
    writer.write_all(b"x").unwrap();
    assert_eq!(writer.flush().unwrap_err().kind(), ErrorKind::WriteZero);
    assert_eq!(writer.finish().unwrap().0.taken, b"x");
}

#[test]
fn what_is_no_utf8_is_an_error_at_its_place() {
    let new = || {
        EncodeWriter::new(
            Vec::new(),
            Charset::WINDOWS_1252.new_exact_encoder(Mode::Lenient),
        )
    };
    for (pieces, at) in [
        (&[&b"ab\xFFc"[..]][..], 2),
        (&[b"\xC3", b"x"], 0),
        (&[b"a\xE2\x82", b"\xAC\xE2", b"("], 4),
        (&[b"a\xE2", b"\x82", b"\xE2"], 1),
    ] {
        let mut writer = new();
        let fault = pieces
            .iter()
            .find_map(|piece| writer.write_all(piece).err())
            .unwrap();
        assert_eq!(fault.kind(), ErrorKind::InvalidData);
        assert_eq!(
            fault.to_string(),
            format!("no UTF-8 at byte {at}"),
            "{pieces:x?}"
        );
    }
    let mut writer = new();
    writer.write_all(b"ab\xE2\x82").unwrap();
    assert_eq!(
        writer.finish().unwrap_err().to_string(),
        "no UTF-8 at byte 2"
    );

    let mut writer = new();
    assert_eq!(
        writer.write_all("x日".as_bytes()).unwrap_err().kind(),
        ErrorKind::InvalidData
    );
    assert_eq!(writer.log().kept()[0].bytes, 1..4);
    assert_eq!(writer.finish().unwrap().0, b"x");
}
