//! Hashes archives: the bytes of a file, or the names and contents of a folder (docs/ledger-format.md).

use std::fmt::{self, Write as _};
use xxhash_rust::xxh3::Xxh3;

/// Hash of the bytes of one file.
#[allow(clippy::large_enum_variant)] // One or two for a whole archive; a box would save nothing.
pub(crate) enum FileHash {
    /// BLAKE3, for sources that are to be restored.
    Sure(blake3::Hasher),
    /// 128-bit XXH3, for outputs, which only need to be recognized. The restored source has its own digest.
    Quick(Xxh3),
}

impl fmt::Debug for FileHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sure(_) => "Sure",
            Self::Quick(_) => "Quick",
        })
    }
}

impl FileHash {
    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sure(hasher) => {
                hasher.update(bytes);
            }
            Self::Quick(hasher) => hasher.update(bytes),
        }
    }

    fn finish(self) -> [u8; 32] {
        match self {
            Self::Sure(hasher) => *hasher.finalize().as_bytes(),
            Self::Quick(hasher) => *blake3::hash(&hasher.digest128().to_le_bytes()).as_bytes(),
        }
    }
}

/// Hash of the files of a folder: of a record for each, with its name, digest and length.
#[derive(Debug, Default)]
pub(crate) struct FilesHash {
    hasher: blake3::Hasher,
    /// The records, if the folder is read in parts.
    records: Option<Vec<u8>>,
}

impl FilesHash {
    fn update(&mut self, bytes: &[u8]) -> &mut Self {
        self.hasher.update(bytes);
        if let Some(records) = &mut self.records {
            records.extend_from_slice(bytes);
        }
        self
    }

    fn add_file(&mut self, name: &[u8], digest: &[u8; 32], length: u64) {
        self.update(b"F")
            .update(&(name.len() as u64).to_le_bytes())
            .update(name)
            .update(digest)
            .update(&length.to_le_bytes());
    }
}

/// The digest of a source, or of a part of one.
#[derive(Debug, Default)]
pub(crate) struct SourceDigest {
    /// BLAKE3 of what was read. Zeros if it was not hashed.
    pub(crate) blake3: [u8; 32],
    /// Of a part of a folder, the records of its files. Those of all parts, in order, have the digest of the folder.
    pub(crate) records: Vec<u8>,
}

/// Hash of an archive that is read in order.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // One for a whole archive; a box would save nothing.
pub(crate) enum ArchiveHash {
    /// One file.
    File(FileHash),
    /// A folder.
    Folder {
        /// Hash of the finished files.
        all: FilesHash,
        /// The current file.
        file: Option<(Vec<u8>, FileHash, u64)>,
        /// True if files are hashed by XXH3.
        quick: bool,
    },
}

impl ArchiveHash {
    /// Starts the hash of a source: a file, or a folder.
    pub(crate) fn new(folder: bool) -> Self {
        Self::with(folder, false)
    }

    /// Starts the hash of an output.
    pub(crate) fn quick(folder: bool) -> Self {
        Self::with(folder, true)
    }

    /// Starts the hash of a part of a folder, and keeps the records of its files.
    pub(crate) fn of_part() -> Self {
        Self::Folder {
            all: FilesHash {
                records: Some(Vec::new()),
                ..FilesHash::default()
            },
            file: None,
            quick: false,
        }
    }

    fn with(folder: bool, quick: bool) -> Self {
        if folder {
            Self::Folder {
                all: FilesHash::default(),
                file: None,
                quick,
            }
        } else {
            Self::File(Self::file_hash(quick))
        }
    }

    fn file_hash(quick: bool) -> FileHash {
        if quick {
            FileHash::Quick(Xxh3::new())
        } else {
            FileHash::Sure(blake3::Hasher::new())
        }
    }

    /// Returns true for a folder, whose names are part of the hash.
    pub(crate) fn is_folder(&self) -> bool {
        matches!(self, Self::Folder { .. })
    }

    /// Starts a file of a folder.
    pub(crate) fn file(&mut self, name: &[u8]) {
        self.end_file();
        if let Self::Folder { file, quick, .. } = self {
            *file = Some((name.to_vec(), Self::file_hash(*quick), 0));
        }
    }

    /// Adds a file of a folder by the BLAKE3 digest and the length of its content.
    pub(crate) fn whole_file(&mut self, name: &[u8], digest: &[u8; 32], length: u64) {
        self.end_file();
        if let Self::Folder { all, .. } = self {
            all.add_file(name, digest, length);
        }
    }

    /// Adds a folder inside a folder.
    pub(crate) fn directory(&mut self, name: &[u8]) {
        self.end_file();
        if let Self::Folder { all, .. } = self {
            all.update(b"D")
                .update(&(name.len() as u64).to_le_bytes())
                .update(name);
        }
    }

    /// Adds the next bytes of the file.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::File(hasher) => hasher.update(bytes),
            Self::Folder {
                file: Some((_, hasher, length)),
                ..
            } => {
                hasher.update(bytes);
                *length += bytes.len() as u64;
            }
            Self::Folder { file: None, .. } => {}
        }
    }

    /// Returns the digest.
    pub(crate) fn finish(self) -> [u8; 32] {
        self.finish_source().blake3
    }

    /// Returns the digest, and the records of a part.
    pub(crate) fn finish_source(mut self) -> SourceDigest {
        self.end_file();
        match self {
            Self::File(hasher) => SourceDigest {
                blake3: hasher.finish(),
                records: Vec::new(),
            },
            Self::Folder { all, .. } => SourceDigest {
                blake3: *all.hasher.finalize().as_bytes(),
                records: all.records.unwrap_or_default(),
            },
        }
    }

    fn end_file(&mut self) {
        if let Self::Folder { all, file, .. } = self
            && let Some((name, hasher, length)) = file.take()
        {
            all.add_file(&name, &hasher.finish(), length);
        }
    }
}

/// Formats bytes as lowercase hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &[&str])]) -> [u8; 32] {
        let mut hash = ArchiveHash::new(true);
        for (name, pieces) in files {
            hash.file(name.as_bytes());
            pieces.iter().for_each(|p| hash.update(p.as_bytes()));
        }
        hash.finish()
    }

    #[test]
    fn file_hash_covers_its_bytes() {
        let mut hash = ArchiveHash::new(false);
        hash.update(b"ab");
        hash.update(b"c");
        assert_eq!(hash.finish(), *blake3::hash(b"abc").as_bytes());
        assert_eq!(hex(&[0, 255, 16]), "00ff10");
    }

    #[test]
    fn folder_hash_covers_names_and_contents() {
        let one = folder(&[("a", &["xy"]), ("b", &["z"])]);
        assert_eq!(one, folder(&[("a", &["x", "y"]), ("b", &["z"])]));
        for other in [
            folder(&[("a", &["x"]), ("b", &["yz"])]),
            folder(&[("b", &["z"]), ("a", &["xy"])]),
            folder(&[("a", &["xy"]), ("b", &["z"]), ("c", &[])]),
            folder(&[("axy", &[]), ("b", &["z"])]),
        ] {
            assert_ne!(one, other);
        }
        let mut by_digest = ArchiveHash::new(true);
        by_digest.whole_file(b"a", blake3::hash(b"xy").as_bytes(), 2);
        by_digest.file(b"b");
        by_digest.update(b"z");
        assert_eq!(by_digest.finish(), one);
        let mut with_directory = ArchiveHash::new(true);
        with_directory.directory(b"new");
        assert_ne!(with_directory.finish(), folder(&[("new", &[])]));
    }
}
