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
