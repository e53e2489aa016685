//! The words of errors: what failed, on which path, and the option or command that helps.
//!
//! # Limits
//!
//! Errors of the gateway have words of their own (docs/outcomes.md).

use crate::shell_words::quoted;
use mailglot_archive::ledger::LedgerError;
use mailglot_archive::{Error as FileError, ErrorKind, Packing};
use mailglot_pipeline::{Error, LedgerFaultKind, MessageAddress, MessageChoice, PartsFault};
use std::io::ErrorKind::NotFound;
use std::path::Path;

/// What a command advises if its output exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfExists {
    /// `--force`, or another name.
    Force,
    /// Another name.
    OtherName,
}

/// Words an error of a job.
pub(crate) fn of_job(error: &Error, if_exists: IfExists) -> String {
    match error {
        Error::Input(error) | Error::Output(error) => of_file(error, if_exists),
        Error::Ledger(fault) => {
            let not_a_ledger = matches!(
                fault.kind,
                LedgerFaultKind::Unreadable(LedgerError::NotALedger)
            );
            let advice = if not_a_ledger {
                "; name the ledger that `mailglot normalize` wrote (NORMALIZED.ledger)"
            } else {
                ""
            };
            format!("{error}{advice}")
        }
        Error::Parts(error) => format!("{error}{}", of_parts(&error.fault)),
        _ => error.to_string(),
    }
}

/// Returns what to do about a plan or parts that cannot be used.
fn of_parts(fault: &PartsFault) -> &'static str {
    match fault {
        PartsFault::NotAPlan(_) => "; make one with `mailglot plan`",
        PartsFault::OtherJob(_) => {
            "; repeat the command as it was, or make a new plan (with --resume: remove the folder to begin anew)"
        }
        PartsFault::Taken => "; choose another name with -o",
        PartsFault::Missing {
            has_output: true, ..
        } => "; run each with `mailglot run PLAN --split N -o OUTPUT --force`, since OUTPUT exists",
        PartsFault::Missing { .. } => "; run each with `mailglot run PLAN --split N -o OUTPUT`",
        PartsFault::NotContinued(_) => "; remove the folder to begin anew",
        PartsFault::NotAFolder => "; move it away, or choose another name with -o",
        PartsFault::Damaged(_) => "; remove its folder, and run its split again",
        _ => "",
    }
}

/// Words an error of a file or folder.
pub(crate) fn of_file(error: &FileError, if_exists: IfExists) -> String {
    let path = error.path();
    let advice = match error.kind() {
        ErrorKind::NoHeader => "; --force-format reads it as a message".to_owned(),
        ErrorKind::NotRead(packing) => conversion(*packing, path),
        ErrorKind::StoreInStream(_) => {
            "; unpack it to a file, and give the name of that file".to_owned()
        }
        ErrorKind::LargeDictionary => {
            format!(
                "; pipe the content in: {} | mailglot … -",
                command("xz -dc", path)
            )
        }
        ErrorKind::Special(_) => {
            "; give its bytes on standard input: mailglot … - < FILE".to_owned()
        }
        ErrorKind::Exists => match if_exists {
            IfExists::Force => {
                "; use --force to replace it, or choose another name with -o".to_owned()
            }
            IfExists::OtherName => "; choose another name with -o".to_owned(),
        },
        ErrorKind::IsFolder => match if_exists {
            IfExists::Force => "; give the name of a file, or --to eml or --to maildir with the name of a new folder".to_owned(),
            IfExists::OtherName => "; give the name of a file with -o".to_owned(),
        },
        ErrorKind::TemporaryFolder { .. } => "; name another folder in the variable TMPDIR".to_owned(),
        ErrorKind::NotFolder => "; give the name of a new folder with -o".to_owned(),
        ErrorKind::TrailingSlash => "; leave out the slash, or use --to eml for a folder".to_owned(),
        ErrorKind::HoldsMoreThanMail => "; remove the folder yourself".to_owned(),
        ErrorKind::Stream => "; write to another path".to_owned(),
        ErrorKind::NoParent => "; create it first".to_owned(),
        ErrorKind::Io(error) if error.kind() == NotFound && is_address(path) => {
            "; `mailglot cat` and `mailglot inspect` accept the address of a message".to_owned()
        }
        _ => String::new(),
    };
    format!("{error}{advice}")
}

/// Returns true for an address such as `list.mbox:17` whose archive exists.
fn is_address(path: &Path) -> bool {
    let address = MessageAddress::parse(path.as_os_str());
    address.choice != MessageChoice::All && address.path.exists()
}

/// Returns how to read a file in a form that is not read.
fn conversion(packing: Packing, path: &Path) -> String {
    let tool = match packing {
        Packing::Gzip | Packing::Compress => "gzip -dc",
        Packing::Zstd => "zstd -dc",
        Packing::Bzip2 => "bzip2 -dc",
        Packing::Xz => "xz -dc",
        Packing::Lz4 => "lz4 -dc",
        Packing::Utf16 => "mailglot convert -f utf-16 -t utf-8",
        // Only a stream: the members of a file are read.
        Packing::Zip | Packing::Tar => {
            return " in a stream; write it to a file, and give its name".to_owned();
        }
        _ => return String::new(),
    };
    format!(
        "; pipe the content in: {} | mailglot … -",
        command(tool, path)
    )
}

/// Returns a command with the path of the file that it reads, as words of a shell.
fn command(tool: &str, path: &Path) -> String {
    if path == Path::new("-") {
        tool.to_owned()
    } else {
        format!("{tool} {}", quoted(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_archive::Operation;

    #[test]
    fn errors_name_the_path_the_reason_and_what_helps() {
        let words = |path: &str, kind: ErrorKind| {
            let error = FileError::new(path, Operation::Read, kind);
            of_file(&error, IfExists::Force)
        };
        assert_eq!(
            words("box.Z", ErrorKind::NotRead(Packing::Compress)),
            "box.Z: compressed with compress, which is not supported; pipe the content in: gzip -dc box.Z | mailglot … -"
        );
        for (path, kind, command) in [
            (
                "a b;id.Z",
                ErrorKind::NotRead(Packing::Compress),
                "gzip -dc 'a b;id.Z' | mailglot … -",
            ),
            (
                "$(id).xz",
                ErrorKind::LargeDictionary,
                "xz -dc '$(id).xz' | mailglot … -",
            ),
            (
                "-rf.xz",
                ErrorKind::LargeDictionary,
                "xz -dc ./-rf.xz | mailglot … -",
            ),
        ] {
            let advice = words(path, kind);
            assert!(advice.ends_with(&format!(": {command}")), "{advice}");
        }
        assert_eq!(
            words("-", ErrorKind::NotRead(Packing::Zip)),
            "-: a zip archive, which is not supported in a stream; write it to a file, and give its name"
        );
        assert_eq!(
            words("out", ErrorKind::IsFolder),
            "out: a folder of this name exists, but a file is to be written; give the name of a file, or --to eml or --to maildir \
             with the name of a new folder"
        );
        let missing = || ErrorKind::Io(NotFound.into());
        assert!(
            words("Cargo.toml:1", missing()).ends_with(
                "; `mailglot cat` and `mailglot inspect` accept the address of a message"
            )
        );
        assert!(!words("none.mbox:1", missing()).contains("address"));
        assert_eq!(
            words("out.mbox", ErrorKind::Exists),
            "out.mbox: already exists; use --force to replace it, or choose another name with -o"
        );
        assert!(
            words("notes", ErrorKind::NoHeader).ends_with("--force-format reads it as a message")
        );
    }
}
