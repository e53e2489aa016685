//! Opens a mailbox: a file, a stream, or compressed data.
//!
//! # Limits
//! Reads only the beginning.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use super::batch_cells::BatchCells;
use super::mailbox::{Current, Mailbox, ReadState, SeparatorsAhead};
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind};
use crate::error::{Error, ErrorKind, Operation, at};
use crate::file_identity::FileIdentity;
use crate::file_names::is_named_mailbox;
use crate::file_range::FileRange;
use crate::file_tree::FileTree;
use crate::mail_check;
use crate::mailbox_options::MboxRule;
use crate::mbox::delimiters::Delimiters;
use crate::mbox::division::{Division, MMDF_LINE};
use crate::mbox::from_line::FROM;
use crate::mbox::profile::{FileProfile, HEAD, STREAM_HEAD, SniffInput};
use crate::mbox::split::NEAR;
use crate::packed::{CompressionEvents, Through, beginning, through_on};
use crate::packing::Packing;
use crate::source::{Quoting, ReadOptions};
use crate::tree_file::TreeFile;
use crate::window::Window;

impl Mailbox<Through> {
    /// Reads a compressed file. Sniffs it first, without reading it twice to its end.
    pub(crate) fn from_packed(
        path: &Path,
        mut file: File,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let failed = at(path, Operation::Read);
        let outside = FileIdentity::of(&file).map_err(&failed)?;
        let again = file.try_clone().map_err(&failed)?;
        let mut inside = through_on(path, again, u64::MAX, options.threads)?;
        let head = beginning(&mut inside, HEAD as usize).map_err(&failed)?;
        let profile = FileProfile::of_start(&head).map_err(&failed)?;
        let is_mailbox = is_named_mailbox(&path.with_extension("")) || profile.is_mailbox();
        drop((inside, head));
        file.rewind().map_err(&failed)?;
        let known = Some((profile, is_mailbox));
        let mut mailbox = Self::from_through_known(
            path,
            through_on(path, file, options.max_expansion, options.threads)?,
            known,
            options,
        )?;
        mailbox.outside = Some(outside);
        Ok(mailbox)
    }

    /// Reads a member of a container that is compressed in one way or another. Opens it twice: to sniff it, and to read it.
    pub(crate) fn from_member(
        path: &Path,
        tree: &FileTree,
        packing: Option<Packing>,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let failed = at(path, Operation::Read);
        let open = |ratio| -> Result<Through, Error> {
            match tree.open(path).map_err(&failed)? {
                TreeFile::Stream(stream, _) if packing.is_none() => Ok(stream),
                file => tree.through(path, file, ratio),
            }
        };
        let head = beginning(&mut open(u64::MAX)?, HEAD as usize).map_err(&failed)?;
        let profile = FileProfile::of_start(&head).map_err(&failed)?;
        drop(head);
        let is_mailbox =
            packing.is_none() || is_named_mailbox(&path.with_extension("")) || profile.is_mailbox();
        let inside = open(options.max_expansion)?;
        let defects = inside.defects.clone();
        let mailbox = Self::from_known(path, inside, Some((profile, is_mailbox)), options);
        let mut mailbox = mailbox.map_err(&failed)?;
        mailbox.defects = defects;
        mailbox.container = Some(tree.clone());
        mailbox.name_compression(packing);
        Ok(mailbox)
    }

    /// Adds a compression to the description of the mailbox.
    fn name_compression(&mut self, packing: Option<Packing>) {
        if let Some(packing) = packing {
            for word in [", ", packing.words()] {
                self.profile.shown.dialect.push_str(word);
            }
        }
    }

    /// Reads a stream, compressed or not.
    ///
    /// # Errors
    /// Nothing can be decompressed, or the decompressed data have an unsupported format.
    pub(crate) fn from_through(
        path: &Path,
        input: Through,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        Self::from_through_known(path, input, None, options)
    }

    /// Like [`Self::from_through`]. `known` has the results of sniffing, if known, and whether the input is a mailbox.
    fn from_through_known(
        path: &Path,
        input: Through,
        known: Option<(FileProfile, bool)>,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let (defects, packing) = (input.defects.clone(), input.packing);
        let mailbox = Self::from_known(path, input, known, options);
        let mut mailbox = mailbox.map_err(at(path, Operation::Read))?;
        if let Some(refused) =
            Packing::of_file(mailbox.window.data()).filter(|inside| !inside.is_read())
        {
            return Err(Error::new(
                path,
                Operation::Read,
                ErrorKind::NotRead(refused),
            ));
        }
        if mailbox.window.end() == 0
            && let Some(damage) = defects
                .take()
                .into_iter()
                .find(|event| event.kind.is_loss())
        {
            let kind = ErrorKind::NothingDecompressed(damage.detail);
            return Err(Error::new(path, Operation::Read, kind));
        }
        mailbox.defects = defects;
        mailbox.name_compression(packing);
        Ok(mailbox)
    }
}

impl Mailbox<File> {
    /// Opens a regular file.
    pub(crate) fn from_file(path: &Path, file: File, options: &ReadOptions) -> io::Result<Self> {
        let again = FileIdentity::of(&file)?;
        let profile = FileProfile::sniff(&SniffInput::File(&file, 0, again.size))?;
        let window = Window::new(file, options.batch);
        let mut mailbox = Self::new(path, window, Some(again), profile, options);
        if mailbox.profile.is_one_message() {
            mailbox.check_mail(options)?;
        }
        Ok(mailbox)
    }
}

impl Mailbox<FileRange> {
    /// Opens a member that is stored as it is.
    pub(crate) fn from_range(
        path: &Path,
        tree: &FileTree,
        range: FileRange,
        options: &ReadOptions,
    ) -> io::Result<Self> {
        let identity = FileIdentity::of_range(&range)?;
        let input = SniffInput::File(&identity.file, identity.start, identity.size);
        let profile = FileProfile::sniff(&input)?;
        let window = Window::new(range, options.batch);
        let mut mailbox = Self::new(path, window, Some(identity), profile, options);
        mailbox.container = Some(tree.clone());
        if mailbox.profile.is_one_message() {
            mailbox.check_mail(options)?;
        }
        Ok(mailbox)
    }
}

impl<R: Read> Mailbox<R> {
    /// Reads a stream that cannot be read twice. Its beginning decides whether it is a mailbox.
    #[cfg(test)]
    pub(crate) fn from_stream(path: &Path, input: R, options: &ReadOptions) -> io::Result<Self> {
        Self::from_known(path, input, None, options)
    }

    /// Reads a stream. Sniffs its beginning unless the result is `known`.
    fn from_known(
        path: &Path,
        input: R,
        known: Option<(FileProfile, bool)>,
        options: &ReadOptions,
    ) -> io::Result<Self> {
        let mut window = Window::new(input, options.batch);
        window.reach(if known.is_some() {
            NEAR as u64
        } else {
            STREAM_HEAD
        })?;
        let (profile, is_mailbox) = if let Some(known) = known {
            known
        } else {
            let start = &window.data()[..window.data().len().min(STREAM_HEAD as usize)];
            let whole = window.ended() && start.len() == window.data().len();
            let profile = FileProfile::sniff(&SniffInput::Start(start, whole))?;
            let is_mailbox = profile.is_mailbox();
            (profile, is_mailbox)
        };
        // A rule says that the input is a mailbox.
        let is_mailbox = is_mailbox || options.mailbox.rule != MboxRule::Auto;
        let mut mailbox = Self::new(path, window, None, profile, options);
        if !is_mailbox {
            mailbox.open_single();
        }
        if !is_mailbox || mailbox.profile.is_one_message() {
            mailbox.check_mail(options)?;
        }
        Ok(mailbox)
    }

    pub(super) fn new(
        path: &Path,
        window: Window<R>,
        file: Option<FileIdentity>,
        mut profile: FileProfile,
        options: &ReadOptions,
    ) -> Self {
        profile.apply(options.mailbox.rule);
        let delimiters = Delimiters::new(profile.bare_cr);
        let finder = if profile.division == Division::Mmdf {
            MMDF_LINE
        } else {
            FROM
        };
        let mut events = Vec::new();
        if profile.bad_length {
            let detail = BoxDetail::WrongLengths;
            events.push(BoxEvent::new(BoxEventKind::BadLength, 0, detail));
        }
        Self {
            path: path.to_owned(),
            window,
            file,
            outside: None,
            container: None,
            defects: CompressionEvents::default(),
            guess_open: profile.quoting_guess,
            profile,
            cells: BatchCells::new(options.batch),
            from: 0,
            until: u64::MAX,
            limit: options.message_limit.max(1) as u64,
            finder,
            delimiters,
            separators_ahead: SeparatorsAhead::default(),
            is_marked: false,
            state: ReadState::Prelude,
            options: options.mailbox.clone(),
            used_overrides: BTreeSet::new(),
            froms: false,
            leading: false,
            ordinal: 0,
            scan: 0,
            events,
        }
    }

    /// Rejects a single message without a header field, unless `force_format` is set.
    pub(super) fn check_mail(&mut self, options: &ReadOptions) -> io::Result<()> {
        self.window.reach(mail_check::BEGINNING as u64)?;
        if options.force_format
            || Packing::of_file(self.window.data()).is_some()
            || mail_check::is_mail(self.window.data())
        {
            return Ok(());
        }
        Err(ErrorKind::NoHeader.into())
    }

    /// Reads the input as one message.
    fn open_single(&mut self) {
        self.state = ReadState::Message(Current {
            start: 0,
            message: 0,
            declared: None,
            pieces_to: 0,
        });
        self.scan = u64::MAX;
        self.leading = true;
        self.profile.quoting = Quoting::None;
        if self.window.end() == 0 {
            self.state = ReadState::Done;
        }
    }
}
