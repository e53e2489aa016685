//! Guesses the charset of names in zip and tar archives that do not say theirs.
//!
//! Windows and DOS write names in the code page of the console, such as IBM866 in Russia. Some programs write them in the code page of
//! Windows.
//!
//! # Limits
//! Few letters prove little: such names in zip mostly stay in code page 437, as the format says. Those in tar are mostly read in windows-1252,
//! or keep their bytes.

use mailglot_archive::{NameDecoding, NameSystem};
use mailglot_codec::Charset;
use mailglot_codec::detect::{Guess, Hints, detect_top};

/// Decodes names by the guess of the codec.
pub(crate) const MEMBER_NAMES: NameDecoding = NameDecoding { choose, decode };

/// The code pages of DOS, and those of Windows in East Asia, which are the same.
const OEM: &[Charset] = &[
    Charset::IBM437,
    Charset::IBM850,
    Charset::IBM852,
    Charset::IBM855,
    Charset::IBM857,
    Charset::IBM860,
    Charset::IBM861,
    Charset::IBM862,
    Charset::IBM865,
    Charset::IBM866,
    Charset::IBM869,
    Charset::IBM775,
    Charset::CP720,
    Charset::CP737,
    Charset::SHIFT_JIS,
    Charset::GBK,
    Charset::BIG5,
    Charset::WINDOWS_949,
];

/// The code pages of Windows, and charsets of Unix.
const WINDOWS_OR_UNIX: &[Charset] = &[
    Charset::WINDOWS_874,
    Charset::WINDOWS_1250,
    Charset::WINDOWS_1251,
    Charset::WINDOWS_1252,
    Charset::WINDOWS_1253,
    Charset::WINDOWS_1254,
    Charset::WINDOWS_1255,
    Charset::WINDOWS_1256,
    Charset::WINDOWS_1257,
    Charset::WINDOWS_1258,
    Charset::ISO_8859_2,
    Charset::ISO_8859_5,
    Charset::ISO_8859_7,
    Charset::ISO_8859_8,
    Charset::ISO_8859_13,
    Charset::ISO_8859_15,
    Charset::KOI8_R,
    Charset::KOI8_U,
    Charset::EUC_JP,
];

/// Number of guesses that are looked at.
const MOST: usize = 8;

/// Returns the likeliest charset of names, one in each line. `None` if none is far likelier than code page 437.
fn choose(names: &[u8], system: NameSystem) -> Option<&'static str> {
    /// Least confidence in a charset that the system uses; models of mail find code pages of DOS rare.
    const USUAL: f32 = 0.5;
    /// Least confidence in another charset.
    const UNUSUAL: f32 = 0.9;
    let usual = match system {
        NameSystem::Dos => OEM,
        NameSystem::Other => WINDOWS_OR_UNIX,
    };
    let hints = Hints {
        ascii_compatible: true,
        ..Hints::default()
    };
    let guesses = detect_top(names, &hints, MOST);
    let text = |charset: Charset| decode(names, charset.name());
    let is_likely = |guess: &&Guess| {
        let known = OEM.contains(&guess.charset) || WINDOWS_OR_UNIX.contains(&guess.charset);
        let least = if usual.contains(&guess.charset) {
            USUAL
        } else {
            UNUSUAL
        };
        known && guess.confidence >= least && text(guess.charset).is_some()
    };
    let charset = guesses.iter().find(is_likely)?.charset;
    (text(charset) != text(Charset::IBM437)).then(|| charset.name())
}

/// Decodes a name. Returns `None` if bytes are no characters, or are control characters beyond ASCII.
fn decode(name: &[u8], charset: &str) -> Option<String> {
    let text = Charset::for_name(charset)?.decode_exact(name)?.into_owned();
    let is_control = |c: char| !c.is_ascii() && c.is_control();
    (!text.contains(is_control)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::{LossLog, Unmappable};

    fn chosen(charset: Charset, names: &str, system: NameSystem) -> Option<&'static str> {
        let mut log = LossLog::new();
        let bytes = charset.encode(names, Unmappable::QuestionMark, &mut log);
        assert_eq!(log.losses(), 0, "{names}");
        choose(&bytes, system)
    }

    #[test]
    fn names_of_each_language_are_read_in_its_code_page() {
        let names = [
            (Charset::IBM866, "Входящие\nОтчёт за месяц.eml"),
            (Charset::IBM866, "почта.mbox"),
            (Charset::IBM850, "São Paulo - não.eml"),
            (Charset::IBM850, "Papirkurv\nÅrsmøde.eml"),
            (Charset::IBM852, "Odeslaná pošta.mbox"),
            (Charset::IBM852, "Wysłane.mbox"),
            (Charset::IBM852, "Beérkező levelek.mbox"),
            (Charset::IBM855, "Примљена пошта.mbox"),
            (Charset::IBM857, "Gönderilmiş Öğeler.mbox"),
            (Charset::IBM862, "דואר נכנס.mbox"),
            (Charset::IBM775, "Gautų laiškų dėžutė.mbox"),
            (Charset::CP737, "Εισερχόμενα.mbox"),
            (Charset::SHIFT_JIS, "受信トレイ\n表予.eml"),
            (Charset::GBK, "收件箱\n测试邮件.eml"),
            (Charset::BIG5, "收件匣\n測試郵件.eml\n功.eml"),
            (Charset::WINDOWS_949, "받은편지함.mbox"),
            (Charset::WINDOWS_1251, "Входящие\nОтчёт за месяц.eml"),
            (Charset::WINDOWS_1252, "Éléments envoyés.mbox"),
        ];
        for (charset, names) in names {
            let found = chosen(charset, names, NameSystem::Dos);
            assert_eq!(found, Some(charset.name()), "{names}");
        }
        for (charset, names) in [
            (Charset::KOI8_R, "Входящие.mbox"),
            (Charset::WINDOWS_1252, "Entwürfe.mbox"),
        ] {
            let found = chosen(charset, names, NameSystem::Other);
            assert_eq!(found, Some(charset.name()), "{names}");
        }
    }

    #[test]
    fn few_letters_stay_in_code_page_437() {
        for names in [
            "Entwürfe.mbox",
            "Müller.mbox",
            "naïve café.eml",
            "10° north.mbox",
            "½ price.eml",
            "España\nmañana.eml",
            "═══.mbox",
        ] {
            assert_eq!(
                chosen(Charset::IBM437, names, NameSystem::Dos),
                None,
                "{names}"
            );
        }
    }

    #[test]
    fn a_name_with_other_bytes_is_not_decoded() {
        assert_eq!(decode(b"\x82\xa0", "Shift_JIS").as_deref(), Some("あ"));
        assert_eq!(decode(b"\x95\x5c", "Shift_JIS").as_deref(), Some("表"));
        assert_eq!(decode(b"\x82", "Shift_JIS"), None);
        assert_eq!(decode(b"\x81", "windows-1252"), None);
    }
}
