//! Classifies the lines of a body as base64 or text, and finds the start of a text that was appended behind base64.

use super::alphabet::{Base64Alphabet, SHORTEST_STRONG, is_base64};

/// The part of a body that is read as base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EncodedRegion {
    /// False for a body that is not base64.
    pub(super) is_base64: bool,
    /// End of the base64; the rest is a footer.
    pub(super) end: usize,
    /// The lines that can only be base64.
    pub(super) lines: StrongLines,
}

/// Alphabet, length and number of the lines that can only be base64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StrongLines {
    pub(super) alphabet: Base64Alphabet,
    /// Length of the first one; 0 without one.
    width: usize,
    /// Number of lines of that length.
    full: usize,
    all: usize,
}

impl StrongLines {
    /// Returns the class of a piece. A damaged piece that consists of words is text, unless it is as long as the lines of base64.
    pub(super) fn class(self, piece: &LinePiece, body: &[u8]) -> PieceClass {
        let text = body[piece.start..piece.end].trim_ascii();
        match piece.class {
            PieceClass::Text if is_spaced_base64(text, self.width, self.alphabet) => {
                return PieceClass::Plain;
            }
            PieceClass::Strong if self.alphabet.has_foreign_marks(text) => {
                return PieceClass::Plain;
            }
            PieceClass::Plain if self.width > 0 => {}
            other => return other,
        }
        let digits = text.iter().filter(|b| self.alphabet.has(**b)).count();
        let fits = text.len() == self.width || digits == self.width || text.ends_with(b"=");
        let has_foreign = !text.iter().all(|b| is_base64(*b));
        if !fits && has_foreign && consists_of_words(text) {
            PieceClass::Text
        } else {
            PieceClass::Plain
        }
    }

    /// Returns true if an encoder ended each line behind a whole quantum, so that the line behind a damaged one starts a quantum.
    pub(super) fn hold_whole_quanta(self, damaged: &[u8]) -> bool {
        self.width > 0
            && self.width.is_multiple_of(4)
            && self.full + 1 >= self.all
            && (self.full > 1 || damaged.trim_ascii().len() == self.width)
    }
}

/// The class of a piece of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceClass {
    Blank,
    /// A long run of the alphabet.
    Strong,
    /// Base64, perhaps damaged.
    Plain,
    /// Characters of the alphabet that may be an ordinary word or number.
    Word,
    /// Text that is not base64.
    Text,
}

/// A line without its line end, or the part of it before or after padding.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinePiece {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) class: PieceClass,
    /// True if it ends in padding.
    padded: bool,
}

/// Longest run of letters that may be a word of a language.
const LONGEST_WORD: usize = 29;

/// Finds the base64 in a body. Reads the body three times; five times with `-` or `_`.
pub(super) fn region(body: &[u8]) -> EncodedRegion {
    let mut all = 0_usize;
    let mut shape = LineShape::default();
    shape.lines.alphabet = alphabet_of(body);
    for piece in pieces(body) {
        all += usize::from(piece.class != PieceClass::Blank);
        shape.survey(&piece, body);
    }
    let lines = shape.lines;
    let region = |is_base64, end| EncodedRegion {
        is_base64,
        end,
        lines,
    };
    let mut strong = lines.all;
    // Counts pieces that can only be base64, characters of the alphabet, and characters before the words that may begin a footer.
    let (mut solid, mut characters, mut before) = (0_usize, 0_usize, 0_usize);
    let mut footer: Option<(usize, bool)> = None;
    let mut signs = TextSigns::default();
    let (mut after_padding, mut after_blank) = (false, false);
    for piece in pieces(body) {
        if piece.class == PieceClass::Blank {
            after_blank = true;
            continue;
        }
        all -= 1;
        match lines.class(&piece, body) {
            PieceClass::Text => {
                // The rest is base64 if most of its lines can be nothing else.
                if strong > 0 && strong * 2 >= all {
                    continue;
                }
                let end = footer.map_or(piece.start, |(start, _)| start);
                let is_base64 = solid > 0 && (lines.all > 0 || !signs.prove_text(true));
                return region(is_base64, end);
            }
            PieceClass::Word if footer.is_none() && (after_padding || after_blank) => {
                footer = Some((piece.start, after_padding));
                before = characters;
            }
            PieceClass::Word | PieceClass::Blank => {}
            PieceClass::Strong | PieceClass::Plain
                if solid > 0 && shape.ends_before(&piece, body, characters) =>
            {
                let end = footer.map_or(piece.start, |(start, _)| start);
                return region(true, end);
            }
            class @ (PieceClass::Strong | PieceClass::Plain) => {
                shape.add(&piece, body);
                signs.add(&piece, body);
                strong -= usize::from(class == PieceClass::Strong);
                solid += 1;
                footer = None;
            }
        }
        characters += body[piece.start..piece.end]
            .iter()
            .filter(|&&b| lines.alphabet.has(b))
            .count();
        after_padding = piece.padded;
        after_blank = false;
    }
    if solid == 0 {
        // Only words, or nothing.
        return region(characters.is_multiple_of(4), body.len());
    }
    if lines.all == 0 && signs.prove_text(false) {
        return region(false, body.len());
    }
    let end = match footer {
        Some((start, true)) => start,
        Some((start, false)) if before.is_multiple_of(4) && !characters.is_multiple_of(4) => start,
        _ => body.len(),
    };
    region(true, end)
}

/// Returns the alphabet of a body. Words alone have hyphens.
fn alphabet_of(body: &[u8]) -> Base64Alphabet {
    if memchr::memchr2(b'-', b'_', body).is_none() {
        return Base64Alphabet::Standard;
    }
    let is_base64 =
        |piece: &LinePiece| matches!(piece.class, PieceClass::Strong | PieceClass::Plain);
    if !pieces(body).any(|piece| is_base64(&piece)) {
        return Base64Alphabet::UrlSafe;
    }
    // Other words may be a footer.
    let is_mark = |text: &[u8]| matches!(text, b"-" | b"_");
    let lines = pieces(body).filter_map(|piece| {
        let text = body[piece.start..piece.end].trim_ascii();
        (is_base64(&piece) || is_mark(text)).then_some(text)
    });
    Base64Alphabet::of(lines)
}

/// Signs of text in the pieces of a body that may be base64, such as `Exmo(s) Senhore(s)` and `Month,Cost_EUR,On_Prem`. They count in a
/// body without lines that can only be base64.
///
/// # Limits
/// Letters and digits of most pieces must form ordinary words. So `Foo_1,Bar_2` above `abc123` stays base64.
#[derive(Debug, Default)]
struct TextSigns {
    pieces: usize,
    /// Number of pieces of words with a byte outside the alphabets.
    with_foreign: usize,
    /// Number of pieces of words with several such bytes.
    with_several: usize,
    is_padded: bool,
}

impl TextSigns {
    fn add(&mut self, piece: &LinePiece, body: &[u8]) {
        let text = &body[piece.start..piece.end];
        let is_foreign = |b: &&u8| !is_base64(**b) && !b.is_ascii_whitespace();
        let foreign = text.iter().filter(is_foreign).count();
        self.pieces += 1;
        self.is_padded |= text.trim_ascii().ends_with(b"=");
        if !consists_of_words(text) {
            return;
        }
        self.with_foreign += usize::from(foreign > 0);
        self.with_several += usize::from(foreign > 1);
    }

    /// Returns true if the pieces are text. Before a line of text one foreign byte is enough.
    fn prove_text(&self, is_before_text: bool) -> bool {
        !self.is_padded
            && if is_before_text {
                self.with_foreign > 0
            } else {
                self.with_several == self.pieces
            }
    }
}

/// Length and alphabet of the lines of an encoder, which have one length except the last.
#[derive(Debug, Default)]
struct LineShape {
    lines: StrongLines,
    /// Start of the last line of that length; without one, of the last line of the standard alphabet.
    last: usize,
    /// True after a line with `-` or `_` (the URL-safe alphabet of RFC 4648, section 5).
    for_addresses: bool,
    /// True after a line with bytes outside the alphabets.
    damaged: bool,
    /// True if the previous line was shorter than the others.
    is_short: bool,
    /// True after a line that followed a shorter one.
    is_ragged: bool,
}

impl LineShape {
    /// Records the length of a piece before the main pass.
    fn survey(&mut self, piece: &LinePiece, body: &[u8]) {
        let text = body[piece.start..piece.end].trim_ascii();
        let length = text.len();
        match piece.class {
            PieceClass::Strong if !self.lines.alphabet.has_foreign_marks(text) => {
                let lines = &mut self.lines;
                lines.all += 1;
                if lines.width == 0 {
                    lines.width = length;
                }
                if lines.width == length {
                    lines.full += 1;
                    self.last = piece.start;
                }
            }
            PieceClass::Plain if self.lines.width == 0 && is_standard(text) => {
                self.last = piece.start;
            }
            _ => {}
        }
    }

    /// Returns true if the base64 ends before a piece. `characters` is the number of base64 characters before it.
    ///
    /// It ends there if the same encoder cannot have written the piece and no later line continues the base64.
    fn ends_before(&self, piece: &LinePiece, body: &[u8], characters: usize) -> bool {
        if self.is_ragged || !characters.is_multiple_of(4) || self.last >= piece.start {
            return false;
        }
        let text = body[piece.start..piece.end].trim_ascii();
        let foreign = !self.damaged && !text.iter().all(|b| is_base64(*b));
        let other = !self.for_addresses && memchr::memchr2(b'-', b'_', text).is_some();
        // After a full line, a shorter one may follow and may be damaged, even at its start.
        let marked = text.starts_with(b"--")
            || text.starts_with(b"__")
            || !is_damaged_once(text) && !text.first().is_some_and(|b| is_base64(*b));
        (foreign || other) && (self.is_short || marked)
            || self.is_short && !text.len().is_multiple_of(4)
    }

    /// Records a piece as base64.
    fn add(&mut self, piece: &LinePiece, body: &[u8]) {
        let text = body[piece.start..piece.end].trim_ascii();
        self.for_addresses |= memchr::memchr2(b'-', b'_', text).is_some();
        self.damaged |= !text.iter().all(|b| is_base64(*b));
        self.is_ragged |= self.is_short;
        self.is_short = piece.padded || text.len() < self.lines.width;
    }
}

/// Returns true for a line with one byte that is not base64, if it has padding or is too long for a word.
fn is_damaged_once(text: &[u8]) -> bool {
    text.iter().filter(|b| !is_base64(**b)).count() == 1
        && (text.ends_with(b"=") || text.len() >= 20)
}

/// Returns true if a line consists of the standard alphabet.
fn is_standard(line: &[u8]) -> bool {
    line.trim_ascii()
        .iter()
        .all(|b| is_base64(*b) && !matches!(b, b'-' | b'_'))
}

/// Returns the pieces of a body, in order. Splits lines after padding that ends a quantum.
pub(super) fn pieces(body: &[u8]) -> impl Iterator<Item = LinePiece> + '_ {
    let line_feed = memchr::memchr(b'\n', body).is_some();
    let end_byte = if line_feed { b'\n' } else { b'\r' };
    let mut at = 0;
    let mut line_end = None;
    std::iter::from_fn(move || {
        if at >= body.len() {
            return None;
        }
        let end = *line_end.get_or_insert_with(|| {
            memchr::memchr(end_byte, &body[at..]).map_or(body.len(), |n| at + n)
        });
        let line = &body[at..end];
        let padded = padding_end(line);
        let piece = match padded {
            Some(length) => LinePiece {
                start: at,
                end: at + length,
                class: classify(&line[..length]),
                padded: true,
            },
            None => LinePiece {
                start: at,
                end,
                class: classify(line),
                padded: false,
            },
        };
        at = piece.end;
        if line[piece.end - piece.start..]
            .iter()
            .all(u8::is_ascii_whitespace)
        {
            at = end + 1;
            line_end = None;
        }
        Some(piece)
    })
}

/// Returns the length of complete quanta with padding at the start of a line; None for a word before an equals sign.
fn padding_end(line: &[u8]) -> Option<usize> {
    let text = line
        .iter()
        .take_while(|&&b| is_base64(b) && b != b'=')
        .count();
    let padding = line[text..].iter().take_while(|&&b| b == b'=').count();
    let length = text + padding;
    let complete = text > 0 && matches!(padding, 1 | 2) && length.is_multiple_of(4);
    let alone = line[length..].iter().all(u8::is_ascii_whitespace);
    (complete && (alone || !is_word(&line[..text]))).then_some(length)
}

pub(super) fn classify(piece: &[u8]) -> PieceClass {
    let piece = piece.trim_ascii();
    let Some(&first) = piece.first() else {
        return PieceClass::Blank;
    };
    if piece.len() > 2 && matches!(first, b'_' | b'-' | b'=') && piece.iter().all(|&b| b == first) {
        return PieceClass::Text;
    }
    let blanks = piece.iter().filter(|b| b.is_ascii_whitespace()).count();
    let foreign = piece
        .iter()
        .filter(|&&b| !is_base64(b) && !b.is_ascii_whitespace())
        .count();
    if foreign * 4 > piece.len() - blanks || piece == b"--" {
        return PieceClass::Text;
    }
    if foreign > 0 && (has_markup(piece) || has_utf8_letters(piece)) {
        return PieceClass::Text;
    }
    if blanks > 0 {
        let words = || {
            piece
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty())
        };
        let real = words().filter(|word| is_word(word)).count();
        return if real * 2 >= words().count() && !is_stray_blank(piece) {
            PieceClass::Text
        } else {
            PieceClass::Plain
        };
    }
    match (foreign, is_word(piece)) {
        (0, true) => PieceClass::Word,
        (0, false) if piece.len() >= SHORTEST_STRONG => PieceClass::Strong,
        (_, true) => PieceClass::Text,
        (_, false) => PieceClass::Plain,
    }
}

/// Returns true if a line is base64 of an encoder with white space in it. `width` is the length of the encoder's lines, or 0.
///
/// A full line has as many characters of the alphabet as the others. A shorter one has whole quanta, and padding or a long run that is
/// no word.
///
/// # Limits
/// A short last line stays text if its words outweigh the rest: `Zm 9v`.
pub(super) fn is_spaced_base64(line: &[u8], width: usize, alphabet: Base64Alphabet) -> bool {
    let digits = line.iter().filter(|b| alphabet.has(**b)).count();
    if digits == 0 || digits > width || consists_of_words(line) {
        return false;
    }
    if digits == width {
        return line
            .iter()
            .all(|b| is_base64(*b) || b.is_ascii_whitespace());
    }
    let text = line.trim_ascii_end();
    let padding = text.iter().rev().take_while(|b| **b == b'=').count();
    let characters = &text[..text.len() - padding];
    let is_digit = |b: &u8| b.is_ascii_whitespace() || is_base64(*b) && *b != b'=';
    let is_run = |run: &[u8]| run.len() >= SHORTEST_STRONG && !is_word(run) && !is_of_one_case(run);
    digits.is_multiple_of(4)
        && characters.iter().all(is_digit)
        && (matches!(padding, 1 | 2) || characters.split(u8::is_ascii_whitespace).any(is_run))
}

/// Returns true if a line is a long run of base64 but for a few characters, which white space separates from it.
fn is_stray_blank(line: &[u8]) -> bool {
    const LONGEST_REST: usize = 4;
    let runs = || line.split(u8::is_ascii_whitespace);
    let digits: usize = runs().map(<[u8]>::len).sum();
    let longest = runs().max_by_key(|run| run.len()).unwrap_or_default();
    longest.len() > LONGEST_WORD
        && digits - longest.len() <= LONGEST_REST
        && digits.is_multiple_of(4)
        && line
            .iter()
            .all(|b| is_base64(*b) || b.is_ascii_whitespace())
        && longest.iter().any(u8::is_ascii_digit)
        && !is_of_one_case(longest)
}

/// Returns true if at least half of the letters and digits belong to ordinary words.
fn consists_of_words(text: &[u8]) -> bool {
    let (mut words, mut all) = (0, 0);
    for run in text.split(|b| !b.is_ascii_alphanumeric()) {
        all += run.len();
        words += if is_word(run) { run.len() } else { 0 };
    }
    words * 2 >= all
}

/// Returns true for a line with a tag, an attribute in quotes or an entity of HTML or XML. One damaged byte makes none of them.
fn has_markup(line: &[u8]) -> bool {
    memchr::memchr3_iter(b'<', b'=', b'&', line).any(|at| {
        let rest = &line[at + 1..];
        match line[at] {
            b'<' => begins_tag(rest),
            b'=' => at > 0 && is_quoted(rest),
            _ => begins_entity(rest),
        }
    })
}

/// Returns true if the text behind `<` is a tag, a comment or a declaration. A tag is a name in capitals or small letters before a blank
/// or a `>`, or at the end of the line.
fn begins_tag(text: &[u8]) -> bool {
    /// Longest name, such as `blockquote` or `o:SmartTagType`.
    const LONGEST_NAME: usize = 16;
    let Some((first, rest)) = text.split_first() else {
        return false;
    };
    if matches!(first, b'!' | b'?') {
        return rest.starts_with(b"--") || memchr::memchr(b'>', rest).is_some();
    }
    let name = if *first == b'/' { rest } else { text };
    let is_of_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b':' | b'-' | b'_');
    let (name, behind) = name.split_at(name.iter().take_while(is_of_name).count());
    let is_name = name.first().is_some_and(u8::is_ascii_alphabetic) && name.len() <= LONGEST_NAME;
    let closes = memchr::memchr(b'>', behind).is_some();
    is_name
        && match behind.first() {
            Some(b'>') => true,
            Some(b'/') => closes,
            Some(b) => b.is_ascii_whitespace() && (closes || is_of_one_case(name)),
            None => name.len() > 1 && is_of_one_case(name),
        }
}

/// Returns true if letters are all capitals or all small.
fn is_of_one_case(name: &[u8]) -> bool {
    !name.iter().any(u8::is_ascii_lowercase) || !name.iter().any(u8::is_ascii_uppercase)
}

/// Returns true if text begins with a value in quotes.
fn is_quoted(text: &[u8]) -> bool {
    let quote = text.first().filter(|b| matches!(b, b'"' | b'\''));
    quote.is_some_and(|quote| memchr::memchr(*quote, &text[1..]).is_some())
}

/// Returns true if the text behind `&` is an entity such as `&nbsp;` or `&#252;`.
fn begins_entity(text: &[u8]) -> bool {
    /// Longest name of an entity of HTML 4 is `thetasym`.
    const LONGEST_NAME: usize = 8;
    let name = text.strip_prefix(b"#").unwrap_or(text);
    let length = name
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    (2..=LONGEST_NAME).contains(&length) && name.get(length) == Some(&b';')
}

/// Returns true for UTF-8 with letters beyond ASCII. Damage leaves single bytes, and programs may insert no-break spaces.
fn has_utf8_letters(line: &[u8]) -> bool {
    let is_letter = |c: char| !c.is_ascii() && c.is_alphabetic();
    !line.is_ascii() && std::str::from_utf8(line).is_ok_and(|text| text.contains(is_letter))
}

/// Returns true for an ordinary word, number, URL or rule. Letters must be lower-case, upper-case or capitalized.
fn is_word(word: &[u8]) -> bool {
    if word.len() > LONGEST_WORD {
        // The alphabet ends within the scheme of a URL.
        return memchr::memmem::find(&word[..word.len().min(12)], b"://").is_some();
    }
    let inner = {
        let is_mark = |b: &u8| {
            matches!(
                b,
                b'.' | b',' | b';' | b':' | b'!' | b'?' | b'(' | b')' | b'"' | b'\'' | b'<' | b'>'
            )
        };
        let start = word.iter().position(|b| !is_mark(b)).unwrap_or(word.len());
        let end = word
            .iter()
            .rposition(|b| !is_mark(b))
            .map_or(start, |last| last + 1);
        &word[start..end]
    };
    let Some((first, rest)) = inner.split_first() else {
        return true;
    };
    if inner.iter().all(|b| matches!(b, b'-' | b'_' | b'*'))
        || memchr::memchr2(b'@', b':', inner).is_some()
    {
        return true;
    }
    let letter = |b: &u8| b.is_ascii_alphabetic() || !b.is_ascii() || matches!(b, b'-' | b'\'');
    inner.iter().all(u8::is_ascii_digit)
        || (letter(first)
            && rest.iter().all(letter)
            && (rest.iter().all(|b| !b.is_ascii_uppercase())
                || inner.iter().all(|b| !b.is_ascii_lowercase())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::base64::encode_lines;

    fn encoded(length: usize, width: usize) -> Vec<u8> {
        let bytes: Vec<u8> = (0..length).map(|n| (n * n + 7) as u8).collect();
        let mut body = Vec::new();
        encode_lines(&bytes, width, b"\n", &mut body);
        body
    }

    /// A line that the encoder cannot have written ends the base64, whatever the length of the text before it.
    #[test]
    fn foreign_lines_behind_base64_are_text() {
        for footer in [
            "--DeathToSpam--",
            "--DeathToSpamX--",
            "__SpamArrest__",
            "[DeathToSpam]",
            "DeathToSpam!",
            "~DeathToSpam~",
        ] {
            for width in [76, 64, 60] {
                let marked = !footer.starts_with('D');
                let full = width / 4 * 3;
                for length in
                    (1..200).filter(|length| marked || *length > full && length % full != 0)
                {
                    let body = encoded(length, width);
                    for tail in ["", "\n", "\n\n", "\nwww.DeathToSpam.example\n"] {
                        let whole = [&body, footer.as_bytes(), tail.as_bytes()].concat();
                        let found = region(&whole);
                        assert!(found.is_base64, "{}", whole.escape_ascii());
                        assert_eq!(found.end, body.len(), "{}", whole.escape_ascii());
                    }
                }
            }
        }
    }

    /// Markup is text although few of its words are words of a language.
    #[test]
    fn markup_is_text() {
        for line in [
            "<div>Vielen Dank.</div>",
            "<br><font size=2 face=\"sans-serif\">Der Symbole</font>",
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>",
            "<META content=\"MSHTML 6.00.2900.2180\" name=GENERATOR></HEAD><BODY><DIV>Symbole</DIV>",
            "<table border=0 cellpadding=0 cellspacing=0 width=600",
            "<blockquote",
            "<br/>Kh5Gb3",
            "content=\"text/html;charset=utf-8\"",
            "Gr&uuml;&szlig;e.aus.Oberhausen",
            "<!-- x1 y2 z3",
            "Sri-Lanka-Gebärdensprache",
            "Achterhoeks-Niedersächsisch",
        ] {
            assert_eq!(classify(line.as_bytes()), PieceClass::Text, "{line}");
            let html = format!("{line}\n<p>Weiterer Text</p>\n");
            assert!(!region(html.as_bytes()).is_base64, "{line}");
            // Behind base64, it is a footer.
            let body = encoded(570, 76);
            let whole = [&body, line.as_bytes(), b"\n"].concat();
            let found = region(&whole);
            assert_eq!((found.is_base64, found.end), (true, body.len()), "{line}");
        }
    }

    /// Base64 with stray marks and blanks stays base64.
    #[test]
    fn damage_is_not_markup() {
        let body = encoded(570, 76);
        for mark in [
            "<", ">", "\"", "'", "&", ";", " ", "<x", "x>", "> ", " <", "< ", "\u{a0}", "\u{200b}",
        ] {
            for at in 0..=77 {
                for start in [0, 77 * 3] {
                    let (first, rest) = body.split_at(start + at);
                    let whole = [first, mark.as_bytes(), rest].concat();
                    let found = region(&whole);
                    assert!(found.is_base64, "{}", whole.escape_ascii());
                    assert_eq!(found.end, whole.len(), "{}", whole.escape_ascii());
                }
            }
        }
    }

    /// If base64 continues after such a line, the line is damage within it.
    #[test]
    fn base64_that_goes_on_is_read_to_its_end() {
        for footer in ["--DeathToSpam--", "[DeathToSpam]", "~DeathToSpam~"] {
            let body = encoded(570, 76);
            let (first, rest) = body.split_at(77 * 3);
            let whole = [first, footer.as_bytes(), b"\n", rest].concat();
            assert_eq!(region(&whole).end, whole.len());
        }
    }

    /// Lines of other lengths, and of the URL-safe alphabet, are base64.
    #[test]
    fn ragged_base64_is_read_to_its_end() {
        let digits: Vec<u8> = encoded(900, usize::MAX).trim_ascii_end().to_vec();
        for lengths in [&[72, 4][..], &[61], &[10, 30, 50], &[76, 75]] {
            let mut body = Vec::new();
            let (mut rest, mut next) = (&digits[..], lengths.iter().cycle());
            while !rest.is_empty() {
                let (line, tail) = rest.split_at(rest.len().min(*next.next().unwrap()));
                body.extend_from_slice(line);
                body.push(b'\n');
                rest = tail;
            }
            assert_eq!(region(&body).end, body.len(), "{lengths:?}");
        }
        let mut other = encoded(900, 76);
        for byte in &mut other {
            *byte = match *byte {
                b'+' => b'-',
                b'/' => b'_',
                byte => byte,
            };
        }
        assert_eq!(region(&other).end, other.len());
    }
}
