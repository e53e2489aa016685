//! Lists the languages of each time zone, by its offsets from UTC in standard and summer time.
//!
//! # Limits
//! Today's zones. Russia and Turkey changed their offsets since 2002; both offsets are listed.

use crate::generated::languages::LANGUAGES;

/// Languages, and the hours that the clocks of their countries are ahead of UTC.
const HOURS: [(&[&str], &[i16]); 14] = [
    (
        &[
            "de", "it", "nl", "da", "sv", "nb", "nn", "ca", "gl", "eu", "sq", "pl", "cs", "sk",
            "hu", "sl", "hr", "bs", "sr", "mk",
        ],
        &[1, 2],
    ),
    (&["fr"], &[1, 2, -5, -4]),
    (&["es"], &[0, 1, 2, -7, -6, -5, -4, -3]),
    (&["pt"], &[0, 1, -4, -3, -2]),
    (&["is", "ga", "cy"], &[0, 1]),
    (
        &[
            "fi", "et", "lv", "lt", "ro", "bg", "el", "uk", "be", "tr", "he",
        ],
        &[2, 3],
    ),
    (&["ru"], &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    (&["kk"], &[4, 5, 6, 7]),
    (&["ar"], &[0, 1, 2, 3, 4]),
    (&["th", "vi"], &[7]),
    (&["id"], &[7, 8, 9]),
    (&["zh_CN", "zh_TW"], &[8]),
    (&["ja", "ko"], &[9]),
    (&["af"], &[2]),
];
/// Minutes that the clocks of Iran are ahead of UTC.
const IRAN: [i16; 2] = [210, 270];

/// For each language a bit for each full hour of its zones. Bit 0 is 12 hours behind UTC. No bit for languages that are not in the list.
static ZONES: [u32; LANGUAGES.len()] = {
    let mut zones = [0; LANGUAGES.len()];
    let mut index = 0;
    while index < zones.len() {
        let name = LANGUAGES[index].name.as_bytes();
        let mut row = 0;
        while row < HOURS.len() {
            let (names, hours) = HOURS[row];
            let mut nth = 0;
            while nth < names.len() * hours.len() {
                if is_same(name, names[nth / hours.len()].as_bytes()) {
                    zones[index] |= 1 << (12 + hours[nth % hours.len()]);
                }
                nth += 1;
            }
            row += 1;
        }
        index += 1;
    }
    zones
};

/// Returns true if two names are equal, in constants.
const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// Returns true if the language with this index in `LANGUAGES` is written where clocks are `minutes` ahead of UTC.
pub(super) fn is_written(index: usize, minutes: i16) -> bool {
    let is_at = |zones: u32| {
        let hour = u32::try_from(minutes / 60 + 12).ok();
        minutes % 60 == 0 && hour.is_some_and(|hour| hour < 32 && zones >> hour & 1 != 0)
    };
    match ZONES[index] {
        // English and Esperanto are written everywhere.
        0 => LANGUAGES[index].name != "fa" || IRAN.contains(&minutes),
        zones => is_at(zones),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_a_zone() {
        for (index, language) in LANGUAGES.iter().enumerate() {
            let zones: Vec<i16> = (-720..=840)
                .step_by(30)
                .filter(|zone| is_written(index, *zone))
                .collect();
            assert!(!zones.is_empty(), "{}", language.name);
        }
    }

    #[test]
    fn zones_tell_languages_apart() {
        let index = |name: &str| {
            LANGUAGES
                .iter()
                .position(|language| language.name == name)
                .unwrap()
        };
        for (name, zone, expected) in [
            ("ja", 540, true),
            ("zh_CN", 540, false),
            ("zh_CN", 480, true),
            ("fa", 210, true),
            ("ar", 210, false),
            ("lt", 60, false),
            ("da", 60, true),
            ("pt", -180, true),
            ("en", -480, true),
        ] {
            assert_eq!(is_written(index(name), zone), expected, "{name} {zone}");
        }
    }
}
