//! Recognizes apostrophes and quotation marks by the words of English, French and Italian beside them, whatever their bytes are.
//!
//! ```text
//! don\x92t     windows-1252, and don\xD5t in macintosh: `don` and `t` are the parts of a contraction
//! ```

/// Words before `’s`, `’d`, `’ll`, `’re` and `’ve`.
const PRONOUNS: [&[u8]; 18] = [
    b"I", b"you", b"he", b"she", b"it", b"we", b"they", b"who", b"that", b"there", b"what",
    b"this", b"how", b"where", b"here", b"let", b"when", b"why",
];
/// Words before `’t` and `’ve`.
const AUXILIARIES: [&[u8]; 23] = [
    b"don", b"can", b"won", b"isn", b"aren", b"wasn", b"weren", b"doesn", b"didn", b"hasn",
    b"haven", b"hadn", b"couldn", b"wouldn", b"shouldn", b"mustn", b"needn", b"ain", b"could",
    b"would", b"should", b"might", b"must",
];
/// Words before the apostrophe of French or Italian: `l’avis`, `dell’anno`.
const ELIDED: [&[u8]; 19] = [
    b"l", b"d", b"j", b"c", b"n", b"s", b"m", b"t", b"qu", b"jusqu", b"lorsqu", b"puisqu",
    b"aujourd", b"dell", b"all", b"nell", b"dall", b"sull", b"un",
];

/// The ASCII letters before and after a byte that may be an apostrophe.
#[derive(Clone, Copy, Debug)]
pub struct Apostrophe<'b> {
    /// The letters before the apostrophe: `don` in `don’t`. Empty if a sign or a digit stands there.
    pub word: &'b [u8],
    /// The letters after the apostrophe: `t` in `don’t`. Empty if a sign or a digit stands there.
    pub end: &'b [u8],
    /// The byte before `word`.
    pub before: Option<u8>,
    /// The byte after `end`.
    pub after: Option<u8>,
}

impl<'b> Apostrophe<'b> {
    /// Returns the letters beside the byte at `at`.
    ///
    /// # Panics
    ///
    /// If `at` is outside the text.
    pub fn at(text: &'b [u8], at: usize) -> Self {
        /// Longer words are no contractions.
        const LONGEST: usize = 24;
        let length = |letters: &mut dyn Iterator<Item = &u8>| {
            let is_letter = |byte: &&u8| byte.is_ascii_alphabetic();
            letters.take(LONGEST).take_while(is_letter).count()
        };
        let (head, rest) = (&text[..at], &text[at + 1..]);
        let (head, word) = head.split_at(head.len() - length(&mut head.iter().rev()));
        let (end, tail) = rest.split_at(length(&mut rest.iter()));
        Self {
            word,
            end,
            before: head.last().copied(),
            after: tail.first().copied(),
        }
    }

    /// Returns true for `I`, `you`, `it`, `that` and others, in any case.
    pub fn is_pronoun(&self) -> bool {
        self.is_any(&PRONOUNS)
    }

    /// Returns true for `don`, `can`, `would` and others, in any case.
    pub fn is_auxiliary(&self) -> bool {
        self.is_any(&AUXILIARIES)
    }

    /// Returns true for `l`, `qu`, `dell` and others, in any case.
    pub fn is_elided(&self) -> bool {
        self.is_any(&ELIDED)
    }

    fn is_any(&self, words: &[&[u8]]) -> bool {
        let mut words = words.iter();
        words.any(|known| known.eq_ignore_ascii_case(self.word))
    }
}

/// Returns the words between the quotation mark at `at` and its closing mark. `None` without the latter, or if a letter or digit stands before
/// the opening or after the closing mark.
///
/// # Panics
///
/// If `at` is outside the text.
pub fn quoted_words(text: &[u8], at: usize, [opening, closing]: [u8; 2]) -> Option<&[u8]> {
    const LONGEST: usize = 200;
    let is_word = |at: Option<usize>| {
        at.and_then(|at| text.get(at))
            .is_some_and(u8::is_ascii_alphanumeric)
    };
    let rest = &text[at + 1..];
    let is_mark = |byte: &u8| *byte == opening || *byte == closing;
    let length = rest.iter().take(LONGEST).position(is_mark)?;
    let is_apart = !is_word(at.checked_sub(1)) && !is_word(Some(at + length + 2));
    let words = &rest[..length];
    let begins_word = words.first().is_some_and(u8::is_ascii_alphabetic);
    (rest[length] == closing && is_apart && begins_word).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_beside_an_apostrophe_are_found() {
        for (text, word, end, before, after) in [
            (
                &b"I don't know"[..],
                &b"don"[..],
                &b"t"[..],
                Some(b' '),
                Some(b' '),
            ),
            (b"l'a", b"l", b"a", None, None),
            (b"'", b"", b"", None, None),
            (b"(a1'2b)", b"", b"", Some(b'1'), Some(b'2')),
        ] {
            let at = memchr::memchr(b'\'', text).expect("an apostrophe");
            let found = Apostrophe::at(text, at);
            assert_eq!(
                (found.word, found.end, found.before, found.after),
                (word, end, before, after)
            );
        }
        let long = [&[b'a'; 100][..], b"'", &[b'b'; 100]].concat();
        let found = Apostrophe::at(&long, 100);
        assert_eq!((found.word.len(), found.end.len()), (24, 24));
    }

    #[test]
    fn words_are_found_in_any_case() {
        for (text, kinds) in [
            (&b"IT's"[..], [true, false, false]),
            (b"Don't", [false, true, false]),
            (b"Dell'anno", [false, false, true]),
            (b"cat's", [false, false, false]),
        ] {
            let at = memchr::memchr(b'\'', text).expect("an apostrophe");
            let found = Apostrophe::at(text, at);
            let [pronoun, auxiliary, elided] = kinds;
            assert_eq!(found.is_pronoun(), pronoun);
            assert_eq!(found.is_auxiliary(), auxiliary);
            assert_eq!(found.is_elided(), elided);
        }
    }

    #[test]
    fn quoted_words_end_with_the_closing_mark() {
        for (text, words) in [
            (&b"say <no> now"[..], Some(&b"no"[..])),
            (b"<yes, never>.", Some(b"yes, never")),
            (b"a<no>", None),
            (b"<no>a", None),
            (b"<no<", None),
            (b"<no", None),
            (b"<>", None),
            (b"< no>", None),
        ] {
            let at = memchr::memchr(b'<', text).expect("a mark");
            assert_eq!(quoted_words(text, at, [b'<', b'>']), words);
        }
        let long = [&b"<"[..], &[b'a'; 300], b">"].concat();
        assert_eq!(quoted_words(&long, 0, [b'<', b'>']), None);
    }
}
