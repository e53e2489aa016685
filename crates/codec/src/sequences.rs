//! Decodes and encodes charsets that are lists of byte sequences, such as T.61, VIQR, MNEMONIC, GSM 03.38, TSCII and ISCII. The
//! longest match counts.
//!
//! The lists are generated from `data/sequences.tsv`, where each row says whether it is for decoding, encoding or both. Both
//! directions use the same search: bytes of the charset on one side, bytes of UTF-8 on the other.
//!
//! # Limits
//! Keeps no state: `\m` and `\l` of VIQR stay in the text. In T.61 and related charsets a space may follow a non-spacing mark as its
//! letter; nowhere else a byte below 21 is a trail byte. ISCII is decoded in its default script, Devanagari. The byte EF before the
//! code of another script is recorded as invalid, and the following text is decoded as Devanagari.

mod encoder;

pub(crate) use encoder::SequenceEncoder;

use crate::decode::{Chunk, Decode};
use crate::loss::LossKind;
use crate::sink::Sink;
use mailglot_kernel::Packed;
use std::collections::HashSet;
use std::sync::OnceLock;

/// A charset as a list. The search tables are built at first use.
pub(crate) struct Sequences {
    /// Rows as words: bytes in hexadecimal, a sign for the use, code points joined by `+`.
    rows: &'static str,
    more: More,
    /// On the heap, so that all lists together are one page that the loader relocates at each start.
    tables: OnceLock<Box<Tables>>,
}

/// Additional content of a list beside its rows.
pub(crate) enum More {
    None,
    /// Rows of another list, behind these bytes.
    Behind(&'static [u8], &'static Sequences),
    /// The pairs of bytes from A1 to FE of EUC-KR that have no row of their own.
    EucKr,
}

/// The search tables of a charset, both ways.
#[derive(Debug)]
struct Tables {
    decode: SortedSequences,
    /// For each [`Repertoire`].
    encode: [SortedSequences; 3],
    /// The character of a byte that begins no longer sequence; none for others.
    plain: [Packed; 256],
}

/// The replacement of a sequence.
#[derive(Clone, Debug)]
pub(crate) struct SequenceEntry {
    from: Box<[u8]>,
    to: Box<[u8]>,
    note: Note,
    /// Longer sequences begin with this one.
    goes_on: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Note {
    None,
    /// Decoding: a sequence that the charset does not define, but with a clear meaning.
    Irregular,
    /// Encoding: a look-alike.
    Substituted,
    /// Encoding: the last character must not follow the others, because together they would decode to another text.
    Forbidden,
}

/// The part of a list that is encoded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Repertoire {
    All,
    /// No look-alikes.
    Exact,
    /// Only direct ASCII: for a charset that lenient decoding reads as another one.
    Ascii,
}

impl Repertoire {
    /// An entry as it serves here.
    fn entry(self, entry: &SequenceEntry) -> Option<SequenceEntry> {
        let entry = entry.clone();
        match self {
            Self::Exact if entry.note == Note::Substituted => Some(SequenceEntry {
                to: [].into(),
                note: Note::Forbidden,
                ..entry
            }),
            Self::All | Self::Exact => Some(entry),
            Self::Ascii => (entry.from == entry.to && entry.from.is_ascii()).then_some(entry),
        }
    }
}

/// A sorted list of sequences.
#[derive(Debug)]
struct SortedSequences {
    entries: Vec<SequenceEntry>,
    /// Index of the first sequence with this first byte. The next element is the end.
    starts: [u16; 257],
}

/// The answer of a search at the start of some bytes.
enum Match<'t> {
    Found(&'t SequenceEntry),
    /// No sequence; `cut` is true if more bytes might complete one.
    Nothing {
        cut: bool,
    },
    /// More bytes could make a longer match.
    More,
}

impl Sequences {
    pub(crate) const fn new(rows: &'static str, more: More) -> Self {
        Self {
            rows,
            more,
            tables: OnceLock::new(),
        }
    }

    /// Returns the character of one byte alone.
    pub(crate) fn single(&self, byte: u8) -> Option<char> {
        self.tables().plain[usize::from(byte)].char()
    }

    /// The byte of a character that stands alone.
    pub(crate) fn byte(&self, c: char) -> Option<u8> {
        match self
            .search(Repertoire::Exact)
            .longest(c.encode_utf8(&mut [0; 4]).as_bytes(), true)
        {
            Match::Found(SequenceEntry { to, .. }) if to.len() == 1 => Some(to[0]),
            _ => None,
        }
    }

    /// Returns true if these bytes are equal to their text.
    pub(crate) fn is_plain(&self, bytes: &[u8]) -> bool {
        let tables = self.tables();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let own = tables.plain[usize::from(*byte)];
            if !own.is_none() && own != Packed::new(char::from(*byte)) {
                return false;
            }
            if own.is_none() {
                let Match::Found(entry) = tables.decode.longest(&bytes[at..], true) else {
                    return false;
                };
                if entry.from != entry.to || entry.note != Note::None {
                    return false;
                }
            }
            at += 1;
        }
        bytes.is_ascii()
    }

    fn search(&self, repertoire: Repertoire) -> &SortedSequences {
        &self.tables().encode[repertoire as usize]
    }

    /// The longest sequence at the start of a text that is forbidden as a whole.
    fn without_last(&self, repertoire: Repertoire, text: &str) -> Option<&SequenceEntry> {
        let ends = text
            .char_indices()
            .rev()
            .map(|(end, _)| end)
            .filter(|end| *end > 0);
        let mut found = ends.map(|end| {
            self.search(repertoire)
                .longest(&text.as_bytes()[..end], true)
        });
        found.find_map(|found| match found {
            Match::Found(entry) if entry.note != Note::Forbidden => Some(entry),
            _ => None,
        })
    }

    fn tables(&self) -> &Tables {
        self.tables.get_or_init(|| {
            let (mut decode, mut encode) = (Vec::new(), Vec::new());
            self.collect(&[], &mut decode, &mut encode);
            Box::new(Tables::new(decode, &encode))
        })
    }

    /// Adds the rows of this list, each behind `lead`, to both directions.
    fn collect(
        &self,
        lead: &[u8],
        decode: &mut Vec<SequenceEntry>,
        encode: &mut Vec<SequenceEntry>,
    ) {
        for word in self.rows.split_ascii_whitespace() {
            let cut = word
                .find(|c: char| !c.is_ascii_hexdigit())
                .unwrap_or(word.len());
            let (bytes, rest) = word.split_at(cut);
            let bytes: Vec<u8> = lead.iter().copied().chain(unhex(bytes)).collect();
            let (r#use, points) = rest.split_at(rest.len().min(1));
            if r#use == "-" {
                for byte in bytes[0]..=unhex(points).next().unwrap_or(bytes[0]) {
                    decode.push(entry(&[byte], &[byte], Note::None));
                    encode.push(entry(&[byte], &[byte], Note::None));
                }
                continue;
            }
            let text: String = points.split('+').filter_map(character).collect();
            let text = text.as_bytes();
            match r#use {
                "=" | ">" => decode.push(entry(&bytes, text, Note::None)),
                "?" => decode.push(entry(&bytes, text, Note::Irregular)),
                _ => {}
            }
            match r#use {
                "=" | "<" => encode.push(entry(text, &bytes, Note::None)),
                "~" => encode.push(entry(text, &bytes, Note::Substituted)),
                "!" => encode.push(entry(text, &[], Note::Forbidden)),
                _ => {}
            }
        }
        match self.more {
            More::None => {}
            More::Behind(bytes, parent) => parent.collect(bytes, decode, encode),
            More::EucKr => add_euc_kr(decode, encode),
        }
    }
}

/// A decoder of a list.
#[derive(Clone, Debug)]
pub(crate) struct SequenceDecoder(&'static Tables);

impl SequenceDecoder {
    pub(crate) fn new(list: &'static Sequences) -> Self {
        Self(list.tables())
    }
}

impl Decode for SequenceDecoder {
    /// Leaves fewer bytes than the longest sequence.
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        let Self(tables) = *self;
        let first = rest.bytes[0];
        let plain = tables.plain[usize::from(first)];
        if !plain.is_none() {
            sink.put(plain);
            return Some(1);
        }
        match tables.decode.longest(rest.bytes, rest.last) {
            Match::Found(entry) => {
                if entry.note == Note::Irregular {
                    sink.record(rest.range(entry.from.len()), LossKind::Irregular);
                }
                sink.put_valid(&entry.to);
                Some(entry.from.len())
            }
            Match::Nothing { cut } => {
                let kind = match first {
                    _ if cut => LossKind::Truncated,
                    0x80.. if tables.decode.is_seven_bit() => LossKind::EightBit,
                    _ => LossKind::Invalid,
                };
                sink.replace(rest.range(1), kind);
                Some(1)
            }
            Match::More => None,
        }
    }
}

impl std::fmt::Debug for Sequences {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sequences({} bytes)", self.rows.len())
    }
}

/// Adds the pairs of EUC-KR whose bytes, or whose text, are not there.
fn add_euc_kr(decode: &mut Vec<SequenceEntry>, encode: &mut Vec<SequenceEntry>) {
    let sequences = |entries: &[SequenceEntry]| {
        entries
            .iter()
            .map(|entry| entry.from.clone())
            .collect::<HashSet<_>>()
    };
    let (bytes, texts) = (sequences(decode), sequences(encode));
    for pair in (0xA1..=0xFE).flat_map(|lead| (0xA1..=0xFE).map(move |trail| [lead, trail])) {
        let text = encoding_rs::EUC_KR.decode_without_bom_handling_and_without_replacement(&pair);
        let Some(text) = text.filter(|_| !bytes.contains(&pair[..])) else {
            continue;
        };
        decode.push(entry(&pair, text.as_bytes(), Note::None));
        if !texts.contains(text.as_bytes()) {
            encode.push(entry(text.as_bytes(), &pair, Note::None));
        }
    }
}

fn entry(from: &[u8], to: &[u8], note: Note) -> SequenceEntry {
    SequenceEntry {
        from: from.into(),
        to: to.into(),
        note,
        goes_on: false,
    }
}

fn unhex(digits: &str) -> impl Iterator<Item = u8> {
    digits
        .as_bytes()
        .chunks(2)
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
}

fn character(digits: &str) -> Option<char> {
    u32::from_str_radix(digits, 16)
        .ok()
        .and_then(char::from_u32)
}

impl Tables {
    fn new(decode: Vec<SequenceEntry>, encode: &[SequenceEntry]) -> Self {
        let decode = SortedSequences::new(decode);
        let mut plain = [Packed::NONE; 256];
        for (byte, cell) in plain.iter_mut().enumerate() {
            if let [only] = &decode.entries[decode.bucket(byte)]
                && only.from.len() == 1
                && only.note == Note::None
                && let Ok(text) = std::str::from_utf8(&only.to)
                && let [c] = text.chars().collect::<Vec<_>>()[..]
            {
                *cell = Packed::new(c);
            }
        }
        let encode = [Repertoire::All, Repertoire::Exact, Repertoire::Ascii].map(|which| {
            SortedSequences::new(
                encode
                    .iter()
                    .filter_map(|entry| which.entry(entry))
                    .collect(),
            )
        });
        Self {
            decode,
            encode,
            plain,
        }
    }
}

impl SortedSequences {
    fn new(mut entries: Vec<SequenceEntry>) -> Self {
        entries.sort_by(|a, b| a.from.cmp(&b.from));
        // A sequence with a forbidden beginning needs no row, and the encoder must not wait for it.
        let mut forbidden: Option<Box<[u8]>> = None;
        entries.retain(|entry| {
            let within = forbidden
                .as_ref()
                .is_some_and(|short| entry.from.starts_with(short));
            if entry.note == Note::Forbidden && !within {
                forbidden = Some(entry.from.clone());
            }
            !(entry.note == Note::Forbidden && within)
        });
        for at in 1..entries.len() {
            entries[at - 1].goes_on = entries[at].from.starts_with(&entries[at - 1].from);
        }
        let mut starts = [0; 257];
        for (byte, start) in starts.iter_mut().enumerate() {
            *start = entries.partition_point(|e| usize::from(e.from[0]) < byte) as u16;
        }
        Self { entries, starts }
    }

    fn bucket(&self, byte: usize) -> std::ops::Range<usize> {
        usize::from(self.starts[byte])..usize::from(self.starts[byte + 1])
    }

    fn is_seven_bit(&self) -> bool {
        usize::from(self.starts[0x80]) == self.entries.len()
    }

    /// The longest sequence at the start of `input`, which is not empty.
    fn longest(&self, input: &[u8], last: bool) -> Match<'_> {
        // All of these begin with the same bytes as the input, `depth` of them; sorted, so that a whole match is the first.
        let mut rest = &self.entries[self.bucket(usize::from(input[0]))];
        let mut best = None;
        for depth in 1.. {
            if let Some((first, longer)) = rest.split_first()
                && first.from.len() == depth
            {
                best = Some(first);
                rest = longer;
            }
            if rest.is_empty() {
                break;
            }
            let Some(byte) = input.get(depth) else {
                match best {
                    _ if !last => return Match::More,
                    None => return Match::Nothing { cut: true },
                    Some(_) => break,
                }
            };
            let from = rest.partition_point(|e| e.from[depth] < *byte);
            let len = rest[from..].partition_point(|e| e.from[depth] == *byte);
            rest = &rest[from..from + len];
        }
        best.map_or(Match::Nothing { cut: false }, Match::Found)
    }
}

#[cfg(test)]
mod tests;
