//! Formats error messages: the failure, its path, and the option or command that helps.
//!
//! # Limits
//!
//! The gateway formats its own errors (docs/outcomes.md).

use crate::shell_words::quoted;
use mailglot_archive::ledger::{LedgerError, Segment};
use mailglot_archive::{BoxDetail, Error as FileError, ErrorKind, Packing};
use mailglot_pipeline::{Error, LedgerFaultKind, MessageAddress, MessageChoice, PartsFault};
use std::fs::File;
use std::io::ErrorKind::NotFound;
use std::io::Read;
use std::path::Path;

/// The advice of a command whose output exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfExists {
    /// `--force`, or another name.
    Force,
    /// Another name.
    OtherName,
}

/// Formats an error of a job.
pub(crate) fn of_job(error: &Error, if_exists: IfExists) -> String {
    match error {
        Error::Input(error) | Error::Output(error) => of_file(error, if_exists),
        Error::Parts(error) => format!("{error}{}", of_parts(&error.fault)),
        Error::Ledger(fault)
            if matches!(
                fault.kind,
                LedgerFaultKind::Unreadable(LedgerError::NotALedger)
            ) =>
        {
            let advice = of_segment(&fault.path)
                .unwrap_or("; name the ledger that `mailglot normalize` wrote (OUTPUT.ledger)");
            format!("{error}{advice}")
        }
        _ => error.to_string(),
    }
}

/// Returns the command that restores from a segment of a gateway, if the file is one.
pub(crate) fn of_segment(path: &Path) -> Option<&'static str> {
    let is_segment = File::open(path).is_ok_and(|file| Segment::open(file).is_ok());
    is_segment.then_some(
        "; it is a segment of a gateway: `mailglot ledger restore --folder FOLDER --queue-id ID -o ORIGINAL` restores a message, and \
         `mailglot ledger find --folder FOLDER` lists all",
    )
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
        PartsFault::Damaged(_) | PartsFault::Cut { .. } => {
            "; remove its folder, and run its split again"
        }
        _ => "",
    }
}

/// Formats an error of a file or folder.
pub(crate) fn of_file(error: &FileError, if_exists: IfExists) -> String {
    let path = error.path();
    let advice = match error.kind() {
        ErrorKind::NoHeader => without_header(path),
        ErrorKind::NoMailFound(None) if path.is_dir() => format!(
            "; in a folder a message is a file named *.eml; name other files themselves: {}",
            files_command(path)
        ),
        ErrorKind::NoMailFound(Some(BoxDetail::LeftPacked {
            packing: Packing::Dbox,
            ..
        })) => DBOX_ADVICE.to_owned(),
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

/// What to do about sdbox and mdbox. The program of the server must export them, because its indexes say which messages are deleted.
const DBOX_ADVICE: &str = "; export the mail first: doveadm backup -u USER maildir:PATH";

/// Most files and folders that are looked at for a hint.
const HINT_ENTRIES: usize = 10_000;

/// Returns the command that reads the files of a folder whose names no known layout uses. The folders of an IMAP server have messages and
/// indexes: Cyrus names messages `1.`, Zimbra `257-4.msg`.
pub(crate) fn files_command(path: &Path) -> String {
    let (mut folders, mut entries, mut has_folder) = (vec![path.to_owned()], 0, false);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            entries += 1;
            if entries > HINT_ENTRIES {
                folders.clear();
                break;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                has_folder = true;
                folders.push(entry.path());
            } else if let Some(pattern) = server_pattern(entry.file_name().as_encoded_bytes()) {
                return find_command(path, &format!(" -name '{pattern}'"));
            }
        }
    }
    if has_folder {
        find_command(path, "")
    } else {
        format!("mailglot … {}/*", quoted(path))
    }
}

/// Returns the pattern of the names of messages in the store of an IMAP server that has this name.
fn server_pattern(name: &[u8]) -> Option<&'static str> {
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if name.strip_suffix(b".").is_some_and(is_number) {
        return Some("[0-9]*.");
    }
    let mut numbers = name.strip_suffix(b".msg")?.splitn(2, |byte| *byte == b'-');
    let is_message = numbers.next().is_some_and(is_number) && numbers.next().is_some_and(is_number);
    is_message.then_some("[0-9]*-[0-9]*.msg")
}

/// Returns a command that reads the files below a folder.
fn find_command(path: &Path, condition: &str) -> String {
    format!(
        "find {} -type f{condition} -print0 | mailglot … --files0-from -",
        quoted(path)
    )
}

/// Returns true for an address such as `list.mbox:17` whose archive exists.
fn is_address(path: &Path) -> bool {
    let address = MessageAddress::parse(path.as_os_str());
    address.choice != MessageChoice::All && address.path.exists()
}

/// Returns what to do about a file without a header. As a message, a packed file or one of Outlook would be one of random text.
fn without_header(path: &Path) -> String {
    match advice_by_start(path) {
        Some((format, advice)) => format!("; it is {format}: {advice}"),
        None => "; --force-format reads it as a message".to_owned(),
    }
}

/// Returns what to do about a file in a folder that may be mail in another format. The message names the format.
pub(crate) fn not_read_advice(path: &Path) -> String {
    let packing = beginning(path).and_then(|start| Packing::of(&start));
    if let Some(packing) = packing {
        return conversion(packing, path);
    }
    advice_by_start(path).map_or_else(String::new, |(_, advice)| format!("; {advice}"))
}

/// Returns the first bytes of a file, unless it has fewer.
fn beginning(path: &Path) -> Option<[u8; 8]> {
    let mut start = [0; 8];
    let is_file = std::fs::metadata(path).is_ok_and(|there| there.is_file());
    let mut file = is_file.then(|| File::open(path).ok()).flatten()?;
    file.read_exact(&mut start).ok()?;
    Some(start)
}

/// Returns the format of a file of another program, and what to do about it.
fn advice_by_start(path: &Path) -> Option<(&'static str, String)> {
    let start = beginning(path)?;
    let packing = Packing::of_other_program(&start);
    packing
        .and_then(|packing| unpacking(packing, path))
        .or_else(|| store_advice(&start).map(|(format, advice)| (format, advice.to_owned())))
}

/// Returns the format of a file of another program, and how to convert or unpack it.
fn unpacking(packing: Packing, path: &Path) -> Option<(&'static str, String)> {
    let (format, advice) = match packing {
        Packing::Pst => (
            "a folder of Outlook (.pst)",
            "convert it to a mailbox first, for example with readpst",
        ),
        Packing::OutlookMessage => (
            "a file of Outlook (.msg) or Office",
            "convert a message to .eml first, for example with msgconvert",
        ),
        Packing::SevenZip => (
            "an archive of 7-Zip",
            "unpack it first, for example with `7z x`",
        ),
        Packing::Rar => (
            "a RAR archive",
            "unpack it first, for example with `unrar x`",
        ),
        Packing::Lzma => {
            let command = command("xz -dc", path);
            let advice = format!("pipe the content in: {command} | mailglot … -");
            return Some(("compressed with lzma", advice));
        }
        _ => return None,
    };
    Some((format, advice.to_owned()))
}

/// Returns the format of a file of Outlook Express that has no messages or another layout, and what to do about it.
fn store_advice(start: &[u8]) -> Option<(&'static str, &'static str)> {
    match start {
        // Folders have other bytes after these.
        [0xCF, 0xAD, 0x12, 0xFE, ..] => Some((
            "an index of Outlook Express (.dbx) without messages",
            "give the names of the other .dbx files",
        )),
        [b'J', b'M', b'F', b'6' | b'9', ..] => Some((
            "a folder of Outlook Express 4 (.mbx)",
            "convert it to a mailbox first, for example with the import of KMail",
        )),
        _ => None,
    }
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
        Packing::Dbox => return DBOX_ADVICE.to_owned(),
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

    #[test]
    fn outlook_files_are_not_forced() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes, advice) in [
            ("a.pst", &b"!BDN\x01\x02\x03\x04rest"[..], "with readpst"),
            (
                "a.msg",
                b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1rest",
                "with msgconvert",
            ),
            ("text.msg", b"Dear all, no header here", "as a message"),
            ("short.msg", b"!BDN", "as a message"),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let error = FileError::new(&path, Operation::Read, ErrorKind::NoHeader);
            let text = of_file(&error, IfExists::Force);
            assert!(text.ends_with(advice), "{text}");
        }
    }

    #[test]
    fn a_folder_without_mail_says_what_to_name() {
        let folder = tempfile::tempdir().unwrap();
        let words = |path: &Path| {
            let error = FileError::new(path, Operation::Read, ErrorKind::NoMailFound(None));
            of_file(&error, IfExists::Force)
        };
        let advice = format!(
            "name other files themselves: mailglot … {}/*",
            folder.path().display()
        );
        assert!(words(folder.path()).ends_with(&advice));
        // The folders of IMAP servers, and other folders of files.
        for (name, condition) in [
            ("anna/cyrus.header", ""),
            ("anna/1.", " -name '[0-9]*.'"),
            ("boris/0/msg/0/257-4.msg", " -name '[0-9]*-[0-9]*.msg'"),
            ("clara/257.msg", ""),
        ] {
            let root = tempfile::tempdir().unwrap();
            let file = root.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "Subject: x\n\n").unwrap();
            let advice = format!(
                "find {} -type f{condition} -print0 | mailglot … --files0-from -",
                root.path().display()
            );
            let text = words(root.path());
            assert!(text.ends_with(&advice), "{text}");
        }
        assert!(words(&folder.path().join("a.zip")).ends_with("no mail found"));
    }
}
