//! A row of the tables: the work, the programs that do it, how their outputs compare, and the goal.

use super::invocation::Invocation;
use crate::text_parts;
use anyhow::bail;
use std::fs;
use std::path::PathBuf;

/// A program in a row.
pub(super) struct Entrant {
    pub(super) name: &'static str,
    pub(super) run: Invocation,
    /// Bytes that it reads.
    pub(super) bytes: u64,
    /// The run whose output is compared, if `run` prints nothing that can be.
    shown: Option<Invocation>,
    pub(super) form: Form,
}

impl Entrant {
    pub(super) fn new(name: &'static str, run: Invocation, bytes: u64) -> Self {
        Self {
            name,
            run,
            bytes,
            shown: None,
            form: Form::Json,
        }
    }

    /// Compares the output of another run.
    pub(super) fn shown_by(mut self, run: Invocation, form: Form) -> Self {
        (self.shown, self.form) = (Some(run), form);
        self
    }

    /// Prints the compared programs.
    pub(super) fn output(&self) -> anyhow::Result<Vec<u8>> {
        self.shown.as_ref().unwrap_or(&self.run).output()
    }
}

/// How a program prints text parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As `text --json` does.
    Json,
    /// Number of the message, a tab, the text, NUL.
    Nul,
}

/// What must be equal in the outputs.
pub(super) enum Check {
    /// Every byte.
    Bytes,
    /// The text that the program decodes from a file that holds the output; it is compared with `text`.
    Decoded {
        decode: Invocation,
        file: PathBuf,
        text: PathBuf,
    },
    /// So large a share of the values that NUL ends.
    Values(f64),
    /// So large a share of the text parts.
    Texts(f64),
    /// The first number.
    FirstNumber,
    /// Nothing: the programs do different work, and only their starts compare.
    Nothing,
}

/// What comparing two outputs found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Likeness {
    Same,
    /// This share is equal, which is enough.
    Share(f64),
    /// This share is equal, which is too little.
    Differs(f64),
}

impl Check {
    /// Compares what a rival printed with what the project printed.
    pub(super) fn compare(
        &self,
        ours: &[u8],
        theirs: &[u8],
        form: Form,
    ) -> anyhow::Result<Likeness> {
        match self {
            Self::Nothing => Ok(Likeness::Same),
            Self::Bytes => Ok(likeness(if ours == theirs { 1.0 } else { 0.0 }, 1.0)),
            Self::FirstNumber => {
                let alike = first_number(ours) == first_number(theirs);
                Ok(likeness(if alike { 1.0 } else { 0.0 }, 1.0))
            }
            Self::Decoded { decode, file, text } => {
                if ours == theirs {
                    return Ok(Likeness::Same);
                }
                fs::write(file, theirs)?;
                let decoded = decode
                    .output()
                    .is_ok_and(|decoded| fs::read(text).is_ok_and(|text| text == decoded));
                fs::remove_file(file)?;
                Ok(likeness(if decoded { 1.0 } else { 0.0 }, 1.0))
            }
            Self::Values(least) => Ok(likeness(values_alike(ours, theirs)?, *least)),
            Self::Texts(least) => {
                let ours = text_parts::from_json(ours)?;
                let theirs = match form {
                    Form::Json => text_parts::from_json(theirs)?,
                    Form::Nul => text_parts::from_nul(theirs),
                };
                Ok(likeness(text_parts::share_alike(&ours, theirs), *least))
            }
        }
    }
}

fn likeness(share: f64, least: f64) -> Likeness {
    if share >= 1.0 {
        Likeness::Same
    } else if share >= least {
        Likeness::Share(share)
    } else {
        Likeness::Differs(share)
    }
}

/// Returns the number that an output begins with.
fn first_number(output: &[u8]) -> Option<u64> {
    let digits = output.iter().take_while(|byte| byte.is_ascii_digit());
    String::from_utf8_lossy(&digits.copied().collect::<Vec<u8>>())
        .parse()
        .ok()
}

/// Returns the share of values that are equal. A rival may have read only the first of them.
fn values_alike(ours: &[u8], theirs: &[u8]) -> anyhow::Result<f64> {
    let values = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        bytes
            .split(|byte| *byte == 0)
            .map(|value| value.trim_ascii_end().to_owned())
            .collect()
    };
    let (ours, theirs) = (values(ours), values(theirs));
    if theirs.len() > ours.len() {
        bail!("{} values became {}", ours.len(), theirs.len());
    }
    let alike = ours.iter().zip(&theirs).filter(|(a, b)| a == b).count();
    Ok(alike as f64 / theirs.len() as f64)
}

/// How many times the speed of the best of some rivals is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub(super) ratio: f64,
    /// Names of the rivals; all if empty.
    pub(super) against: &'static [&'static str],
}

/// One kind of work.
pub(super) struct Row {
    pub(super) name: String,
    pub(super) ours: Entrant,
    pub(super) rivals: Vec<Entrant>,
    /// Rivals that are not there, with the reason.
    pub(super) absent: Vec<String>,
    pub(super) check: Check,
    pub(super) goal: Option<Goal>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_that_differ_too_much_do_not_count() {
        let compare = |check: Check, ours: &[u8], theirs: &[u8]| {
            check.compare(ours, theirs, Form::Json).unwrap()
        };
        assert_eq!(compare(Check::Bytes, b"a", b"a"), Likeness::Same);
        assert_eq!(compare(Check::Bytes, b"a", b"b"), Likeness::Differs(0.0));
        let values = |theirs| compare(Check::Values(0.5), b"a\0b\0", theirs);
        assert_eq!(values(b"a\0b \0"), Likeness::Same);
        assert_eq!(values(b"a\0"), Likeness::Same);
        assert_eq!(values(b"a\0c\0"), Likeness::Share(0.5));
        assert_eq!(values(b"c\0c\0"), Likeness::Differs(0.0));
        let count = |theirs| compare(Check::FirstNumber, b"12\ta.mbox\n", theirs);
        assert_eq!(count(b"12\n"), Likeness::Same);
        assert_eq!(count(b"13\n"), Likeness::Differs(0.0));
    }

    #[test]
    fn more_values_than_were_given_are_an_error() {
        assert!(values_alike(b"a\0", b"a\0b\0").is_err());
    }
}
