//! Counts combinations of characters that nobody writes: signs of a wrong charset.
//!
//! Composes letters with their marks, and examines each non-ASCII character with its neighbors. Faults in letters are letters of dead alphabets,
//! a capital after a small letter, and two alphabets in a word. Other faults are symbols within words, opening quotes after a letter, and mixed
//! kinds of spaces.
//!
//! # Limits
//! Knows no language, so text with score 0 need not consist of words.

use super::composed::composed;
use mailglot_codec::detect::high_bytes;
use mailglot_codec::{Script, is_alphabetic};

/// Counts implausible characters. Callers compare the scores of two readings of the same bytes. Passes over ASCII fast.
pub(crate) fn mojibake_score(text: &str) -> usize {
    let text = &*composed(text);
    let bytes = text.as_bytes();
    let ascii = |at: usize| bytes.get(at).map_or(EDGE, |byte| char::from(*byte));
    let (mut two_before, mut before, mut count) = (EDGE, EDGE, 0);
    let mut end = 0;
    while let Some(start) = high_bytes(&bytes[end..]).next().map(|gap| end + gap) {
        // Of the ASCII characters between two others only the last ones are neighbors.
        for at in start.saturating_sub(2).max(end)..start {
            (two_before, before) = (before, ascii(at));
        }
        let mut chars = text[start..].chars();
        let Some(c) = chars.next() else { break };
        end = bytes.len() - chars.as_str().len();
        let after = chars.next().unwrap_or(EDGE);
        let neighbors = Neighbors {
            two_before,
            before,
            after,
        };
        count += usize::from(neighbors.is_fault(c));
        (two_before, before) = (before, c);
    }
    count
}

/// Like [`mojibake_score`], but capitals of Cyrillic and Greek may stand behind small letters: `АвтоВАЗ`, `ВУЗов`.
pub(crate) fn mojibake_score_in_any_case(text: &str) -> usize {
    let score = mojibake_score(text);
    if score == 0 {
        return 0;
    }
    let small = |c: char| match Script::of(c) {
        Some(Script::Cyrillic | Script::Greek) => c.to_lowercase().next().unwrap_or(c),
        _ => c,
    };
    score.min(mojibake_score(&text.chars().map(small).collect::<String>()))
}

/// Marks the start and the end of the text.
const EDGE: char = '\0';

/// The characters around a character.
struct Neighbors {
    /// The character before `before`.
    two_before: char,
    before: char,
    after: char,
}

impl Neighbors {
    fn is_fault(&self, c: char) -> bool {
        let Self { before, after, .. } = *self;
        // Symbols stand between letters of scripts without spaces, and of scripts without a single-byte charset.
        let spaced = |c: char| is_letter(c) && Script::of(c).is_some();
        let (behind_letter, before_letter) = (spaced(before), spaced(after));
        // Latin capitals that UTF-8 lead bytes look like. No language has them in such places.
        let lead = matches!(before, 'Ã' | 'Â');
        match c {
            '\u{80}'..='\u{9F}' | '\u{E000}'..='\u{F8FF}' | '\u{FFF0}'..='\u{FFFF}' => true,
            '\u{323B0}'.. => true,
            // Joiners, direction marks, the byte order mark.
            '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{FEFF}' => false,
            '\u{A0}' => lead,
            '\u{2500}'..='\u{257F}' => {
                c != before && c != after && !(is_beside_box(before) && is_beside_box(after))
            }
            '’' => lead || before == 'Ă' && !before_letter,
            '€' => behind_letter || before_letter,
            '\u{AD}' | '·' | '\u{2010}' | '\u{2011}' | '\u{5F3}' | '\u{5F4}' => {
                !(behind_letter && before_letter) || lead || before == 'Ă'
            }
            '„' | '‚' | '‹' | '¿' | '¡' | '§' | '©' | '£' => {
                behind_letter
                    || before.is_ascii_digit()
                    || !before.is_ascii() && !may_precede_opening(before)
            }
            // Some languages open with these marks, others close with them.
            '«' | '»' | '“' | '”' | '‘' | '…' => {
                behind_letter && before_letter
                    || before == 'Ã' && !matches!(c, '»' | '”')
                    || before == 'Â'
            }
            // It follows a number or a space.
            'µ' => behind_letter,
            '›' | '®' | '™' | '°' | 'ª' | 'º' | '²' | '³' | '¹' => {
                before_letter || lead || before == 'Ă' && c != '™'
            }
            // The hyphen of Hebrew.
            '\u{5BE}' => Script::of(before) != Some(Script::Hebrew),
            // Arabic and Armenian commas, full stops and question marks.
            '،' | '؛' | '؟' | '۔' | '։' | '՝' => before_letter,
            // Punctuation of scripts without spaces.
            '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{FF01}'..='\u{FF20}' => false,
            '–' | '—' => behind_letter && before_letter,
            '×' if self.is_within_hebrew() => true,
            _ if is_letter(c) => self.is_odd_letter(c),
            _ => behind_letter || before_letter,
        }
    }

    fn is_odd_letter(&self, c: char) -> bool {
        let Self {
            two_before,
            before,
            after,
        } = *self;
        let script = Script::of(c);
        if is_rare(c) {
            return true;
        }
        if is_mark(c) {
            return !is_letter(before) || script.is_some() && Script::of(before) != script;
        }
        // A Slovak capital that begins a word only if the whole word is in capitals.
        let odd = c == 'Ĺ' && !before.is_uppercase()
            || before == 'Ã'
            || before == 'Ă' && !matches!(c, 'Ş' | 'Ţ' | 'Ș' | 'Ț' | 'Î' | 'Â');
        let case = if c.is_uppercase() {
            before.is_lowercase() || before.is_uppercase() && after.is_lowercase()
        } else {
            c.is_lowercase()
                && before.is_uppercase()
                && (two_before.is_uppercase() || after.is_uppercase())
        };
        let mixed = is_letter(before) && Script::of(before) != script
            || after.is_ascii_alphabetic() && script != Some(Script::Latin);
        odd || case || self.is_lead_byte(c) || mixed && script.is_some()
    }
}

impl Neighbors {
    /// Returns true for the lead byte of Hebrew between two signs, behind another one: the second `×` of `×ª×•×“×”` (`תודה`).
    ///
    /// Digits and fractions stand there in products: `1×½×¼`.
    fn is_within_hebrew(&self) -> bool {
        let is_tail = |c: char| matches!(c, '‘'..='”' | '•' | '–' | '—' | '˜' | '™' | '›' | '\u{A1}'..='\u{AA}');
        self.two_before == '×' && is_tail(self.before) && is_tail(self.after)
    }

    /// Returns true for a letter that UTF-8 lead bytes look like, before a sign that no language has there: `25Â°C`, `faxâ€“modem`.
    ///
    /// A word in capitals may end before a sign: `ROMÂ·`. Quotation marks may close behind a single letter.
    fn is_lead_byte(&self, letter: char) -> bool {
        let next = self.after;
        match letter {
            'Â' | 'Ã' | 'Ă' => {
                let may_close = matches!(next, '\u{A0}' | '‘'..='”' | '»' | '›');
                !is_letter(self.before) && !next.is_ascii() && !is_letter(next) && !may_close
            }
            // Fractions and Roman numerals: `â…“` for `⅓`.
            'â' if next == '…' => !is_letter(self.before),
            'â' => matches!(next, '€' | '†' | '‡' | 'ˆ' | '‰' | '˜' | '™' | '•'),
            _ => false,
        }
    }
}

/// Returns true for letters and combining marks, but not for symbols that Unicode calls letters.
pub(crate) fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    is_alphabetic(c) && !matches!(c, 'ª' | 'º' | 'µ' | '\u{2B0}'..='\u{2FF}') || is_mark(c)
}

/// Returns true for combining marks.
fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36F}'
        | '\u{591}'..='\u{5BD}'
        | '\u{5BF}' | '\u{5C1}' | '\u{5C2}' | '\u{5C4}' | '\u{5C5}' | '\u{5C7}'
        | '\u{610}'..='\u{61A}'
        | '\u{64B}'..='\u{65F}'
        | '\u{670}'
        | '\u{E31}' | '\u{E34}'..='\u{E3A}' | '\u{E47}'..='\u{E4E}')
}

/// Returns true for characters that two-byte sequences reach but text hardly ever has: phonetic letters, dead and small alphabets.
fn is_rare(c: char) -> bool {
    match c {
        '\u{180}'..='\u{24F}' => !matches!(
            c,
            'Ə' | 'ƒ' | 'Ơ' | 'ơ' | 'Ư' | 'ư' | '\u{1CD}'..='\u{1DC}' | 'Ș' | 'ș' | 'Ț' | 'ț'
        ),
        '\u{250}'..='\u{2FF}' => !matches!(c, 'ə' | '\u{2BC}' | '\u{2C6}' | '\u{2DC}'),
        '\u{300}'..='\u{36F}' => !matches!(
            u32::from(c),
            0x300 | 0x301 | 0x303 | 0x308 | 0x309 | 0x30C | 0x323
        ),
        '\u{370}'..='\u{385}' | '\u{3CF}'..='\u{3FF}' => true,
        '\u{460}'..='\u{48F}' | '\u{500}'..='\u{52F}' => true,
        '\u{5EB}'..='\u{60B}' => !matches!(c, '\u{5F3}' | '\u{5F4}'),
        '\u{610}'..='\u{61A}' | '\u{6D6}'..='\u{6EF}' => true,
        '\u{700}'..='\u{8FF}' => true,
        // Jamo, Canadian syllabics, runes, rare alphabets of Southeast Asia.
        '\u{1100}'..='\u{11FF}' | '\u{1380}'..='\u{177F}' | '\u{18B0}'..='\u{1DFF}' => true,
        _ => false,
    }
}

fn is_blank(c: char) -> bool {
    c == EDGE || matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// Returns true for a neighbor of a box-drawing line: another line, or a space.
fn is_beside_box(c: char) -> bool {
    is_blank(c) || c == '\u{A0}' || matches!(c, '\u{2500}'..='\u{257F}')
}

/// Returns true for characters after which a quote may open.
fn may_precede_opening(c: char) -> bool {
    matches!(c, '\u{A0}' | '–' | '—' | '„' | '‘' | '“' | '«')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Like [`mojibake_score`], character by character.
    fn slow_score(text: &str) -> usize {
        let chars: Vec<char> = text.chars().collect();
        let at = |at: Option<usize>| at.and_then(|at| chars.get(at)).copied().unwrap_or(EDGE);
        let places = (0..chars.len()).filter(|place| !chars[*place].is_ascii());
        let is_fault = |place: &usize| {
            let neighbors = Neighbors {
                two_before: at(place.checked_sub(2)),
                before: at(place.checked_sub(1)),
                after: at(place.checked_add(1)),
            };
            neighbors.is_fault(chars[*place])
        };
        places.filter(is_fault).count()
    }

    #[test]
    fn ascii_between_characters_is_passed_over() {
        const CHARACTERS: [char; 24] = [
            'a', 'B', ' ', '1', '\n', 'z', 'Q', '.', 'é', 'É', 'Ã', '©', '’', '„', 'ж', 'Ж', 'α',
            '–', '\u{A0}', '日', '\u{301}', '€', '\0', '😀',
        ];
        let mut seed = 1_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % below
        };
        let mut faults = 0;
        for round in 0..20_000 {
            // Texts with little ASCII, and with much.
            let kinds = [8 + random(16), 24][round % 2];
            let text: String = (0..random(40)).map(|_| CHARACTERS[random(kinds)]).collect();
            let expected = slow_score(&composed(&text));
            assert_eq!(mojibake_score(&text), expected, "{text:?}");
            faults += expected;
        }
        assert!(faults > 10_000, "{faults}");
    }

    #[test]
    fn texts_of_many_languages_have_no_faults() {
        for text in [
            "Größe, Übung und ÄÖÜ – „so“, »so« oder ‚so‘…",
            "L’été\u{a0}: «\u{a0}déjà vu\u{a0}», œuvre, 12\u{a0}€ ; QUALITÉ\u{a0}: BON",
            "NESCAFÉ® GOLD, BEYONCÉ’S, n°\u{a0}5",
            "PÓŁKA I PÓŁ; VÝŠE VÝŽIVY; žluťoučký kůň",
            "SÃO JOÃO – AMANHÃ; pâté, voilà",
            "Здравствуйте, её подъезд. ЦІЛІ і цілі, ґанок",
            "Καλημέρα κόσμε, Ελλάδα",
            "שלום עולם, צה״ל, שָׁלוֹם",
            "مرحبا بالعالم، تک تک",
            "สวัสดีครับ รถยก ที่นี่",
            "Բարեւ, გამარჯობა",
            "Tiếng Việt có dấu, Nguyễn Ánh",
            "Dünya’da İstanbul, KOCAELİ’DE KAZA",
            "日本語とWindows版、한국어 text, 中文“引号”",
            "1×½×¼, 2 × “3” × 4, ××××, “×”",
            "domandâ…, la lettre «â»",
            "╔══╗\n║ ok ║\n╚══╝",
        ] {
            assert_eq!(mojibake_score(text), 0, "{text}");
        }
    }

    #[test]
    fn capitals_of_cyrillic_and_greek_may_stand_in_words() {
        for text in ["АвтоВАЗ", "ФриБСД", "ВУЗов", "УказательДанных", "ΑθήνΑ"]
        {
            assert!(mojibake_score(text) > 0, "{text}");
            assert_eq!(mojibake_score_in_any_case(text), 0, "{text}");
        }
        for text in ["РџСЂРёРІРµС‚", "NESCAFɮ", "PӣKA I Pӣ", "cafÉs", "Fooбар"]
        {
            assert!(mojibake_score_in_any_case(text) > 0, "{text}");
        }
    }

    #[test]
    fn hyphens_of_hebrew_stand_behind_its_letters() {
        for text in ["בן־גוריון", "ב־\"שמור", "ה־ 5"] {
            assert_eq!(mojibake_score(text), 0, "{text}");
        }
        for text in ["a־b", "־שמור", "5־6 ש־־"] {
            assert!(mojibake_score(text) > 0, "{text}");
        }
    }

    #[test]
    fn text_in_a_wrong_charset_has_faults() {
        for text in [
            "cafÃ© au lait",
            "GrÃ¶Ã\u{9f}e",
            "Ð¿Ñ\u{80}Ð¸",
            "РџСЂРёРІРµС‚",
            "NESCAFɮ",
            "QUALITɠ: BON",
            "PӣKA I Pӣ",
            "Ö˛Ë˛",
            "├╝ber",
            "â€œso",
            "word.Â\u{a0} Next",
            "Home Â· News",
            "2Ã—3",
            "GRÃ–SSE",
            "â…“ cup",
            "2â…” cups",
            "×ª×•×“×”",
        ] {
            assert!(mojibake_score(text) > 0, "{text}");
        }
    }
}
