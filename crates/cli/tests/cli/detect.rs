//! `detect`

use crate::sandbox::Sandbox;

#[test]
fn a_line_for_each_file() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", b"plain");
    sandbox.write("b.txt", "Grüße aus Köln".as_bytes());
    sandbox.write("c.txt", b"Gr\xFC\xDFe aus K\xF6ln");
    sandbox.write("d.txt", b"\xFF\xFEa\0");
    let run = sandbox
        .run(&["detect", "a.txt", "b.txt", "c.txt", "d.txt"])
        .ended(0);
    let columns: Vec<Vec<&str>> = run
        .text()
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let found: Vec<_> = columns.iter().map(|c| (c[0], c[1], c[3])).collect();
    assert_eq!(
        found,
        [
            ("a.txt", "US-ASCII", "ascii"),
            ("b.txt", "UTF-8", "utf-8"),
            ("c.txt", "windows-1252", "model"),
            ("d.txt", "UTF-16LE", "bom"),
        ]
    );
    for line in &columns {
        assert!(
            (0.0..=1.0).contains(&line[2].parse::<f32>().unwrap()),
            "{line:?}"
        );
    }
}

#[test]
fn hints_decide_where_the_bytes_do_not() {
    let sandbox = Sandbox::new();
    let charset = |args: &[&str]| {
        let args = [&["detect"], args].concat();
        sandbox
            .pipe(&args, b"\xEC\xE0")
            .ended(0)
            .text()
            .split('\t')
            .nth(1)
            .unwrap()
            .to_owned()
    };
    assert_eq!(charset(&["--lang-hint", "ru"]), "windows-1251");
    assert_eq!(charset(&["--declared", "koi8-r"]), "KOI8-R");
    assert_eq!(charset(&["--country", "ru"]), "windows-1251");
    assert_eq!(charset(&["--country", "il"]), "windows-1255");
}

#[test]
fn countries_that_are_none_are_refused() {
    let sandbox = Sandbox::new();
    for country in ["DEU", "Germany", "", "č"] {
        let run = sandbox
            .pipe(&["detect", "--country", country], b"\xEC\xE0")
            .ended(1);
        assert!(run.err.contains("two letters of a country"), "{}", run.err);
    }
}

#[test]
fn the_likeliest_in_json() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .pipe(&["detect", "--top", "3", "--json"], b"caf\xE9")
        .ended(0);
    let object: serde_json::Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!(object["file"], "-");
    let guesses = object["guesses"].as_array().unwrap();
    assert_eq!(
        (guesses.len(), &guesses[0]["charset"]),
        (3, &"windows-1252".into())
    );
    let confidence: Vec<f64> = guesses
        .iter()
        .map(|g| g["confidence"].as_f64().unwrap())
        .collect();
    assert!(confidence.is_sorted_by(|a, b| a >= b), "{confidence:?}");
    assert_eq!(
        sandbox
            .pipe(&["detect", "--top", "3"], b"plain")
            .ended(0)
            .text()
            .lines()
            .count(),
        1
    );
}

#[test]
fn what_cannot_be_read() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", b"plain");
    let run = sandbox.run(&["detect", "nowhere.txt", "a.txt"]).ended(2);
    assert!(
        run.text().starts_with("a.txt\tUS-ASCII\t"),
        "the rest is done"
    );
    sandbox.write("a\tb\n.txt", b"plain");
    assert_eq!(
        sandbox
            .run(&["detect", "a\tb\n.txt"])
            .ended(0)
            .text()
            .split('\t')
            .next(),
        Some("a␉b␊.txt")
    );
    sandbox.run(&["detect", "--top", "0", "a.txt"]).ended(1);
    sandbox
        .run(&["detect", "--declared", "no-such", "a.txt"])
        .ended(1);
}

/// Returns the charset, the confidence and the reason for bytes on standard input.
fn answer(args: &[&str], bytes: &[u8]) -> (String, f64, String) {
    let args = [&["detect"], args].concat();
    let run = Sandbox::new().pipe(&args, bytes).ended(0);
    let columns: Vec<&str> = run.text().trim_end().split('\t').collect();
    let confidence = columns[2].parse().unwrap();
    (columns[1].to_owned(), confidence, columns[3].to_owned())
}

#[test]
fn convert_decodes_the_charset_that_detect_names() {
    let sandbox = Sandbox::new();
    for (args, bytes, expected, text) in [
        (
            &[][..],
            &b"\x87\x40\x8e\x91\x97\xbf\n"[..],
            "Windows-31J",
            "①資料\n",
        ),
        (
            &[],
            b"\x1b$B4A;z\x1b(I6@6E\x1b(B\n",
            "CP50220",
            "漢字ｶﾀｶﾅ\n",
        ),
        (
            &["--declared", "shift_jis"],
            b"\x87\x40\x8e\x91\n",
            "Windows-31J",
            "①資\n",
        ),
        (&["--declared", "gb2312"], b"\x81\x40\n", "GBK", "丂\n"),
        (
            &["--declared", "iso-8859-1"],
            b"\x93a\x94\n",
            "windows-1252",
            "“a”\n",
        ),
        (
            &["--declared", "iso-8859-2"],
            b"\x84\xb3\x94\n",
            "windows-1250",
            "„ł”\n",
        ),
        (
            &["--declared", "iso-8859-2"],
            b"\xb3\n",
            "ISO-8859-2",
            "ł\n",
        ),
    ] {
        let (charset, ..) = answer(args, bytes);
        assert_eq!(charset, expected, "{text}");
        let run = sandbox.pipe(&["convert", "-f", &charset], bytes).ended(0);
        assert_eq!(run.text(), text);
    }
}

#[test]
fn large_files_are_read_beyond_the_limit() {
    let ascii = b"ascii text\n".repeat(1_600_000);
    let charset = |more: &[u8]| answer(&[], &[&*ascii, more].concat()).0;
    assert_eq!(charset(b""), "US-ASCII");
    assert_eq!(charset("Gr\u{fc}\u{df}e".as_bytes()), "UTF-8");
    assert_eq!(charset(b"Gr\xFC\xDFe aus K\xF6ln\n"), "windows-1252");
    assert_eq!(answer(&[], "日".repeat(6_000_000).as_bytes()).0, "UTF-8");
}

#[test]
fn spaces_are_no_utf_16() {
    let padded = [&[b' '; 40][..], b"\xDCn\xFCt\n"].concat();
    let (charset, confidence, _) = answer(&[], &padded);
    assert!(charset.starts_with("windows-125"), "{charset}");
    assert!(confidence < 0.99);
}

#[test]
fn declarations_in_the_file_count() {
    for (file, expected) in [
        (
            &b"<?xml version=\"1.0\" encoding=\"gbk\"?><a>\xC4\xE3\xBA\xC3</a>"[..],
            "GBK",
        ),
        (b"<html><meta charset=koi8-r>\xC4\xE3", "KOI8-R"),
        (b"@charset \"iso-8859-5\"; /* \xC4\xE3 */", "ISO-8859-5"),
    ] {
        let (charset, _, reason) = answer(&[], file);
        assert_eq!((&*charset, &*reason), (expected, "declared"));
        assert_eq!(answer(&["--declared", "ibm866"], file).0, "IBM866");
    }
    // A page that was converted keeps the name of its old charset.
    assert_eq!(answer(&[], "<meta charset=koi8-r>ü".as_bytes()).0, "UTF-8");
    let stale =
        b"<meta charset=windows-1251>\xF0\xD2\xC9\xD7\xC5\xD4, \xCB\xC1\xCB \xC4\xC5\xCC\xC1";
    assert_eq!(answer(&[], stale).0, "KOI8-R");
}

#[test]
fn binary_files_have_no_charset() {
    let letters: Vec<u8> = (0..=255).collect();
    for file in [
        &b"\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR"[..],
        b"\x1F\x8B\x08\0\0\0\0\0\0\x03",
        b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0",
        &[0; 64],
        b"a\0b",
        &letters,
    ] {
        let (charset, confidence, reason) = answer(&["--top", "3"], file);
        assert_eq!(
            (&*charset, &*reason),
            ("binary", "binary"),
            "{}",
            file.escape_ascii()
        );
        assert!(confidence >= 0.9);
    }
    assert_eq!(answer(&[], b"w\0i\0d\0e\0 \0t\0e\0x\0t\0").0, "UTF-16LE");
    assert_eq!(answer(&[], b"\xFF\xFEa\0").0, "UTF-16LE");
}

#[test]
fn a_byte_order_mark_before_other_bytes_is_less_certain() {
    let (charset, confidence, reason) = answer(&[], b"\xEF\xBB\xBFcaf\xE9");
    assert_eq!((&*charset, &*reason), ("UTF-8", "bom"));
    assert!(confidence < 0.6, "{confidence}");
    assert!(answer(&[], b"\xEF\xBB\xBFcaf\xC3\xA9").1 > 0.99);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_stay_whole_in_json() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    let name = std::ffi::OsStr::from_bytes(b"a\xFF");
    std::fs::write(sandbox.path(".").join(name), b"plain").unwrap();
    let run = sandbox
        .run(&["detect".as_ref(), "--json".as_ref(), name])
        .ended(0);
    let object: serde_json::Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!(object["file"]["bytes"], "Yf8=");
}
