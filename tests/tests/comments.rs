//! Checks the comments of all crates: sentences are short.
//!
//! # Limits
//! Tables, lists of options and blocks of code are not read.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Words that a sentence of a comment has at most.
const WORDS: usize = 25;

/// Folders whose sources are read.
const FOLDERS: [&str; 3] = ["crates", "tests", "benches"];

#[test]
fn sentences_of_comments_are_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("a workspace");
    let (mut faults, mut files) = (String::new(), 0);
    for folder in FOLDERS {
        for path in sources(&root.join(folder)) {
            files += 1;
            let source = fs::read_to_string(&path).expect("a source file");
            for sentence in comments(&source)
                .iter()
                .flat_map(|text| long_sentences(text))
            {
                writeln!(faults, "{}: {sentence}", path.display()).expect("a string grows");
            }
        }
    }
    assert!(files > 500, "{files} files");
    assert!(faults.is_empty(), "more than {WORDS} words:\n{faults}");
}

/// Returns the source files of a folder, without generated ones.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() && name != "target" && name != "generated" {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// Returns the paragraphs of the comments, without their marks.
fn comments(source: &str) -> Vec<String> {
    let (mut texts, mut text, mut kind, mut is_code) = (Vec::new(), String::new(), "", false);
    for line in source.lines() {
        let line = line.trim_start();
        let mark = ["//!", "///", "//"]
            .into_iter()
            .find(|mark| line.starts_with(mark));
        let Some(mark) = mark else {
            texts.push(std::mem::take(&mut text));
            (kind, is_code) = ("", false);
            continue;
        };
        let content = line[mark.len()..].trim();
        let is_fence = content.starts_with("```");
        let begins = mark != kind
            || content.is_empty()
            || content.starts_with(['|', '#', '-', '*'])
            || content.starts_with(|c: char| c.is_ascii_digit()) && content.contains(". ");
        if begins || is_fence || is_code {
            texts.push(std::mem::take(&mut text));
        }
        is_code ^= is_fence;
        if !is_code && !is_fence && !content.starts_with(['|', '#']) {
            text.push_str(content);
            text.push(' ');
        }
        kind = mark;
    }
    texts.push(text);
    texts
}

/// Returns the sentences with more than [`WORDS`] words. A colon or semicolon before a capital, a number or code ends a sentence, too.
fn long_sentences(text: &str) -> Vec<String> {
    let (mut found, mut sentence) = (Vec::new(), Vec::new());
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        sentence.push(word);
        let begins = |next: &str| {
            next.starts_with(|c: char| {
                c.is_uppercase() || c.is_ascii_digit() || "`([\"“".contains(c)
            })
        };
        let is_last = words.peek().is_none_or(|next| begins(next));
        if is_last && (words.peek().is_none() || word.ends_with(['.', '!', '?', ':', ';'])) {
            let count = sentence
                .iter()
                .filter(|word| word.contains(char::is_alphanumeric))
                .count();
            if count > WORDS {
                found.push(sentence.join(" "));
            }
            sentence.clear();
        }
    }
    found
}

#[test]
fn long_sentences_are_found() {
    let long = format!("Begins {}", "word ".repeat(25));
    assert_eq!(long_sentences(&long).len(), 1);
    assert_eq!(long_sentences(&format!("{long}. Ends.")).len(), 1);
    assert!(long_sentences(&"word ".repeat(25)).is_empty());
    let halves = format!("{}end. Begins {}", "word ".repeat(20), "word ".repeat(20));
    assert!(long_sentences(&halves).is_empty());
}

#[test]
fn paragraphs_of_comments_are_read() {
    let source = "//! One\n//! two.\n\nfn a() {\n    // Three.\n    /// ```\n    /// code\n    /// ```\n    /// Four\n}\n";
    let found: Vec<String> = comments(source)
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect();
    assert_eq!(found, ["One two. ", "Three. ", "Four "]);
}
