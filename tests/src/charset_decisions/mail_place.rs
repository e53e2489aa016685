//! Places that names have in mail, such as brackets, table cells, paths and subjects.
//!
//! # Limits
//!
//! Templates are ASCII, except for quotation marks, dashes and ellipses.

use crate::rng::Rng;

/// What surrounds a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MailPlace {
    /// `(Škoda)`
    Brackets,
    /// `„Škoda“`
    Quotes,
    /// `<td>Škoda</td>`
    Tags,
    /// `and/Škoda`
    Slashes,
    /// `ex-Škoda`
    Hyphens,
    /// `name=Škoda`
    Equals,
    /// `Name:Škoda`
    Colons,
    /// `>Škoda`
    Quotations,
    /// `*Škoda*`
    Emphasis,
    /// `12.Škoda`
    Digits,
    /// `Škoda` as a line.
    Lines,
    /// `Škoda` as a line that ends with CR LF.
    CrLfLines,
    /// `C:\Škoda\`
    Paths,
    /// `Re: Škoda`
    Subjects,
    /// `"Škoda" <a@example.org>`
    Addresses,
}

impl MailPlace {
    /// All places.
    pub const ALL: [Self; 15] = [
        Self::Brackets,
        Self::Quotes,
        Self::Tags,
        Self::Slashes,
        Self::Hyphens,
        Self::Equals,
        Self::Colons,
        Self::Quotations,
        Self::Emphasis,
        Self::Digits,
        Self::Lines,
        Self::CrLfLines,
        Self::Paths,
        Self::Subjects,
        Self::Addresses,
    ];

    /// Returns its name in tables, and an example in Markdown.
    pub fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Brackets => ("brackets", "`(Škoda)`"),
            Self::Quotes => ("quotation marks", "`„Škoda“`"),
            Self::Tags => ("tags", "`<td>Škoda</td>`"),
            Self::Slashes => ("slashes", "`and/Škoda`"),
            Self::Hyphens => ("hyphens", "`ex-Škoda`"),
            Self::Equals => ("equals signs", "`name=Škoda`"),
            Self::Colons => ("colons", "`Name:Škoda`"),
            Self::Quotations => ("quoted lines", "`>Škoda`"),
            Self::Emphasis => ("emphasis", "`*Škoda*`"),
            Self::Digits => ("digits", "`12.Škoda`"),
            Self::Lines => ("lines", "`Škoda`"),
            Self::CrLfLines => ("lines that end with CR LF", "`Škoda`"),
            Self::Paths => ("paths", "`C:\\Škoda\\`"),
            Self::Subjects => ("subjects", "`Re: Škoda`"),
            Self::Addresses => ("addresses", "`\"Škoda\" <a@example.org>`"),
        }
    }

    /// Returns true if its templates have several lines.
    pub(super) fn has_lines(self) -> bool {
        matches!(self, Self::Lines | Self::CrLfLines)
    }

    /// Returns the templates. `{}` stands for the name.
    fn templates(self) -> &'static [&'static str] {
        let mut templates = TEMPLATES.iter();
        let found = templates.find(|(place, _)| *place == self);
        found.expect("each place has templates").1
    }

    /// Puts a name into this place. `language` decides about quotation marks.
    pub(super) fn around(self, name: &str, language: &str, rng: &mut Rng) -> String {
        let template = *rng.pick(self.templates());
        let own_marks = self == Self::Quotes && rng.chance(75);
        if own_marks {
            let (open, close) = *rng.pick(quotation_marks(language));
            return format!("{open}{name}{close}");
        }
        template.replace("{}", name)
    }
}

/// The templates of each place.
const TEMPLATES: [(MailPlace, &[&str]); MailPlace::ALL.len()] = [
    (
        MailPlace::Brackets,
        &[
            "({})",
            "[{}]",
            "{{}}",
            "1){}",
            "{}(1)",
            "{}[2]",
            "the order (see {}) is",
            "a){}",
            "(new){}",
            "array[{}]",
        ],
    ),
    (
        MailPlace::Quotes,
        &[
            "\"{}\"",
            "'{}'",
            "`{}'",
            "``{}''",
            "the \"{}\" of",
            "(\"{}\")",
            "'{}",
            "\"{}",
            "{}…",
            "…{}",
        ],
    ),
    (
        MailPlace::Tags,
        &[
            "<td>{}</td>",
            "<b>{}</b>",
            "<tr><td>1</td><td>{}</td><td>2</td></tr>",
            "<li>{}",
            "<a href=\"a.html\">{}</a>",
            "<br>{}<br>",
            "<p>See <i>{}</i>.</p>",
            "<option value=1>{}</option>",
            "<font size=2>{}&nbsp;</font>",
            "&nbsp;{}",
            "<img alt=\"{}\" src=a.gif>",
        ],
    ),
    (
        MailPlace::Slashes,
        &["and/{}", "{}/and", "/{}/", "1/{}", "{}/2", "a/{}/b", "//{}"],
    ),
    (
        MailPlace::Hyphens,
        &[
            "ex-{}", "{}-on", "-{}", "--{}", "- {}", "{}-", "-{}-", "A-{}", "{}-{}", "e-{}", "–{}",
            "{}–", "{}—{}",
        ],
    ),
    (
        MailPlace::Equals,
        &["name={}", "={}", "{}=1", "a={}&b=2", "{}={}", "x=\"{}\""],
    ),
    (
        MailPlace::Colons,
        &[
            "Name:{}", ":{}", "{}:", "{}::", "1:{}", "a:{};", "x;{}", "a,{},b", ".{}", "{}.org",
        ],
    ),
    (
        MailPlace::Quotations,
        &[
            ">{}", "> {}", ">>{}", "> >{}", "|{}", "JS>{}", "> > {}", ": {}",
        ],
    ),
    (
        MailPlace::Emphasis,
        &[
            "*{}*", "_{}_", "*{}", "**{}**", "~{}~", "#{}", "@{}", "+{}", "!{}!",
        ],
    ),
    (
        MailPlace::Digits,
        &[
            "12.{}", "1{}", "{}2", "12{}", "{}99", "1.{}", "3,{}", "2x{}", "10%{}", "{}1{}",
        ],
    ),
    (
        MailPlace::Lines,
        &[
            "See below.\n{}\nRegards",
            "{}\nRegards",
            "Regards\n{}",
            "\n\n{}\n-- \n1",
            "\t{}",
            "Name\t{}\t1",
        ],
    ),
    (
        MailPlace::CrLfLines,
        &[
            "See below.\r\n{}\r\nRegards",
            "{}\r\nRegards",
            "Regards\r\n{}",
            "1\r\n\r\n{}\r\n\r\n2",
        ],
    ),
    (
        MailPlace::Paths,
        &[
            "C:\\{}\\",
            "C:\\Files\\{}.doc",
            "/home/{}/a.txt",
            "\\\\server\\{}",
            "docs/{}.html",
            "~/{}",
            "{}.txt",
            "file_{}_1.pdf",
            "$HOME/{}",
            "%{}%",
        ],
    ),
    (
        MailPlace::Subjects,
        &[
            "Re: {}",
            "Re:{}",
            "[list] {}",
            "[list]{}",
            "Fwd: [{}]",
            "AW: {}",
            "Re: [list 12] {} (fwd)",
            "Subject: {}",
            "[{}] 12/3",
            "Fw:{}",
        ],
    ),
    (
        MailPlace::Addresses,
        &[
            "{} <a@example.org>",
            "\"{}\" <a@example.org>",
            "<{}>",
            "a@example.org ({})",
            "To: {} <a@example.org>, b@example.org",
            "\"{}, A.\" <a@example.org>",
            "'{}' <a@example.org>",
            "<a@example.org>{}",
            "mailto:{}",
        ],
    ),
];

/// Returns the quotation marks of a language. Much mail has English ones.
fn quotation_marks(language: &str) -> &'static [(&'static str, &'static str)] {
    match language {
        "fr" => &[("«\u{A0}", "\u{A0}»"), ("«", "»"), ("“", "”")],
        "de" | "cs" | "sk" | "sl" | "hr" | "bs" | "is" | "et" | "lt" | "lv" | "bg" | "mk" => {
            &[("„", "“"), ("»", "«"), ("‚", "‘")]
        }
        "pl" | "ro" | "hu" | "sr" | "nl" | "af" => &[("„", "”"), ("»", "«"), ("“", "”")],
        "sv" | "fi" => &[("”", "”"), ("»", "»"), ("’", "’")],
        "da" | "nb" | "nn" => &[("»", "«"), ("„", "“"), ("«", "»")],
        "ru" | "uk" | "be" | "es" | "pt" | "it" | "ca" | "gl" | "el" | "tr" | "hy" | "fa"
        | "ar" | "sq" | "eu" => &[("«", "»"), ("“", "”"), ("„", "“")],
        "ja" | "zh_TW" => &[("「", "」"), ("『", "』"), ("（", "）")],
        "zh_CN" => &[("“", "”"), ("《", "》"), ("（", "）")],
        "ko" => &[("“", "”"), ("‘", "’"), ("「", "」")],
        _ => &[("“", "”"), ("‘", "’"), ("«", "»")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_template_has_the_name() {
        for place in MailPlace::ALL {
            for template in place.templates() {
                assert!(template.contains("{}"), "{template}");
                let has_lines = template.contains('\n');
                assert!(!has_lines || place.has_lines(), "{template}");
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_place() {
        let text = |seed| MailPlace::Quotes.around("Škoda", "cs", &mut Rng::new(seed));
        assert_eq!(text(1), text(1));
        assert!((0..20).any(|seed| text(seed) == "„Škoda“"));
    }
}
