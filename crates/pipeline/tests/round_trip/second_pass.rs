//! Tests that output is read again as the same messages and does not change, with mixed line ends and truncated messages.
//!
//! `MAILGLOT_MAILBOXES` and `MAILGLOT_SEED` (decimal) set the number of mailboxes and the seed.

use crate::{job, run};
use mailglot_archive::Format;
use mailglot_mime::{Policy, Transfer};
use mailglot_pipeline::NormalizeJob;
use std::fs;
use std::path::Path;

/// A small pseudo-random number generator (xorshift64*).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const TYPES: [&str; 5] = [
    "text/plain; charset=iso-8859-1",
    "text/plain; charset=utf-8",
    "text/html; charset=\"windows-1252\"",
    "text/plain; charset=koi8-r; format=flowed",
    "application/octet-stream",
];

const LINES: [&[u8]; 22] = [
    b"words and words",
    b"",
    b"",
    b"d=E9j=E0 vu",
    b"a soft =",
    b"a soft line with blanks= ",
    b"=46rom me to you",
    b">From quoted",
    b"=3D=0D=0A=0D=0Aa=0D=0A",
    b"=0D",
    b"=0A",
    b"blanks at the end=20",
    b"blanks at the end  ",
    b"=C3=A9",
    b"\xe9t\xe9",
    b"\xc3\xa9t\xc3\xa9",
    b"8NLJ18XULCDNydIhCg==",
    b"8NLJ18XULCDNydIh",
    b"8NLJ18XUDQrN",
    b"--b1",
    b"--b1--",
    b"not an escape: =XY =",
];

/// Returns the lines of a mailbox.
fn lines(random: &mut Random) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    for number in 0..=random.below(4) {
        let separator = format!("From s{number}@example.org Mon Jan  1 00:00:0{number} 2001");
        lines.extend([separator, "From: a@example.org".to_owned()].map(String::into_bytes));
        let multipart = random.below(3) == 0;
        if multipart {
            lines.extend(["Content-Type: multipart/mixed; boundary=b1", "", "--b1"].map(Vec::from));
        }
        for part in 0..if multipart { 1 + random.below(2) } else { 1 } {
            if part > 0 {
                lines.push(b"--b1".to_vec());
            }
            if random.below(8) > 0 {
                lines.push([b"Content-Type: ", random.pick(&TYPES).as_bytes()].concat());
            }
            let encoding =
                random.pick(&["quoted-printable", "quoted-printable", "base64", "8bit", ""]);
            if !encoding.is_empty() {
                lines.push([b"Content-Transfer-Encoding: ", encoding.as_bytes()].concat());
            }
            lines.push(Vec::new());
            let only = random.below(LINES.len());
            for _ in 0..random.below(8) {
                let wild = random.below(3) > 0;
                lines.push(
                    if wild {
                        LINES[random.below(LINES.len())]
                    } else {
                        LINES[only]
                    }
                    .to_vec(),
                );
            }
        }
        if multipart && random.below(3) > 0 {
            lines.push(b"--b1--".to_vec());
        }
        lines.push(Vec::new());
    }
    lines
}

fn mixed(random: &mut Random) -> Vec<u8> {
    let ends: [&[u8]; 3] = [b"\n", b"\r\n", b"\r"];
    let usual = random.pick(&[&b"\n"[..], b"\n", b"\r\n", b"\r\n", b"\r"]);
    let others = random.pick(&[2, 5, 20]);
    let line = |line: Vec<u8>, random: &mut Random| {
        let end = if random.below(others) == 0 {
            random.pick(&ends)
        } else {
            usual
        };
        [&line, end].concat()
    };
    lines(random)
        .into_iter()
        .flat_map(|text| line(text, random))
        .collect()
}

/// Describes what a second pass does differently.
fn changed(mailbox: &[u8], transfer: Transfer, folder: &Path) -> Option<String> {
    let at = |name: &str| folder.join(name);
    fs::write(at("in.mbox"), mailbox).unwrap();
    let policy = Policy::default().transfer(transfer);
    let to = |from: &str, name: &str| NormalizeJob {
        to: Some(Format::Mbox),
        policy: policy.clone(),
        force: true,
        ..job(&[at(from)], &at(name))
    };
    let first = run(&to("in.mbox", "once.mbox"));
    let second = run(&to("once.mbox", "twice.mbox"));
    let (once, twice) = (
        fs::read(at("once.mbox")).unwrap(),
        fs::read(at("twice.mbox")).unwrap(),
    );
    let same = (second.messages_in, second.changed) == (first.written, 0) && once == twice;
    (!same).then(|| {
        format!(
            "{transfer:?}: {} messages, then {}\n{}\n{}\n{}",
            first.written,
            second.messages_in,
            mailbox.escape_ascii(),
            once.escape_ascii(),
            twice.escape_ascii()
        )
    })
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a decimal number"))
}

/// Returns a folder in memory if possible, because each pass is synced.
fn scratch() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    }
    .unwrap()
}

#[test]
fn mixed_line_ends_change_only_once() {
    let folder = scratch();
    let mut random = Random(0x5eed ^ number("MAILGLOT_SEED", 1));
    let mut found = Vec::new();
    for _ in 0..number("MAILGLOT_MAILBOXES", 400) {
        let mailbox = mixed(&mut random);
        let transfer = random.pick(&[
            Transfer::Keep,
            Transfer::EightBit,
            Transfer::EightBit,
            Transfer::SevenBit,
        ]);
        found.extend(changed(&mailbox, transfer, folder.path()));
    }
    found.sort_by_key(String::len);
    let shown = found
        .iter()
        .take(3)
        .cloned()
        .collect::<Vec<_>>()
        .join("\n\n");
    assert!(found.is_empty(), "{} of them:\n{shown}", found.len());
}
