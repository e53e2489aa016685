//! Reads the records of extended headers: `LENGTH KEY=VALUE` and a line feed (POSIX.1-2017, pax).
//!
//! # Limits
//! Reads path, target of a link and size, and recognizes sparse files. Stops at the first record that is damaged.

/// What extended headers say about a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PaxRecords {
    pub(super) path: Option<Vec<u8>>,
    pub(super) target: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
    pub(super) is_sparse: bool,
}

impl PaxRecords {
    /// Reads the records of an extended header.
    pub(super) fn read(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some((record, after)) = next(rest) {
            rest = after;
            let Some(equals) = memchr::memchr(b'=', record) else {
                return;
            };
            let (key, value) = (&record[..equals], &record[equals + 1..]);
            match key {
                b"path" => self.path = Some(value.to_vec()),
                b"linkpath" => self.target = Some(value.to_vec()),
                b"size" => {
                    let number = std::str::from_utf8(value).ok();
                    self.size = number.and_then(|number| number.parse().ok());
                }
                _ if key.starts_with(b"GNU.sparse.") => self.is_sparse = true,
                _ => {}
            }
        }
    }
}

/// Returns the next record without its length and line feed, and the rest.
fn next(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let blank = memchr::memchr(b' ', &text[..text.len().min(20)])?;
    let length: usize = std::str::from_utf8(&text[..blank]).ok()?.parse().ok()?;
    let record = text.get(blank + 1..length)?;
    Some((record.strip_suffix(b"\n")?, &text[length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_up_to_damage() {
        let read = |text: &[u8]| {
            let mut records = PaxRecords::default();
            records.read(text);
            records
        };
        let good = read(b"12 path=a=b\n17 size=12345678\n");
        assert_eq!(good.path.as_deref(), Some(&b"a=b"[..]));
        assert_eq!(good.size, Some(12_345_678));
        assert!(read(b"25 GNU.sparse.major=1234\n").is_sparse);
        for bad in [
            &b"99 path=a\n"[..],
            b"x path=a\n",
            b"0 path=a\n",
            b"3 a",
            b"",
            b"7 path\n",
        ] {
            assert_eq!(read(bad), PaxRecords::default());
        }
    }
}
