//! Finds a text in bytes.
//!
//! # Limits
//! The caller chooses the two bytes that are compared first. If they are frequent, the search is slow.

use super::portable::text_finder::portable_find;

pub use super::portable::text_finder::TextFinder;

impl TextFinder {
    /// Makes a search for a text. `places` has the places of two of its bytes, in order. Choose bytes that are rare in these places: `[0, 4]`
    /// for `From `, because few other words have a blank four bytes behind `F`.
    ///
    /// # Panics
    /// If the places are not in order, or not in the text.
    #[must_use]
    pub const fn new(text: &'static [u8], places: [usize; 2]) -> Self {
        assert!(places[0] < places[1] && places[1] < text.len());
        Self { text, places }
    }

    /// Returns the text.
    #[must_use]
    pub const fn text(&self) -> &'static [u8] {
        self.text
    }

    /// Returns the first offset where the text begins.
    #[inline]
    #[must_use]
    pub fn find(&self, bytes: &[u8]) -> Option<usize> {
        #[cfg(target_arch = "x86_64")]
        if super::avx512::is_here() {
            // SAFETY: the machine has what the function is made for.
            return unsafe { super::avx512::find_text(self, bytes) };
        }
        avx2_find(self, bytes)
    }

    /// Returns the offsets where the text begins, in order. They do not overlap: `--` begins twice in `-----`.
    pub fn find_iter(&self, bytes: &[u8]) -> impl Iterator<Item = usize> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let found = at + self.find(bytes.get(at..)?)?;
            at = found + self.text.len();
            Some(found)
        })
    }
}

fn avx2_find(finder: &TextFinder, bytes: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::find_text(finder, bytes) };
    }
    portable_find(finder, bytes, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINDERS: [TextFinder; 9] = [
        TextFinder::new(b"From ", [0, 4]),
        TextFinder::new(b"\n--", [0, 2]),
        TextFinder::new(b"--", [0, 1]),
        TextFinder::new(b"=?", [0, 1]),
        TextFinder::new(b"://", [0, 2]),
        TextFinder::new(b"begin ", [0, 2]),
        TextFinder::new(b"-----BEGIN PGP ", [4, 5]),
        TextFinder::new(b"\x01\x01\x01\x01", [0, 3]),
        TextFinder::new(b"a long text of more bytes than a half block", [30, 41]),
    ];

    /// The safe twin.
    fn twin(text: &[u8], bytes: &[u8]) -> Option<usize> {
        bytes.windows(text.len()).position(|window| window == text)
    }

    fn assert_same(finder: &TextFinder, bytes: &[u8]) -> Option<usize> {
        let expected = twin(finder.text(), bytes);
        assert_eq!(finder.find(bytes), expected, "{bytes:x?}");
        assert_eq!(avx2_find(finder, bytes), expected, "{bytes:x?}");
        assert_eq!(portable_find(finder, bytes, 0), expected, "{bytes:x?}");
        expected
    }

    /// The text, or all but its last byte, at each place of inputs of each length.
    #[test]
    fn a_text_is_found_at_each_place() {
        let mut found = 0;
        for finder in &FINDERS {
            let text = finder.text();
            for len in 0..=400 {
                assert_eq!(assert_same(finder, &vec![b'x'; len]), None);
                let places = (0..=len.saturating_sub(text.len())).filter(|_| len >= text.len());
                for place in places.filter(|place| len < 140 || place % 7 == len % 7) {
                    let mut bytes = vec![b'x'; len];
                    bytes[place..place + text.len()].copy_from_slice(text);
                    found += usize::from(assert_same(finder, &bytes) == Some(place));
                    bytes[place + text.len() - 1] = b'~';
                    assert_eq!(assert_same(finder, &bytes), None);
                }
            }
        }
        assert!(found > 10_000, "{found}");
    }

    #[test]
    fn texts_are_found_one_behind_the_other() {
        let dashes = TextFinder::new(b"--", [0, 1]);
        for len in 0..300 {
            let found: Vec<usize> = dashes.find_iter(&vec![b'-'; len]).collect();
            let expected: Vec<usize> = (0..len / 2).map(|nth| nth * 2).collect();
            assert_eq!(found, expected);
        }
    }

    /// Inputs of the bytes of the text in any order, so that nearly every place begins like it.
    #[test]
    fn the_first_of_many_is_found() {
        let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % below
        };
        let (mut some, mut none) = (0, 0);
        for round in 0..20_000 {
            let finder = &FINDERS[round % FINDERS.len()];
            let text = finder.text();
            let length = random(300);
            let mut bytes: Vec<u8> = (0..length).map(|_| text[random(text.len())]).collect();
            if random(2) == 0 && length >= text.len() {
                let place = random(length - text.len() + 1);
                bytes[place..place + text.len()].copy_from_slice(text);
            }
            match assert_same(finder, &bytes) {
                Some(_) => some += 1,
                None => none += 1,
            }
        }
        assert!(some > 1_000 && none > 1_000, "{some} {none}");
    }
}
