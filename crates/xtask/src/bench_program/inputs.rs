//! The inputs: texts in each charset, header values, mailboxes, one message. They lie below the target folder.
//!
//! # Limits
//!
//! Texts and header values are written anew by each call; mailboxes are kept while their generator is unchanged.

use crate::run::checked;
use crate::workshop::mailbox_of;
use anyhow::Context;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes of each text, unless mailboxes are smaller.
const TEXT: u64 = 30_000_000;
/// Bytes of the message that is decoded by itself.
const MESSAGE: std::ops::RangeInclusive<usize> = 3_500..=4_500;
/// Seed of the mailboxes.
const SEED: &str = "21";

/// Makes the inputs.
pub(super) struct Inputs {
    /// Where texts and outputs go.
    pub(super) folder: PathBuf,
    /// The program of the rivals, which writes texts and header values.
    pub(super) rivals: PathBuf,
    /// The generator of mailboxes.
    pub(super) generator: PathBuf,
    /// Size of each mailbox: bytes, or with K, M or G.
    pub(super) size: String,
}

/// Who generates a mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The project's generator, with 15 % of the parts flawed.
    Flawed,
    /// The project's generator, without flaws.
    Clean,
    /// `gen_mbox.py` of the shared material.
    Shared,
}

impl Source {
    /// What the names of rows end with.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::Flawed => "",
            Self::Clean => ", clean mail",
            Self::Shared => ", gen_mbox.py",
        }
    }
}

impl Inputs {
    /// Writes a text in a charset, and the same in UTF-8; returns both paths.
    pub(super) fn text(&self, label: &str, language: &str) -> anyhow::Result<(PathBuf, PathBuf)> {
        let file = self.folder.join(format!("{label}-{language}.txt"));
        let size = bytes(&self.size)
            .with_context(|| format!("not a size: {}", self.size))?
            .min(TEXT);
        checked(
            Command::new(&self.rivals)
                .args(["text", label, language, &size.to_string()])
                .arg(&file),
        )?;
        let utf8 = self.folder.join(format!("{label}-{language}.txt.utf-8"));
        Ok((file, utf8))
    }

    /// Writes 100,000 header values, each with NUL at its end, and the first of them again; returns both paths.
    pub(super) fn values(&self, first: usize) -> anyhow::Result<(PathBuf, PathBuf)> {
        let all = self.folder.join("values");
        checked(Command::new(&self.rivals).arg("values").arg(&all))?;
        let values = fs::read(&all)?;
        let few = values
            .split_inclusive(|byte| *byte == 0)
            .take(first)
            .flatten()
            .copied()
            .collect::<Vec<u8>>();
        let path = self.folder.join("first-values");
        fs::write(&path, few)?;
        Ok((all, path))
    }

    /// Generates a mailbox of the size that was asked for. Returns None if the shared material is not named.
    pub(super) fn mailbox(&self, source: Source, profile: &str) -> anyhow::Result<Option<PathBuf>> {
        self.mailbox_of_size(source, profile, &self.size)
            .map(Some)
            .or_else(|error| {
                if source == Source::Shared && env::var_os("MAILGLOT_SHARED").is_none() {
                    Ok(None)
                } else {
                    Err(error)
                }
            })
    }

    /// Generates a mailbox of another size.
    pub(super) fn mailbox_of_size(
        &self,
        source: Source,
        profile: &str,
        size: &str,
    ) -> anyhow::Result<PathBuf> {
        let common = ["--profile", profile, "--size", size, "--seed", SEED];
        let (program, words, name) = match source {
            Source::Flawed => (self.generator.clone(), ["--flaws", "many"], "flawed"),
            Source::Clean => (self.generator.clone(), ["--flaws", "none"], "clean"),
            Source::Shared => {
                let shared =
                    env::var_os("MAILGLOT_SHARED").context("MAILGLOT_SHARED is not set")?;
                let script = Path::new(&shared).join("tools/gen_mbox.py");
                (script, ["--format", "mboxrd"], "shared")
            }
        };
        let name = format!("{profile}-{name}-{SEED}-{size}.mbox");
        mailbox_of(&program, &name, &[&common[..], &words[..]].concat())
    }

    /// Takes one message of 4 KB from a mailbox and writes it as a mailbox of its own.
    pub(super) fn message(&self, mailbox: &Path) -> anyhow::Result<PathBuf> {
        let bytes = fs::read(mailbox)?;
        let message = one_message(&bytes).context("no message of 4 KB is in the mailbox")?;
        let path = self.folder.join("message.mbox");
        fs::write(&path, message)?;
        Ok(path)
    }

    /// Writes a small file.
    pub(super) fn small(&self, name: &str, bytes: &[u8]) -> anyhow::Result<PathBuf> {
        let path = self.folder.join(name);
        fs::write(&path, bytes)?;
        Ok(path)
    }
}

/// Returns the first message of about 4 KB, with its separator line.
fn one_message(mailbox: &[u8]) -> Option<&[u8]> {
    let mut starts = vec![0];
    for (at, window) in mailbox.windows(7).enumerate() {
        if window == b"\n\nFrom " {
            starts.push(at + 2);
        }
    }
    starts.push(mailbox.len());
    starts
        .windows(2)
        .map(|pair| &mailbox[pair[0]..pair[1]])
        .find(|message| MESSAGE.contains(&message.len()))
}

/// A number of bytes, or with K, M, G (powers of ten).
fn bytes(size: &str) -> Option<u64> {
    let digits = size.trim_end_matches(['K', 'M', 'G']);
    let unit = match &size[digits.len()..] {
        "" => 1,
        "K" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_unit() {
        assert_eq!(bytes("30M"), Some(30_000_000));
        assert_eq!(bytes("7"), Some(7));
        assert_eq!(bytes("7KK"), None);
        assert_eq!(bytes("M"), None);
    }

    #[test]
    fn the_message_is_cut_at_separators() {
        let mut mailbox = b"From a\nSubject: x\n\nshort\n\n".to_vec();
        let start = mailbox.len();
        mailbox.extend_from_slice(b"From b\n\n");
        mailbox.extend_from_slice(&[b'x'; 4000]);
        let end = mailbox.len() + 2;
        mailbox.extend_from_slice(b"\n\nFrom c\n\nshort\n");
        assert_eq!(one_message(&mailbox), Some(&mailbox[start..end]));
        assert_eq!(one_message(b"From a\n\nshort\n"), None);
    }
}
