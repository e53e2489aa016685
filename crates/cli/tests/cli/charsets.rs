//! `charsets`

use crate::sandbox::Sandbox;
use serde_json::Value;

#[test]
fn all_charsets_a_line_each() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["charsets"]).ended(0);
    let line = run
        .text()
        .lines()
        .find(|line| line.starts_with("ISO-8859-1 "))
        .unwrap();
    assert!(
        line.contains("   4  single-byte") && line.ends_with("; read as windows-1252"),
        "{line}"
    );
    let last = run.text().lines().last().unwrap();
    assert!(
        last.contains(" charsets; ") && last.ends_with(" entries of the IANA registry"),
        "{last}"
    );
    let json = sandbox.run(&["charsets", "--json"]).ended(0);
    let objects: Vec<Value> = json
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(objects.len() + 1, run.text().lines().count());
    let koi8 = objects
        .iter()
        .find(|object| object["name"] == "KOI8-R")
        .unwrap();
    assert_eq!(
        (&koi8["mib"], &koi8["kind"]),
        (&Value::from(2084), &Value::from("single-byte"))
    );
    assert!(
        koi8["labels"]
            .as_array()
            .unwrap()
            .contains(&Value::from("cskoi8r")),
        "{koi8}"
    );
}

#[test]
fn the_registry_is_covered() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["charsets", "--iana"]).ended(0);
    let lines: Vec<_> = run.text().lines().collect();
    assert_eq!(lines.len(), 1 + 258 + 1);
    assert!(
        lines
            .iter()
            .any(|line| line.contains("  VIQR ") && line.ends_with("yes      VIQR")),
        "{lines:?}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.contains(" HP-Legal ") && line.contains("not: HP PCL")),
        "{lines:?}"
    );
    let json = sandbox.run(&["charsets", "--iana", "--json"]).ended(0);
    let objects: Vec<Value> = json
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(objects.len(), 258);
    let decoded = objects
        .iter()
        .filter(|object| !object["decodes_as"].is_null())
        .count();
    let encoded = objects
        .iter()
        .filter(|object| object["encodes"] == true)
        .count();
    let total = format!("{decoded} of 258 registered charsets decode, {encoded} encode");
    assert_eq!(lines[lines.len() - 1], total);
}
