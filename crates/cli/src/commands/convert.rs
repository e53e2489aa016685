//! `mailglot convert`: converts text files between charsets, like iconv, and counts every loss.
//!
//! ```text
//! file ─► source (decode, piece by piece) ─► target (encode) ─► standard output, or a file beside its place
//! ```
//!
//! # Limits
//!
//! Decodes and encodes as strictly as iconv: a byte that the named charset lacks is bad input, although mail is decoded by the superset. The
//! suffixes `//TRANSLIT` and `//IGNORE` are rejected; `--unmappable` and `-c` replace them.

mod coding;
mod conversion_error;
mod explain;
mod source;
mod target;

use super::job_exit::note;
use crate::args::{ConvertArgs, UnmappableWay};
use crate::exit::{Exit, Failure};
use crate::output::{Console, counted, print, stdout_in_blocks, visible};
use coding::{Coding, IMAP};
use conversion_error::{ConversionError, OnMalformed};
use explain::{LossReporter, UnmappableReporter};
use mailglot_archive::replace::{Replacement, is_stream, open_stream};
use mailglot_archive::{FileMode, WriteOptions};
use mailglot_codec::{Charset, LossLog, Mode, Unmappable};
use mailglot_pipeline::check_stdin_once;
use source::Defects;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use target::Target;

/// Size of the output buffer in bytes. Most pieces of text are larger, and are written without a copy.
const BUFFER: usize = 1 << 13;

pub(crate) fn run(args: &ConvertArgs, console: Console) -> Result<Exit, Failure> {
    if args.list {
        return list();
    }
    let conversion = Conversion::new(args, console)?;
    let mut target = conversion.target()?;
    let stdin = [PathBuf::from("-")];
    let files = if args.files.is_empty() {
        &stdin[..]
    } else {
        &args.files
    };
    let mut worst = Exit::Done;
    for file in files {
        conversion.file(file, &mut target, &mut worst)?;
    }
    if let Err(stop) = target.finish() {
        return Err(match stop {
            ConversionError::Loss(message) => Failure::usage(format!("convert: {message}")),
            ConversionError::Read(error) | ConversionError::Write(error) => {
                target.sink.failure(&error)
            }
        });
    }
    conversion.summarize(&target);
    target.sink.commit(worst)?;
    Ok(worst)
}

/// What is converted, and how.
struct Conversion<'a> {
    args: &'a ConvertArgs,
    console: Console,
    from: Coding,
    to: Coding,
    on_malformed: OnMalformed,
}

impl<'a> Conversion<'a> {
    fn new(args: &'a ConvertArgs, console: Console) -> Result<Self, Failure> {
        let Some(from) = &args.from else {
            return Err(Failure::usage("convert: -f is needed"));
        };
        let on_malformed = match (args.skip, args.replace) {
            (true, _) => OnMalformed::Skip,
            (false, true) => OnMalformed::Replace,
            (false, false) => OnMalformed::Stop,
        };
        Ok(Self {
            args,
            console,
            from: Coding::for_label(from)?,
            to: Coding::for_label(&args.to)?,
            on_malformed,
        })
    }

    /// Creates the output.
    fn target(&self) -> Result<Target<Sink>, Failure> {
        let args = self.args;
        let unmappable = unmappable(args);
        let writing = args
            .explain
            .then(|| UnmappableReporter::new(self.console, self.to.charset(), unmappable.clone()));
        check_stdin_once(&args.files)?;
        check_apart(args)?;
        check_sign(self.to, unmappable.as_ref())?;
        let private = args.files.iter().chain(&args.output);
        let mode = FileMode::as_private_as(private.map(PathBuf::as_path));
        let sink = Sink::new(args.output.as_deref(), mode)?;
        Ok(Target::new(self.to, unmappable, writing, sink))
    }

    /// Converts a file. A file that cannot be read does not stop the others.
    fn file(
        &self,
        file: &Path,
        target: &mut Target<Sink>,
        worst: &mut Exit,
    ) -> Result<(), Failure> {
        let (args, console) = (self.args, self.console);
        let unread = |error: &io::Error| Failure::input(file.display(), error);
        let mut input = match open(file) {
            Ok(input) => input,
            Err(error) => {
                note(&unread(&error), worst, console);
                return Ok(());
            }
        };
        let name = if file.as_os_str() == "-" {
            "standard input".into()
        } else {
            file.to_string_lossy()
        };
        let mut reading = args
            .explain
            .then(|| LossReporter::new(console, &name, self.from.charset(), self.on_malformed));
        target.begin((args.files.len() > 1).then_some(&name));
        match source::pour(
            &mut *input,
            self.from,
            self.on_malformed,
            target,
            reading.as_mut(),
        ) {
            Ok(defects) if defects.all > 0 && !args.explain => {
                let (kind, done) = (
                    counted(defects.all, "defect"),
                    done(self.on_malformed, defects),
                );
                console.say(format_args!(
                    "{}: {kind} in bytes that cannot be decoded, {done}{EACH}",
                    visible(&name)
                ));
            }
            Ok(_) => {}
            Err(ConversionError::Read(error)) => note(&unread(&error), worst, console),
            Err(ConversionError::Write(error)) => return Err(target.sink.failure(&error)),
            Err(ConversionError::Loss(message)) => return Err(stopped(&name, &message, target)),
        }
        Ok(())
    }

    /// Prints how many characters could not be written as they are.
    fn summarize(&self, target: &Target<Sink>) {
        if self.args.explain {
            return;
        }
        let to = self.to.charset().name();
        if target.substituted > 0 {
            let characters = counted(target.substituted, "character");
            self.console.say(format_args!(
                "{characters} of the text written as similar characters of {to}{EACH}"
            ));
        }
        if target.losses > 0 {
            let characters = counted(target.losses, "character");
            self.console.say(format_args!(
                "{characters} of the text cannot be written in {to}{EACH}"
            ));
        }
    }
}

/// Returns the failure of a conversion that stopped. What came before goes to standard output, as with iconv; a file does not appear.
fn stopped(name: &str, message: &str, target: &mut Target<Sink>) -> Failure {
    if let Err(ConversionError::Write(error)) = target.finish() {
        return target.sink.failure(&error);
    }
    if let Err(error) = target.sink.flush() {
        return target.sink.failure(&error);
    }
    Failure::usage(format!("convert: {name}: {message}"))
}

/// Names the option that gives details.
const EACH: &str = " (--explain lists each)";

/// Describes what was done with bytes that cannot be decoded. Some have a text all the same, such as a `+` in UTF-7 that begins nothing.
fn done(on_malformed: OnMalformed, defects: Defects) -> &'static str {
    match (on_malformed, defects.read) {
        (_, read) if read == defects.all => "decoded all the same",
        (OnMalformed::Stop, _) => "so the conversion stopped there",
        (OnMalformed::Skip, 0) => "left out",
        (OnMalformed::Skip, _) => "left out or decoded all the same",
        (OnMalformed::Replace, 0) => "replaced",
        (OnMalformed::Replace, _) => "replaced or decoded all the same",
    }
}

/// Returns what to write for a character that the target lacks, or `None` to stop there. The default follows the options for input.
fn unmappable(args: &ConvertArgs) -> Option<Unmappable> {
    let way = match args.unmappable {
        Some(UnmappableWay::Error) => return None,
        Some(UnmappableWay::Question) => Unmappable::QuestionMark,
        Some(UnmappableWay::Html) => Unmappable::HtmlDecimal,
        Some(UnmappableWay::Hex) => Unmappable::HtmlHex,
        Some(UnmappableWay::Skip) => Unmappable::Skip,
        Some(UnmappableWay::Translit) => Unmappable::Transliterate,
        None if args.skip => Unmappable::Skip,
        None if args.replace => Unmappable::QuestionMark,
        None => return None,
    };
    Some(way)
}

/// Rejects a replacement that the target charset cannot encode.
fn check_sign(to: Coding, unmappable: Option<&Unmappable>) -> Result<(), Failure> {
    let (sign, what) = match unmappable {
        Some(Unmappable::QuestionMark | Unmappable::Transliterate) => ("?", "question mark"),
        Some(Unmappable::HtmlDecimal) => ("&#0123456789;", "reference of HTML"),
        Some(Unmappable::HtmlHex) => ("&#x0123456789ABCDEF;", "reference of HTML"),
        _ => return Ok(()),
    };
    let charset = to.charset();
    let (mut bytes, mut log) = (Vec::new(), LossLog::with_limit(0));
    let mut encoder = charset.new_exact_encoder(Mode::Strict);
    encoder.push(sign, &mut bytes, &mut log);
    encoder.finish(&mut bytes, &mut log);
    if log.losses() == 0 {
        return Ok(());
    }
    let name = charset.name();
    let advice = "`--unmappable skip` leaves out what cannot be written, `--unmappable error` ends the work there";
    Err(Failure::usage(format!(
        "convert: {name} has no {what}: {advice}"
    )))
}

fn list() -> Result<Exit, Failure> {
    let mut names: Vec<_> = Charset::all().map(Charset::name).chain([IMAP]).collect();
    names.sort_unstable_by_key(|name| name.to_ascii_lowercase());
    print((names.join("\n") + "\n").as_bytes())?;
    Ok(Exit::Done)
}

/// A file to read; `-` is standard input.
pub(super) fn open(file: &Path) -> io::Result<Box<dyn Read>> {
    if file.as_os_str() == "-" {
        return Ok(Box::new(io::stdin()));
    }
    if fs::metadata(file)?.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    Ok(Box::new(File::open(file)?))
}

/// Rejects an output that is one of the inputs: it would be lost.
fn check_apart(args: &ConvertArgs) -> Result<(), Failure> {
    let Some(output) = args.output.as_deref().filter(|path| !is_stream(path)) else {
        return Ok(());
    };
    // A file that does not exist is no input.
    let Ok(place) = fs::canonicalize(output) else {
        return Ok(());
    };
    let is_it = |file: &&PathBuf| fs::canonicalize(file).is_ok_and(|there| there == place);
    match args.files.iter().find(is_it) {
        None => Ok(()),
        Some(file) => {
            let (output, file) = (output.to_string_lossy(), file.to_string_lossy());
            let message = format!(
                "{}: the output is an input: {}",
                visible(&output),
                visible(&file)
            );
            Err(Failure::usage(message))
        }
    }
}

/// The destination of converted bytes.
#[derive(Debug)]
enum Sink {
    Stdout(BufWriter<File>),
    /// A device or pipe, written directly.
    Stream(BufWriter<File>, PathBuf),
    File(Replacement, PathBuf),
}

impl Sink {
    fn new(file: Option<&Path>, mode: FileMode) -> Result<Self, Failure> {
        match file.filter(|path| path.as_os_str() != "-") {
            None => Ok(Self::Stdout(BufWriter::with_capacity(
                BUFFER,
                stdout_in_blocks()?,
            ))),
            Some(path) if is_stream(path) => match open_stream(path) {
                Ok(file) => Ok(Self::Stream(
                    BufWriter::with_capacity(BUFFER, file),
                    path.to_owned(),
                )),
                Err(error) => Err(Failure::of_output(&error)),
            },
            Some(path) => match Replacement::create(path, WriteOptions { force: true, mode }) {
                Ok(file) => Ok(Self::File(file, path.to_owned())),
                Err(error) => Err(Failure::of_output(&error)),
            },
        }
    }

    fn failure(&self, error: &io::Error) -> Failure {
        match self {
            Self::Stdout(_) => Failure::stdout(error),
            Self::Stream(_, path) | Self::File(_, path) => Failure::output(path, error),
        }
    }

    /// Renames the output to its path, unless a part of the input is missing in it.
    fn commit(self, worst: Exit) -> Result<(), Failure> {
        match self {
            Self::Stdout(mut out) => out.flush().map_err(|error| Failure::stdout(&error)),
            Self::Stream(mut out, path) => {
                out.flush().map_err(|error| Failure::output(&path, &error))
            }
            Self::File(file, _) if worst == Exit::Done => {
                file.commit().map_err(|error| Failure::of_output(&error))
            }
            Self::File(..) => Ok(()),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::Stream(file, _) => file.write(bytes),
            Self::File(file, _) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Stream(file, _) => file.flush(),
            Self::File(file, _) => file.flush(),
        }
    }
}
