//! Tests of labels.

use super::repair::{fold, folded, is_separator};
use super::row::{LabelRow, answer_of};
use super::*;
use crate::generated::labels::LABELS;
use std::collections::HashMap;

/// The one of several labels with the same folded key that it leads to.
fn heir(rows: &[(String, &'static LabelRow)]) -> Option<&'static LabelRow> {
    let best = |row: &LabelRow| match row.2 {
        Source::IanaName | Source::Iana => 0,
        Source::Web => 1,
        Source::Mail | Source::Slip => 2,
    };
    let alike = |a: Means, b: Means| match (a, b) {
        (Means::Is(a), Means::Is(b)) => a.superset() == b.superset(),
        (a, b) => a == b,
    };
    let all = || rows.iter().map(|(_, row)| *row);
    let first = all().min_by_key(|row| best(row))?;
    all()
        .filter(|row| best(row) == best(first))
        .all(|row| alike(row.1, first.1))
        .then_some(first)
}

#[test]
fn folded_labels_lead_to_the_label_of_the_best_source() {
    let mut rows: Vec<(String, &'static LabelRow)> = LABELS
        .iter()
        .filter(|row| row.2 != Source::Slip)
        .map(|row| (fold(row.0), row))
        .collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    let mut keys = 0;
    for same in rows.chunk_by(|a, b| a.0 == b.0) {
        let key = &same[0].0;
        let expected = heir(same).filter(|_| !key.is_empty()).map(answer_of);
        assert_eq!(folded(same[0].1.0), expected, "{key}");
        keys += u32::from(expected.is_some());
    }
    assert!(keys > 1500, "{keys}");
    assert_eq!(folded("no such charset"), None);
}

#[test]
fn labels_are_found_whatever_their_case_and_nothing_else_is() {
    let rows: HashMap<&[u8], &LabelRow> =
        LABELS.iter().map(|row| (row.0.as_bytes(), row)).collect();
    let mut found = 0;
    for (name, ..) in LABELS {
        let mut label = name.as_bytes().to_vec();
        for at in 0..=label.len() {
            let kept = label.get(at).copied();
            let others = [b'a', b'Z', b'-', b'_', b'@', 0x0D, 0x7F, 0, 0xFF].into_iter();
            for byte in others.chain(kept.map(|byte| byte.to_ascii_uppercase())) {
                if let Some(changed) = label.get_mut(at) {
                    *changed = byte;
                }
                let want = rows.get(&*label.to_ascii_lowercase()).copied();
                let found_row = place(&label).map(|row| &LABELS[row]);
                assert_eq!(found_row, want, "{}", label.escape_ascii());
                let answered = want.map(answer_of);
                assert_eq!(answer(&label), answered, "{}", label.escape_ascii());
                found += u32::from(want.is_some());
            }
            if let Some((changed, byte)) = label.get_mut(at).zip(kept) {
                *changed = byte;
            }
        }
    }
    assert!(found > 10_000, "{found}");
}

fn mail(label: &str) -> Resolved {
    Charset::for_label(label.as_bytes(), View::Mail)
}

#[test]
fn the_table_is_what_the_data_says() {
    let Some(data) = crate::repository_file::read("data/labels.tsv") else {
        return;
    };
    let mut rows = LABELS.iter().map(|(label, means, source)| {
        let means = match means {
            Means::Is(charset) => charset.name(),
            Means::Nothing => "-",
            Means::Foreign => "?",
        };
        (*label, means, *source)
    });
    let mut count = 0;
    for line in data.lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let (label, means, registry) = (
            columns.next().unwrap(),
            columns.next().unwrap(),
            columns.next().unwrap(),
        );
        let source = match registry.split('+').next().unwrap() {
            "iana-name" => Source::IanaName,
            "iana" => Source::Iana,
            "whatwg" => Source::Web,
            "mail" => Source::Mail,
            "slip" => Source::Slip,
            other => panic!("registry {other}"),
        };
        assert!(
            label.is_ascii() && label == label.to_ascii_lowercase(),
            "{label}"
        );
        assert_eq!(
            rows.next(),
            Some((label, means, source)),
            "run the example `labels` again"
        );
        count += 1;
    }
    assert_eq!(rows.next(), None);
    assert!(count > 1600);
    assert!(LABELS.windows(2).all(|w| w[0].0 < w[1].0));
}

#[test]
fn every_charset_is_found_by_its_name() {
    for charset in Charset::all() {
        assert_eq!(mail(charset.name()), Resolved::Exact(charset));
        assert_eq!(
            mail(&charset.name().to_uppercase()),
            Resolved::Exact(charset)
        );
    }
}

#[test]
fn kinds_of_match() {
    use Resolved::{Alias, Exact, NoInformation, Repaired, Unknown};
    let utf8 = Charset::UTF_8;
    let latin1 = Charset::ISO_8859_1;
    for (label, expected) in [
        ("utf-8", Exact(utf8)),
        ("ISO_8859-1:1987", Exact(latin1)),
        ("latin1", Alias(latin1)),
        ("utf8", Alias(utf8)),
        ("UTF 8", Alias(utf8)),
        ("u.t.f.8", Alias(utf8)),
        ("iso-8859-001", Alias(latin1)),
        ("ISO 8859 15", Alias(Charset::ISO_8859_15)),
        ("x-cp-01251", Alias(Charset::WINDOWS_1251)),
        ("cp_028592", Alias(Charset::ISO_8859_2)),
        ("codepage 65001", Alias(utf8)),
        ("win_1252", Alias(Charset::WINDOWS_1252)),
        (" UTF-8", Alias(utf8)),
        ("utf-8\u{A0}", Repaired(utf8)),
        ("`utf-8`", Repaired(utf8)),
        ("'iso-8859-2", Repaired(Charset::ISO_8859_2)),
        ("\\\"koi8-r\\\"", Repaired(Charset::KOI8_R)),
        ("koi8-r; format=flowed", Repaired(Charset::KOI8_R)),
        ("koi8-r*ru", Repaired(Charset::KOI8_R)),
        ("koi8-r//IGNORE", Repaired(Charset::KOI8_R)),
        ("koi8-r (Cyrillic)", Repaired(Charset::KOI8_R)),
        ("(comment) koi8-r", Repaired(Charset::KOI8_R)),
        ("charset=gb2312", Repaired(Charset::GB2312)),
        ("3Dkoi8-r", Repaired(Charset::KOI8_R)),
        ("=big5", Repaired(Charset::BIG5)),
        ("x-tis-620", Repaired(Charset::TIS_620)),
        ("koi8-r.", Alias(Charset::KOI8_R)),
        ("ru_RU.KOI8-R@euro", Repaired(Charset::KOI8_R)),
        ("de_DE.ISO88591", Repaired(latin1)),
        ("iso-8859-2<br>", Repaired(Charset::ISO_8859_2)),
        ("us-asciii", Repaired(Charset::US_ASCII)),
        ("us-asii", Repaired(Charset::US_ASCII)),
        ("iso-8858-1", Repaired(latin1)),
        ("iso-2022-pj", Repaired(Charset::ISO_2022_JP)),
        ("iso88591-1", Repaired(latin1)),
        ("iso-8859-1-1", Repaired(latin1)),
        ("\"iso8859-2-1\"", Repaired(Charset::ISO_8859_2)),
        ("iso-8859-12-1", NoInformation),
        ("iso885911", Alias(Charset::ISO_8859_11)),
        // windows-1252 with two digits in reverse order, or windows-1255 with another digit.
        ("windows-1225", Unknown),
        ("cp1225", Unknown),
        ("turkish", Alias(Charset::ISO_8859_9)),
        ("turkish8", Alias(Charset::for_name("HP-TURKISH8").unwrap())),
        ("Cyrillic (Windows)", Alias(Charset::WINDOWS_1251)),
        ("Cyrillic (KOI8-R)", Alias(Charset::KOI8_R)),
        ("Central European (ISO)", Alias(Charset::ISO_8859_2)),
        ("Japanese (Shift-JIS)", Alias(Charset::SHIFT_JIS)),
        ("Chinese Simplified (GB2312)", Alias(Charset::GB2312)),
        ("Unicode (UTF-7)", Alias(Charset::UTF_7)),
        ("Japanese (Auto-Select)", NoInformation),
        ("windos-1251", Repaired(Charset::WINDOWS_1251)),
        ("windows-1259", Unknown),
        ("iso-latin-1", Alias(latin1)),
        ("ISO_Latin_2", Alias(Charset::ISO_8859_2)),
        ("isolatin2", Alias(Charset::ISO_8859_2)),
        ("iso-latin-3", Alias(Charset::ISO_8859_3)),
        ("x-iso-latin-4", Repaired(Charset::ISO_8859_4)),
        ("iso-latin-5", Alias(Charset::ISO_8859_9)),
        ("iso-latin-9", Alias(Charset::ISO_8859_15)),
        ("iso-latin-11", Unknown),
        ("mac-latin3", Unknown),
        ("cyrillic-koi8", Alias(Charset::KOI8_R)),
        ("x-viet-tcvn5712", Alias(Charset::TCVN5712_1)),
        ("koi8-r, utf-8", NoInformation),
        ("utf-8 iso-8859-2", NoInformation),
        ("unknown-8bit", NoInformation),
        ("Windows", NoInformation),
        ("DEFAULT", NoInformation),
        ("replacement", NoInformation),
        ("x-user-defined", NoInformation),
        ("", Unknown),
        ("klingon", Unknown),
        ("iso-2022-int-1", Unknown),
        ("viscii", Exact(Charset::VISCII)),
        ("unicode", Alias(Charset::UTF_16)),
        ("646", Alias(Charset::US_ASCII)),
        ("cp1255", Alias(Charset::WINDOWS_1255)),
        ("win", Alias(Charset::WINDOWS_1251)),
    ] {
        assert_eq!(mail(label), expected, "{label:?}");
    }
    assert_eq!(Charset::for_label(b"utf-8\xA0", View::Mail), Repaired(utf8));
    assert_eq!(mail(&"x".repeat(1_000_000)), Unknown);
    assert_eq!(mail(&"-".repeat(100)), Unknown);
}

#[test]
fn numbers_that_no_part_of_a_family_has_are_not_read_as_others() {
    let known = |part: u64| (1..=16).contains(&part) && part != 12;
    // Far numbers, and those that lead to code pages when something is added to them in 32 bits.
    let far = [1987, 5132, 10_008, 21_630, u64::from(u32::MAX), u64::MAX];
    let pages = (0..66_000).map(|page| (1_u64 << 32) + page - 28_590);
    for part in (1..2_000).chain(far).chain(pages) {
        for family in [
            "iso-8859-",
            "ISO_8859-",
            "iso8859_",
            "8859-",
            "x-iso-8859-",
            "iso-8859 ",
        ] {
            let found = mail(&format!("{family}{part}")).charset();
            let want = Charset::for_name(&format!("ISO-8859-{part}")).filter(|_| known(part));
            assert_eq!(
                found.map(Charset::superset),
                want.map(Charset::superset),
                "{family}{part}"
            );
        }
    }
    for label in [
        "iso-8859-Z2",
        "iso8859-foo",
        "\"iso-8859-22\"",
        "charset=3Diso-8859-22",
        "iso-8859-22; x=y",
        "iso-8859-+5x",
    ] {
        assert_eq!(mail(label), Resolved::Unknown, "{label}");
    }
    for label in ["iso-10646-ucs-5", "iso-10646-klingon"] {
        assert_eq!(mail(label), Resolved::Unknown, "{label}");
    }
    // A text that is no part number does not hide the name.
    for label in [
        "iso-8859<br>",
        "iso-8859;",
        "iso-8859-",
        "iso-8859-1-latin",
        "iso-8859-1:1988",
    ] {
        assert_eq!(mail(label).charset(), Some(Charset::ISO_8859_1), "{label}");
    }
}

/// Each spelling of a part of ISO 8859, or of a Windows code page, means the same charset.
#[test]
fn all_spellings_of_a_number_agree() {
    let mut seen = 0;
    let mut check = |label: &str, want: &str| {
        let want = Charset::for_name(want).map(Charset::superset);
        assert!(want.is_some());
        assert_eq!(
            mail(label).charset().map(Charset::superset),
            want,
            "{label}"
        );
        seen += 1;
    };
    let separators = ["", "-", "_", " ", ".", ":"];
    for part in (1..=16).filter(|part| *part != 12) {
        let want = format!("ISO-8859-{part}");
        for name in ["iso", "ISO", "Iso", "x-iso", "X-ISO", ""] {
            for first in separators
                .iter()
                .filter(|first| !name.is_empty() || first.is_empty())
            {
                for second in separators {
                    check(&format!("{name}{first}8859{second}{part}"), &want);
                }
            }
        }
    }
    for page in (1250..=1258).chain([874]) {
        let want = format!("windows-{page}");
        for name in [
            "windows",
            "Windows",
            "win",
            "cp",
            "CP",
            "x-cp",
            "x-windows",
            "x-win",
            "ms",
            "microsoft-cp",
        ] {
            for separator in separators {
                check(&format!("{name}{separator}{page}"), &want);
            }
        }
    }
    assert!(seen > 2_500, "{seen}");
    for label in ["iso8859_9", "iso8859-9", "ISO_8859_9", "x-iso-8859_9"] {
        assert_eq!(mail(label).charset(), Some(Charset::ISO_8859_9), "{label}");
    }
}

/// Every label but those that two standards give to different charsets is found by any spelling of its separators.
#[test]
fn separators_do_not_count() {
    let mut seen = 0;
    for (label, means, source) in LABELS.iter().filter(|row| row.2 != Source::Slip) {
        let Means::Is(charset) = means else { continue };
        if label.contains(|c: char| !c.is_ascii_alphanumeric() && !is_separator(c)) {
            continue;
        }
        for other in [
            label.replace('-', "_"),
            label.replace('_', "-"),
            label.replace(['-', '_'], "."),
        ] {
            let found = mail(&other).charset();
            assert!(
                found.is_some() || fold(label).starts_with("isoir9"),
                "{other}"
            );
            // A registered name stands before others that are spelled nearly so; one that is a row itself is that row.
            if matches!(source, Source::IanaName | Source::Iana)
                && place(other.as_bytes()).is_none()
            {
                let registered = found.map(Charset::superset) == Some(charset.superset());
                assert!(
                    registered || fold(label).starts_with("isoir9"),
                    "{other} of {label}: {found:?}"
                );
            }
            seen += 1;
        }
    }
    assert!(seen > 4_000, "{seen}");
    for (label, charset) in [
        ("ms-kanji", Charset::SHIFT_JIS),
        ("iso_ir_58", Charset::GB2312),
        ("ks-c-5601-1987", Charset::KS_C_5601_1987),
        ("ks c 5601 1987", Charset::KS_C_5601_1987),
        ("euc cn", Charset::GB2312),
    ] {
        assert_eq!(mail(label), Resolved::Alias(charset), "{label}");
    }
    assert_eq!(mail("iso_ir_91"), Resolved::Unknown);
}

#[test]
fn the_registry_is_taken_at_its_word() {
    let iana = |label: &str| Charset::for_label(label.as_bytes(), View::Iana);
    assert_eq!(
        iana("ISO_8859-1:1987"),
        Resolved::Exact(Charset::ISO_8859_1)
    );
    assert_eq!(iana("l1"), Resolved::Alias(Charset::ISO_8859_1));
    assert_eq!(iana("iso-8859-1"), Resolved::Exact(Charset::ISO_8859_1));
    assert_eq!(iana("utf8"), Resolved::Unknown);
    assert_eq!(iana(" utf-8"), Resolved::Unknown);
    assert_eq!(iana("csUTF8"), Resolved::Alias(Charset::UTF_8));
    assert_eq!(iana("UNKNOWN-8BIT"), Resolved::NoInformation);
}

#[test]
fn no_repair_leads_from_a_known_charset_to_another() {
    for (label, means, _) in LABELS {
        if *means == Means::Foreign {
            assert_eq!(mail(label), Resolved::Unknown);
            // Nor does one in quotes or with something behind it.
            assert_eq!(mail(&format!("\"{label}\"")).charset(), None, "{label}");
            assert_eq!(mail(&format!("{label};x")).charset(), None, "{label}");
        }
    }
}
