//! Splits the data of milter packets into strings that end in NUL.

/// Splits the first string off `data`. Returns `None` without a NUL.
pub(super) fn cut(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(0, data)?;
    Some((&data[..end], &data[end + 1..]))
}

/// Iterates over strings that end in NUL. Skips bytes behind the last NUL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Strings<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<Self::Item> {
        let (string, rest) = cut(self.0)?;
        self.0 = rest;
        Some(string)
    }
}

/// Iterates over macros: pairs of name and value. Stops at a name without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs<'a>(pub(super) Strings<'a>);

impl Pairs<'_> {
    /// Returns true if the last name has no value.
    pub fn ends_without_value(&self) -> bool {
        self.0.clone().count() % 2 == 1
    }
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        Some((self.0.next()?, self.0.next()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_need_an_end() {
        assert_eq!(
            Strings(b"a\0\0b\0c").collect::<Vec<_>>(),
            [&b"a"[..], b"", b"b"]
        );
        assert_eq!(cut(b"abc"), None);
    }

    #[test]
    fn macros_are_pairs() {
        let odd = Pairs(Strings(b"i\x004F\0{auth}\0"));
        assert_eq!(odd.clone().collect::<Vec<_>>(), [(&b"i"[..], &b"4F"[..])]);
        assert!(odd.ends_without_value());
    }
}
