//! Stores the spans of a message's fields in eight bytes each. A hostile message has 100,000 fields.
//!
//! # Limits
//! Headers below 4 GiB.

use mailglot_mime::Span;

/// The span of a field and the length of its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldSpan {
    pub(super) span: Span,
    /// Bytes of the name.
    pub(super) name: usize,
}

/// The fields of a header, which follow each other without a gap from its first byte on.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(Vec<FieldPlace>);

#[derive(Clone, Copy, Debug)]
struct FieldPlace {
    /// End of the field and start of the next one.
    end: u32,
    /// Bytes of the name.
    name: u32,
}

impl Fields {
    pub(super) fn with_capacity(count: usize) -> Self {
        Self(Vec::with_capacity(count))
    }

    /// Adds a field of `bytes` bytes, whose name has `name`. Returns false if the header would exceed 4 GiB.
    pub(super) fn push(&mut self, bytes: usize, name: usize) -> bool {
        let place = u32::try_from(self.end() + bytes)
            .ok()
            .zip(u32::try_from(name).ok());
        self.0
            .extend(place.map(|(end, name)| FieldPlace { end, name }));
        place.is_some()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the bytes of all fields together.
    pub(super) fn end(&self) -> usize {
        self.0.last().map_or(0, |last| last.end as usize)
    }

    /// Returns the bytes of memory that the spans use.
    pub(super) fn memory(&self) -> usize {
        self.0.capacity() * size_of::<FieldPlace>()
    }

    pub(super) fn at(&self, at: usize) -> FieldSpan {
        let start = at
            .checked_sub(1)
            .map_or(0, |before| self.0[before].end as usize);
        let FieldPlace { end, name } = self.0[at];
        FieldSpan {
            span: Span::new(start, end as usize),
            name: name as usize,
        }
    }

    /// Iterates over all fields in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = FieldSpan> + '_ {
        (0..self.len()).map(|at| self.at(at))
    }
}
