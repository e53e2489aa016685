//! Encodes the text of a field.

use super::address_tokens::tokens;
use super::field_token::{FieldToken, push_blank, push_solid};
use super::style::Style;
use super::token_writer::TokenWriter;
use crate::encoded_word::{
    Form, HeaderContext, LineWriter, MAX_LINE_BYTES, MAX_RAW_BYTES, MAX_WORD_BYTES, Place,
    RewriteTarget, Unencodable, apply, is_atom, quoted, rewrite_units, span_to_encode, stretches,
};
use crate::field_kind::FieldKind;
use crate::header::known_fields::field_kind;
use crate::header::value::{decode, rewrite};
use crate::lexer;
use mailglot_codec::Charset;
use std::borrow::Cow;

/// Encodes the text of a whole field. The first line continues after `name`, a colon and a space.
///
/// Words appear only where RFC 2047 5 allows them:
///
/// - lists of addresses: in names and comments
/// - `List-Id`: in the text before the identifier
/// - `Keywords`: in each keyword
/// - other fields: anywhere
///
/// Fields without words, such as `Message-ID` and `Content-Type`, have no form for control characters other than tabs. Lists of
/// addresses have no form for line ends. In both cases the result is [`Unencodable::Place`].
///
/// Words also split a piece of more than 900 bytes without white space, since a line may have 998 (RFC 5322, section 2.1.1). An
/// address, an identifier or a parameter of that length stays on one line.
///
/// In an address field, text without an `@` may be a group (`name: ;`) or a name before angles. Otherwise it is a single name,
/// which [`decode`] returns unchanged.
pub fn encode_field(name: &str, text: &str, style: &Style<'_>) -> Result<String, Unencodable> {
    // Name, colon and space.
    let column = name.len() + 2;
    let kind = field_kind(name.as_bytes());
    match kind {
        FieldKind::Opaque | FieldKind::Comments | FieldKind::Parameters if has_control(text) => {
            Err(Unencodable::Place)
        }
        FieldKind::Unstructured => field_text(text, Place::Text, style, column),
        FieldKind::Phrases if name.eq_ignore_ascii_case("keywords") => {
            keywords(text, style, column)
        }
        FieldKind::Structured | FieldKind::Phrases if text.contains('@') => {
            list(text, kind, style, column)
        }
        FieldKind::Structured | FieldKind::Phrases if is_group(text) || has_angles(text) => {
            match list(text, kind, style, column) {
                Ok(value) if is_quoted_group(text) || reads(&value, kind) == text => Ok(value),
                _ => phrase(text, style, column),
            }
        }
        FieldKind::Structured | FieldKind::Phrases => phrase(text, style, column),
        FieldKind::Parameters => parameters(text, style, column),
        FieldKind::Opaque | FieldKind::Comments if text.is_ascii() => {
            let mut lines = LineWriter::new(column, style.eol);
            lines.raw(text);
            Ok(lines.out)
        }
        FieldKind::Opaque | FieldKind::Comments => Err(Unencodable::Place),
    }
}

/// Writes [`Style::text`] after a field name. Starts a new line if the first word does not fit beside the name.
fn field_text(
    text: &str,
    place: Place,
    style: &Style<'_>,
    column: usize,
) -> Result<String, Unencodable> {
    let need = match span_to_encode(text, place, style.eol) {
        Some((0, end)) => {
            let composer = TokenWriter::new(style, style.charset(text), column);
            composer.first_word(&text[..end], place, MAX_WORD_BYTES)
        }
        _ => stretches(text).next().map_or(0, str::len),
    };
    if style.eol.is_empty() || column + need <= MAX_LINE_BYTES {
        return style.text(text, place, column);
    }
    Ok(format!("{} {}", style.eol, style.text(text, place, 1)?))
}

/// Returns true if a text has a control character other than a tab. One such character is a line end, which would begin a field
/// of its own.
fn has_control(text: &str) -> bool {
    text.chars().any(|c| c.is_control() && c != '\t')
}

/// Returns a context that reads raw bytes as UTF-8.
fn context() -> HeaderContext<'static> {
    HeaderContext {
        raw: Some(Charset::UTF_8),
        ..HeaderContext::default()
    }
}

fn reads(value: &str, kind: FieldKind) -> Cow<'_, str> {
    decode(value.as_bytes(), kind, &context(), &mut Vec::new())
}

/// Returns true for `name: …;`.
fn is_group(text: &str) -> bool {
    text.trim_end_matches(' ').ends_with(';') && text.find(':').is_some_and(|at| at > 0)
}

/// Returns true for `"name": …;`.
fn is_quoted_group(text: &str) -> bool {
    let end = if text.starts_with('"') {
        lexer::CharacterSteps::default().quoted_end(text.as_bytes(), 0)
    } else {
        None
    };
    is_group(text) && end.is_some_and(|end| text[end..].trim_start_matches(' ').starts_with(':'))
}

/// Returns true for `name <address>`.
fn has_angles(text: &str) -> bool {
    let Some((name, address)) = text.trim_end_matches(' ').rsplit_once(" <") else {
        return false;
    };
    let Some(address) = address.strip_suffix('>') else {
        return false;
    };
    !name.contains(['<', '>', '"', '\\', '(']) && address.bytes().all(|b| is_atom(b) || b == b'.')
}

/// Encodes a value with parameters. Uses the extended form for parameters that need it.
fn parameters(text: &str, style: &Style<'_>, column: usize) -> Result<String, Unencodable> {
    let kind = FieldKind::Parameters;
    let value = text.as_bytes();
    let target = RewriteTarget {
        form: Form::Words,
        column,
        eol: style.eol,
    };
    let changes = rewrite(value, kind, target, &context(), &mut Vec::new());
    let written = String::from_utf8_lossy(&apply(value, &changes)).into_owned();
    if written.is_ascii() && reads(&written, kind) == reads(text, kind) {
        Ok(written)
    } else {
        Err(Unencodable::Place)
    }
}

/// Encodes a single name as atoms, a quoted string or words.
fn phrase(text: &str, style: &Style<'_>, column: usize) -> Result<String, Unencodable> {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_atom);
    if text.is_empty()
        || text.split(' ').all(is_word) && span_to_encode(text, Place::Phrase, style.eol).is_none()
    {
        return field_text(text, Place::Phrase, style, column);
    }
    if text.bytes().all(|b| matches!(b, b' '..=b'~')) && !text.contains("=?") {
        let string = quoted(text);
        let is_long = !style.eol.is_empty() && string.len() >= MAX_LINE_BYTES;
        if !is_long && reads(&string, FieldKind::Structured) == text {
            let mut lines = LineWriter::new(column, style.eol);
            lines.begin(string.len());
            lines.push(&string);
            return Ok(lines.out);
        }
        return TokenWriter::new(style, style.charset(text), column)
            .write(&[FieldToken::Words(Cow::Borrowed(text), Place::Phrase)]);
    }
    field_text(text, Place::Phrase, style, column)
}

/// Encodes phrases between commas (RFC 5322, section 3.6.5).
fn keywords(text: &str, style: &Style<'_>, column: usize) -> Result<String, Unencodable> {
    let mut tokens = Vec::new();
    let mut rest = text;
    // True after a quote or parenthesis without partner. Later ones may have none either, so the search stops.
    let mut open = false;
    while !rest.is_empty() {
        let end = if open { None } else { element_end(rest) };
        open |= end.is_none();
        let end = end.unwrap_or_else(|| rest.find(',').unwrap_or(rest.len()));
        let body = rest[..end].trim_matches([' ', '\t']);
        let start = rest[..end].len() - rest[..end].trim_start_matches([' ', '\t']).len();
        push_blank(&mut tokens, &rest[..start]);
        let is_long = !style.eol.is_empty() && body.len() > MAX_RAW_BYTES;
        let is_raw =
            !is_long && body.bytes().all(|b| matches!(b, b' '..=b'~')) && !body.contains("=?");
        if !body.is_empty() && is_raw {
            push_solid(&mut tokens, body);
        } else if !body.is_empty() {
            tokens.push(FieldToken::Words(unquoted(body).into(), Place::Phrase));
        }
        push_blank(&mut tokens, &rest[start + body.len()..end]);
        let comma = rest[end..].starts_with(',');
        if comma {
            push_solid(&mut tokens, ",");
            if !style.eol.is_empty() {
                tokens.push(FieldToken::Blank("".into()));
            }
        }
        rest = &rest[end + usize::from(comma)..];
    }
    TokenWriter::new(style, style.charset(text), column).write(&tokens)
}

/// Returns the offset of the first comma outside quotes and comments, or the end. None if a quote or comment is not closed.
fn element_end(text: &str) -> Option<usize> {
    let (bytes, mut at) = (text.as_bytes(), 0);
    let (mut quoted, mut depth) = (false, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if quoted || depth > 0 => at += 1,
            b'"' if depth == 0 => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => depth = depth.saturating_sub(1),
            b',' if !quoted && depth == 0 => return Some(at),
            _ => {}
        }
        at += 1;
    }
    (!quoted && depth == 0).then_some(text.len())
}

/// Removes the quotes of a phrase's strings.
fn unquoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('"') {
        let Some(end) = lexer::CharacterSteps::default().quoted_end(rest.as_bytes(), at) else {
            break;
        };
        out.push_str(&rest[..at]);
        out.push_str(&lexer::unescape(&rest[at + 1..end - 1]));
        rest = &rest[end..];
    }
    out + rest
}

/// Encodes a list of addresses, groups, names and comments.
fn list(
    text: &str,
    kind: FieldKind,
    style: &Style<'_>,
    column: usize,
) -> Result<String, Unencodable> {
    // Between tokens it would be kept as white space.
    if text.contains(['\r', '\n']) {
        return Err(Unencodable::Place);
    }
    let raw = text.as_bytes();
    let (decoded, rewrite_units) =
        rewrite_units(raw, kind, Form::Words, &context(), &mut Vec::new());
    let tokens = tokens(text, &rewrite_units, !style.eol.is_empty())?;
    let has_words = tokens
        .iter()
        .any(|token| matches!(token, FieldToken::Words(..)));
    if has_words && lexer::swallows_address(raw) {
        return Err(Unencodable::Place);
    }
    let written = TokenWriter::new(style, style.charset(&decoded), column).write(&tokens)?;
    if !written.is_ascii() {
        return Err(Unencodable::Place);
    }
    let solid = |text: &str| text.split_ascii_whitespace().collect::<String>();
    if has_words && solid(&reads(&written, kind)) != solid(&decoded) {
        return Err(Unencodable::Place);
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoded_word::{Encoding, encode_as, encode_legacy};
    use crate::fields::{Entry, addresses};
    use crate::linear::assert_linear;
    use crate::random::Random;
    use crate::test_charsets::charset_named;

    const PLAIN: Style<'_> = Style {
        charsets: &[Charset::UTF_8],
        encoding: Encoding::Shorter,
        eol: "",
    };

    /// Calls `work` with all styles.
    fn styles(work: impl Fn(&Style<'_>)) {
        for charsets in [
            &[Charset::UTF_8][..],
            &[Charset::ISO_2022_JP, Charset::UTF_8],
            &[charset_named("KOI8-R"), Charset::UTF_8],
        ] {
            for encoding in [Encoding::Shorter, Encoding::B, Encoding::Q] {
                for eol in ["", "\n", "\r\n"] {
                    work(&Style {
                        charsets,
                        encoding,
                        eol,
                    });
                }
            }
        }
    }

    /// Checks that no word or line is too long, and that no line ends in white space.
    fn check_lines(name: &str, value: &str, style: &Style<'_>) {
        assert!(value.is_ascii(), "{value}");
        let words = value
            .split([' ', '(', ')', '\n', '\r', ','])
            .filter(|word| word.starts_with("=?"));
        words.for_each(|word| assert!(word.len() <= MAX_WORD_BYTES, "{word} in {value}"));
        if style.eol.is_empty() {
            assert!(!value.contains('\n'));
            return;
        }
        for (at, line) in format!("{name}: {value}").split(style.eol).enumerate() {
            assert!(line.len() <= MAX_LINE_BYTES, "{} in {value}", line.len());
            assert!(
                at == 0 || line.starts_with(' ') && !line.trim().is_empty(),
                "{value:?}"
            );
            assert!(
                at == 0 && line.len() <= name.len() + 2 || line.trim_end() == line,
                "{value:?}"
            );
        }
    }

    fn entries(value: &str) -> Vec<(Option<String>, String, Vec<String>)> {
        let mut out = Vec::new();
        let mut add = |one: crate::fields::Mailbox| out.push((one.name, one.address, one.comments));
        for entry in addresses(value.as_bytes(), &context(), &mut Vec::new()) {
            match entry {
                Entry::Mailbox(one) => add(one),
                Entry::Group { name, list } => {
                    list.into_iter().for_each(&mut add);
                    add(crate::fields::Mailbox {
                        name: Some(name),
                        address: String::new(),
                        comments: Vec::new(),
                        at: 0..0,
                    });
                }
            }
        }
        out
    }

    const NAMES: [&str; 14] = [
        "Jörg",
        "Max",
        "日本",
        "太郎",
        "Привет",
        "Müller-Lüdenscheidt",
        "👩‍🚀",
        "e\u{301}x",
        "שלום",
        "สวัสดี",
        "O'Neill",
        "한국어",
        "ﾃｽﾄ",
        "नमस्ते",
    ];

    fn names(random: &mut Random, most: usize) -> String {
        (0..=random.below(most))
            .map(|_| *random.pick(&NAMES))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn mailbox(random: &mut Random) -> String {
        let address = format!(
            "{}@{}.example",
            "ab".repeat(1 + random.below(12)),
            "x".repeat(1 + random.below(9))
        );
        match random.below(6) {
            0 => address,
            1 => format!("{address} ({})", names(random, 5)),
            2 => format!(
                "{address} ({} \"q\" (x {}))",
                names(random, 1),
                names(random, 1)
            ),
            3 => format!(
                "\"{}, \\\"{}\" <{address}>",
                names(random, 3),
                names(random, 9)
            ),
            4 => format!("\"plain, {}\" <{address}>", random.below(99)),
            _ => format!("{} <{address}>", names(random, 6)),
        }
    }

    #[test]
    fn lists_keep_their_addresses_and_names() {
        let mut random = Random(7);
        for _ in 0..400 {
            let list: Vec<String> = (0..=random.below(6))
                .map(|_| {
                    if random.below(6) > 0 {
                        return mailbox(&mut random);
                    }
                    let (name, one, two) = (
                        names(&mut random, 2),
                        mailbox(&mut random),
                        mailbox(&mut random),
                    );
                    format!("{name}: {one}, {two};")
                })
                .collect();
            let text = list.join(*random.pick(&[", ", ",", ",  "]));
            if !text.contains('@') {
                continue;
            }
            styles(|style| {
                let value = encode_field("To", &text, style).expect("phrases and comments");
                check_lines("To", &value, style);
                assert_eq!(entries(&value), entries(&text), "{text}\n{value}");
            });
        }
    }

    #[test]
    fn texts_and_names_come_back() {
        let pieces = [
            "Jörg",
            "Max",
            "日本",
            "👩‍🚀",
            "e\u{301}",
            "=?",
            "?=",
            "=?utf-8?Q?a?=",
            " ",
            " ",
            " ",
            "  ",
            "   ",
            "\u{FEFF}",
            ",",
            "\"",
            "\\",
            "(",
            ")",
            "<",
            ">",
            ".",
            ";",
            ":",
            "]",
            "Привет",
            "a-very-long-atom-of-ASCII",
            "x",
            "1",
        ];
        let mut random = Random(11);
        for _ in 0..1_500 {
            let text: String = (0..=random.below(24))
                .map(|_| *random.pick(&pieces))
                .collect();
            if text.len() > 60 && !text.contains(' ') && text.is_ascii() {
                continue;
            }
            styles(|style| {
                for name in [
                    "Subject",
                    "From",
                    "X-A-Name-That-Leaves-Less-Room-Than-A-Word-With-A-Cluster-Needs",
                ] {
                    let value = encode_field(name, &text, style).expect("text");
                    let kind = field_kind(name.as_bytes());
                    if kind == FieldKind::Structured && is_quoted_group(&text) {
                        continue;
                    }
                    let body = value
                        .strip_prefix(&format!("{} ", style.eol))
                        .unwrap_or(&value);
                    let body = if style.eol.is_empty() { &value } else { body };
                    assert_eq!(reads(body, kind), text, "{name}: {value:?}");
                    let is_atom_too_long = text
                        .split(' ')
                        .any(|atom| atom.is_ascii() && atom.len() > 40);
                    if !is_atom_too_long {
                        check_lines(name, &value, style);
                    }
                }
            });
        }
    }

    #[test]
    fn words_contain_no_syntax() {
        let eol = "\n";
        for (name, text, eol, want) in [
            (
                "List-Id",
                "Grüne <l.x.de>",
                "",
                "=?UTF-8?B?R3LDvG5l?= <l.x.de>",
            ),
            (
                "List-Id",
                "Fußball@Schule <l.x.de>",
                "",
                "=?UTF-8?B?RnXDn2JhbGxAU2NodWxl?= <l.x.de>",
            ),
            ("Keywords", "grün, blau", "", "=?UTF-8?B?Z3LDvG4=?=, blau"),
            ("Keywords", "ü@x", "", "=?UTF-8?B?w7xAeA==?="),
            (
                "Keywords",
                "\"a, ü\",\"b, c\"",
                "",
                "=?UTF-8?B?YSwgw7w=?=,\"b, c\"",
            ),
            ("To", "ü: ;", "", "=?UTF-8?B?w7w=?=: ;"),
            ("To", "\"ü, x\": ;", "", "=?UTF-8?B?w7wsIHg=?=: ;"),
            ("To", "ü <root>", "", "=?UTF-8?B?w7w=?= <root>"),
            ("To", "Smith, John", "", "\"Smith, John\""),
            ("To", "John \"Jack\" Doe", "", "\"John \\\"Jack\\\" Doe\""),
            ("To", "John Doe", "", "John Doe"),
            (
                "To",
                "undisclosed-recipients:;",
                "",
                "undisclosed-recipients:;",
            ),
            (
                "To",
                "\"ü\"<a@b>,ö<c@d>",
                "",
                "=?UTF-8?B?w7w=?= <a@b>, =?UTF-8?B?w7Y=?= <c@d>",
            ),
            ("To", "Jo\u{1}hn <a@b.c>", "", "=?UTF-8?Q?Jo=01hn?= <a@b.c>"),
            (
                "To",
                "ривет M?= Ole.org>, \"von@home\" <max.m@example.org>",
                "",
                "=?UTF-8?B?0YDQuNCy0LXRgg==?= M?= Ole.org>, \"von@home\" <max.m@example.org>",
            ),
            (
                "Subject",
                "Hello there, this is a text that is to be read before the fold    grün",
                eol,
                "Hello there, this is a text that is to be read before the fold\n =?UTF-8?Q?___gr=C3=BCn?=",
            ),
        ] {
            assert_eq!(
                encode_field(name, text, &Style { eol, ..PLAIN }).as_deref(),
                Ok(want),
                "{name}: {text}"
            );
        }
        for (name, text) in [
            ("From", "jörg@example.org"),
            ("To", "x <a@exämple.org>"),
            ("To", "a\u{1}@b"),
            ("Message-ID", "<ü@x>"),
        ] {
            assert_eq!(
                encode_field(name, text, &PLAIN),
                Err(Unencodable::Place),
                "{text}"
            );
        }
    }

    #[test]
    fn no_text_begins_a_field_of_its_own() {
        for name in [
            "Message-ID",
            "Date",
            "DKIM-Signature",
            "Content-Type",
            "Content-Disposition",
            "Subject",
            "From",
            "To",
            "Keywords",
            "List-Id",
        ] {
            let kind = field_kind(name.as_bytes());
            for end in ["\r\n", "\n", "\r", "\0", "\u{7f}", "\u{85}"] {
                for start in [
                    "<a@b>",
                    "text/plain",
                    "text/plain; name=x",
                    "a",
                    "ü",
                    "a: b@c;",
                ] {
                    let text = format!("{start}{end}Bcc: x@y");
                    let value = encode_field(name, &text, &PLAIN);
                    if matches!(kind, FieldKind::Opaque | FieldKind::Parameters) {
                        assert_eq!(value, Err(Unencodable::Place), "{name}: {text:?}");
                    } else if let Ok(value) = value {
                        assert!(!has_control(&value), "{name}: {value:?}");
                    }
                }
            }
        }
        let value = "v=1;\ta=rsa-sha256";
        assert_eq!(
            encode_field("DKIM-Signature", value, &PLAIN).as_deref(),
            Ok(value)
        );
        let value = "text/plain;\tcharset=utf-8";
        assert_eq!(
            encode_field("Content-Type", value, &PLAIN).as_deref(),
            Ok(value)
        );
    }

    #[test]
    fn long_values_have_short_lines() {
        let style = Style { eol: "\n", ..PLAIN };
        for (name, unit) in [
            ("To", "Jorg <a@b.c>, "),
            ("To", "Jorg <a@b.c>,"),
            ("Subject", "word "),
            ("Subject", "two  blanks  "),
            ("Keywords", "ü, b,c,"),
            ("From", "name.x "),
            ("References", "<a@b.example> "),
        ] {
            let text = unit.repeat(300);
            for text in [text.trim_end(), &format!("ü {}", text.trim_end())] {
                if name != "References" || text.is_ascii() {
                    check_lines(
                        name,
                        &encode_field(name, text, &style).expect("encodable"),
                        &style,
                    );
                }
            }
        }
    }

    #[test]
    fn a_piece_that_no_line_can_hold_is_split() {
        let style = Style {
            eol: "\r\n",
            ..PLAIN
        };
        let url = format!("https://x.example/{}", "a".repeat(1_000));
        for (name, text) in [
            ("Subject", url.clone()),
            ("Subject", format!("see {url} there")),
            ("Comments", format!("  {url}")),
            ("To", "a".repeat(1_500)),
            ("To", format!("{} <a@b.example>", "a".repeat(1_500))),
            ("To", format!("a@b.example ({url})")),
            ("Keywords", format!("{}, b", "a".repeat(1_500))),
            ("Keywords", "two words ".repeat(120).trim_end().to_owned()),
        ] {
            let value = encode_field(name, &text, &style).expect("encodable");
            assert!(value.lines().all(|line| line.len() <= 998), "{value}");
            let unfolded = value.replace("\r\n", "");
            let unfolded = unfolded.strip_prefix(' ').unwrap_or(&unfolded);
            assert_eq!(
                reads(unfolded, field_kind(name.as_bytes())),
                text,
                "{value}"
            );
        }
        // Without folds the text stays as it is.
        assert_eq!(encode_field("Subject", &url, &PLAIN).as_deref(), Ok(&*url));
    }

    #[test]
    fn utf8_stands_for_charsets_that_do_not_suffice() {
        const LATIN: Style<'_> = Style {
            charsets: &[Charset::ISO_8859_1, Charset::KOI8_R],
            ..PLAIN
        };
        let words = |text: &str| {
            let field = encode_field("Subject", text, &LATIN);
            assert_eq!(LATIN.text(text, Place::Text, 9), field, "{text}");
            field.expect("UTF-8 has every character")
        };
        assert_eq!(words("Jörg"), "=?ISO-8859-1?Q?J=F6rg?=");
        assert_eq!(words("Да"), "=?KOI8-R?B?5ME=?=");
        assert_eq!(words("日"), "=?UTF-8?B?5pel?=");
        assert_eq!(
            encode_field("To", "日 <a@example.org>", &LATIN).as_deref(),
            Ok("=?UTF-8?B?5pel?= <a@example.org>")
        );
    }

    #[test]
    fn charsets_unusable_in_words_are_passed_over() {
        for name in [
            "IBM930",
            "SCSU",
            "BOCU-1",
            "IBM037",
            "UTF-EBCDIC",
            "UTF-7",
            "UTF-16",
        ] {
            let charset = charset_named(name);
            for text in ["ü", "plain"] {
                let style = Style {
                    charsets: &[charset],
                    ..PLAIN
                };
                let utf8 = PLAIN.text(text, Place::Text, 0);
                assert_eq!(style.text(text, Place::Text, 0), utf8, "{name}");
                assert_eq!(
                    encode_as(text, charset, Place::Text, PLAIN.encoding, 0, ""),
                    Err(Unencodable::Charset(charset)),
                    "{name}"
                );
            }
        }
        for name in [
            "ISO-2022-KR",
            "ISO-2022-JP",
            "Shift_JIS",
            "GB18030",
            "KOI8-R",
        ] {
            assert_eq!(encode_legacy::check(charset_named(name)), Ok(()), "{name}");
        }
    }

    #[test]
    fn values_take_linear_time() {
        for (name, unit) in [
            ("To", "ü <a@b>, "),
            ("To", "a@b (ü), "),
            ("To", "(ü"),
            ("To", "ü\"@"),
            ("Keywords", "(ü, "),
            ("Keywords", "\"ü\\, "),
            ("To", "ü:"),
            ("From", ".ü  "),
            ("Subject", "a  "),
        ] {
            for eol in ["", "\n"] {
                let style = Style {
                    encoding: Encoding::B,
                    eol,
                    ..PLAIN
                };
                assert_linear(&(name, unit), 100_000, |n| {
                    let _ = encode_field(name, &unit.repeat(n), &style);
                });
            }
        }
    }
}
