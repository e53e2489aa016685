//! Checks the documents. Commands run and print what the page says, and other blocks are valid. Sentences are short, links lead somewhere, and
//! words are spelled right, also in the help texts.
//!
//! A `console` block with `$ ` prompts and output is run with bash in a folder of its page that has a copy of `samples`. Its commands must print the lines
//! that follow them, to standard output alone or with standard error. Blocks without output, and blocks with the prompt `# ` of root, are only
//! parsed: each subcommand and option of `mailglot` must exist.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_tests::binary;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Beginnings of lines of a help text that are not prose.
const NO_PROSE: [&str; 6] = [
    "Commands:",
    "Environment:",
    "Examples:",
    "Exit codes:",
    "In master.cf",
    "Usage:",
];

/// Words that a sentence has at most.
const WORDS: usize = 30;

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap()
}

/// All pages: name below the root, and text.
fn pages() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for folder in ["", ".github", "docs", "crates"] {
        markdown(&root().join(folder), !folder.is_empty(), &mut paths);
    }
    paths.sort();
    let page = |path: PathBuf| {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        (name, fs::read_to_string(&path).unwrap())
    };
    let pages: Vec<_> = paths.into_iter().map(page).collect();
    assert!(pages.len() > 40, "{} pages", pages.len());
    pages
}

fn markdown(folder: &Path, deep: bool, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if deep {
                markdown(&path, deep, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// A fenced block: language, number of its first line, and lines without their indentation.
struct FencedBlock<'a> {
    language: &'a str,
    line: usize,
    lines: Vec<&'a str>,
}

fn blocks(page: &str) -> Vec<FencedBlock<'_>> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else {
            continue;
        };
        let indent = line.len() - line.trim_start().len();
        let body = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| line.trim() != "```");
        blocks.push(FencedBlock {
            language: info.split_whitespace().next().unwrap_or_default(),
            line: number + 1,
            lines: body
                .map(|line| line.get(indent..).unwrap_or_default())
                .collect(),
        });
    }
    blocks
}

/// Commands of a `console` block, each with the lines that it prints.
fn commands<'a>(block: &FencedBlock<'a>) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in &block.lines {
        if let Some(command) = line.strip_prefix("$ ") {
            commands.push((command, Vec::new()));
        } else if let Some((_, output)) = commands.last_mut() {
            output.push(line);
        }
    }
    commands
}

fn is_run(block: &FencedBlock) -> bool {
    let has_root = block.lines.iter().any(|line| line.starts_with("# "));
    block.language == "console"
        && !has_root
        && commands(block).iter().any(|(_, output)| !output.is_empty())
}

/// PATH with the folder of the program in front.
fn path_variable() -> OsString {
    let own = binary::path().parent().unwrap().to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    env::join_paths([own].into_iter().chain(env::split_paths(&path))).unwrap()
}

/// Runs a command with bash. Returns success, standard output and standard error.
fn run(command: &str, folder: &Path) -> (bool, String, String) {
    let output = Command::new("bash")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", path_variable())
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .expect("bash can be started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.success(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn commands_print_what_the_pages_say() {
    let (mut count, mut faults) = (0, String::new());
    for (name, page) in pages() {
        let blocks = blocks(&page);
        let runs: Vec<&FencedBlock> = blocks.iter().filter(|block| is_run(block)).collect();
        if runs.is_empty() {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        copy(&root().join("samples"), &folder.path().join("samples"));
        for block in runs {
            for (command, expected) in commands(block) {
                count += 1;
                let (succeeded, out, err) = run(command, folder.path());
                let expected = expected.join("\n");
                let is = |parts: [&str; 2]| parts.concat().trim_end() == expected;
                let matches = is([&out, ""]) || is([&err, &out]) || is([&out, &err]);
                if !succeeded || !(matches || expected.is_empty()) {
                    let line = block.line;
                    writeln!(faults, "{name}:{line}: $ {command}\n{out}{err}").unwrap();
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
    assert!(count > 40, "{count} commands");
}

/// The `mailglot` commands in a line of shell, each as its words up to an operator or a comment.
fn calls(line: &str) -> Vec<Vec<&str>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let starts = (0..words.len()).filter(|at| {
        let before = at.checked_sub(1).map(|before| words[before]);
        words[*at].trim_start_matches("$(") == "mailglot"
            && before.is_none_or(|word| {
                matches!(
                    word,
                    "$" | "#" | "|" | "&&" | ";" | "--" | "sudo" | "then" | "{"
                )
            })
    });
    let is_end = |word: &&&str| !matches!(**word, "|" | "&&" | ";" | "||" | "#" | "<" | ">" | "}");
    starts
        .map(|start| {
            words[start + 1..]
                .iter()
                .take_while(is_end)
                .copied()
                .collect()
        })
        .collect()
}

/// The fault of a call: a subcommand or an option that does not exist.
fn unknown(call: &[&str], helps: &mut BTreeMap<String, String>) -> Option<String> {
    let mut command = String::new();
    let mut help = help_of(&command, helps);
    for word in call {
        let word = word.trim_matches(['"', '\'', ')', ';', '\\']);
        if let Some(option) = word.strip_prefix("--") {
            let option = option.split('=').next().unwrap_or_default();
            let known = help
                .match_indices(&format!("--{option}"))
                .any(|(at, found)| {
                    !help[at + found.len()..]
                        .starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-')
                });
            if !option.is_empty() && !known {
                return Some(format!("`mailglot {command}` has no option --{option}"));
            }
        } else if help.contains(&format!("\n  {word} ")) && !word.starts_with(['-', '[', '<']) {
            command = [&*command, word].join(" ").trim().into();
            help = help_of(&command, helps);
        } else if command.is_empty() && !word.starts_with('-') {
            return Some(format!("no command {word}"));
        }
    }
    None
}

fn help_of(command: &str, helps: &mut BTreeMap<String, String>) -> String {
    let help = || {
        let output = binary::run(command.split_whitespace().chain(["--help"]));
        assert!(output.status.success(), "{command} --help");
        String::from_utf8(output.stdout).unwrap()
    };
    helps.entry(command.to_owned()).or_insert_with(help).clone()
}

#[test]
fn blocks_of_code_are_valid() {
    let (mut helps, mut count, mut faults) = (BTreeMap::new(), 0, String::new());
    for (name, page) in pages() {
        for block in blocks(&page) {
            let text = block.lines.join("\n").replace("\\\n", "");
            let fault = match block.language {
                // Diagrams, and data that no program reads. rustdoc runs the examples in Rust (src/lib.rs).
                "" | "text" | "rust" => continue,
                "sh" | "console" => {
                    let mut calls = text.lines().flat_map(calls);
                    let unknown = calls.find_map(|call| unknown(&call, &mut helps));
                    let is_script = block.language == "sh";
                    unknown.or_else(|| is_script.then(|| fed("bash", &["-n"], &text)).flatten())
                }
                "toml" => fed(
                    "python3",
                    &["-c", "import sys, tomllib; tomllib.load(sys.stdin.buffer)"],
                    &text,
                ),
                // No parser of YAML is at hand: a key, or a key of a list, begins each line.
                "yaml" => {
                    let is_entry =
                        |line: &str| line.trim_start().trim_start_matches("- ").contains(':');
                    let wrong = text.lines().find(|line| !is_entry(line));
                    wrong.map(str::to_owned)
                }
                language => Some(format!("{language} is checked by nothing")),
            };
            count += 1;
            if let Some(fault) = fault {
                writeln!(faults, "{name}:{}: {fault}", block.line).unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
    assert!(count > 40, "{count} blocks");
}

/// Runs a checker over a text. Returns what it says if it fails.
fn fed(program: &str, arguments: &[&str], text: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("block");
    fs::write(&path, text).unwrap();
    let output = Command::new(program)
        .args(arguments)
        .stdin(fs::File::open(&path).unwrap())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The texts of a page: paragraphs, items of lists and cells of tables, without blocks of code, headings and addresses of links.
fn texts(page: &str) -> Vec<String> {
    let (mut texts, mut paragraph, mut is_code) = (Vec::new(), String::new(), false);
    for line in page.lines().map(str::trim) {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        let item = line.strip_prefix("- ").or_else(|| {
            line.split_once(". ")
                .filter(|(n, _)| n.bytes().all(|b| b.is_ascii_digit()))
                .map(|(_, text)| text)
        });
        let ends = is_code || line.is_empty() || line.starts_with(['#', '|']) || item.is_some();
        if ends {
            texts.push(std::mem::take(&mut paragraph));
        }
        if is_code || line.starts_with("```") || line.starts_with('#') {
            continue;
        }
        if line.starts_with('|') {
            texts.extend(line.trim_matches('|').split(" | ").map(str::to_owned));
            continue;
        }
        paragraph.push_str(item.unwrap_or(line));
        paragraph.push(' ');
    }
    texts.push(paragraph);
    texts
}

/// A text in which each code span is one word.
fn without_code(text: &str) -> String {
    text.split('`')
        .enumerate()
        .map(|(at, piece)| if at % 2 == 0 { piece } else { "CODE" })
        .collect()
}

/// The sentences of a text with more words than allowed. A middle dot separates the entries of a list.
fn long_sentences(text: &str) -> Vec<String> {
    let (mut found, mut sentence) = (Vec::new(), Vec::new());
    let mut close = |sentence: &mut Vec<&str>| {
        let is_word = |word: &&&str| word.contains(char::is_alphanumeric);
        if sentence.iter().filter(is_word).count() > WORDS {
            found.push(sentence.join(" "));
        }
        sentence.clear();
    };
    for word in text.split_whitespace() {
        sentence.push(word);
        let end = word.trim_end_matches(['"', '”', ')', '*', ']']);
        if end.ends_with(['.', '!', '?']) || word == "·" {
            close(&mut sentence);
        }
    }
    close(&mut sentence);
    found
}

#[test]
fn sentences_are_short() {
    let mut faults = String::new();
    for (name, page) in pages() {
        for text in texts(&page) {
            for sentence in long_sentences(&without_code(&text)) {
                writeln!(faults, "{name}: {sentence}").unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "more than {WORDS} words:\n{faults}");
}

#[test]
fn sentences_of_the_help_are_short() {
    let mut helps = BTreeMap::new();
    let mut open = vec![String::new()];
    let mut faults = String::new();
    while let Some(command) = open.pop() {
        let help = help_of(&command, &mut helps);
        let listed = help.split("\nCommands:\n").nth(1).unwrap_or_default();
        let listed = listed.split("\n\n").next().unwrap_or_default();
        for line in listed.lines() {
            let name = line
                .strip_prefix("  ")
                .and_then(|line| line.split(' ').next());
            if let Some(name) = name.filter(|name| !name.is_empty() && *name != "help") {
                open.push(format!("{command} {name}").trim().to_owned());
            }
        }
        let starts = ["\n          - ", "\n      -", "\n  -"];
        let mut texts: Vec<&str> = help.split("\n\n").collect();
        for start in starts {
            texts = texts
                .into_iter()
                .flat_map(|text| text.split(start))
                .collect();
        }
        for text in texts {
            for sentence in long_sentences(&without_code(text)) {
                let is_prose = !NO_PROSE
                    .iter()
                    .any(|start| text.trim_start().starts_with(start));
                if is_prose {
                    writeln!(faults, "mailglot {command}: {sentence}").unwrap();
                }
            }
        }
    }
    assert!(helps.len() > 20, "{} commands", helps.len());
    assert!(faults.is_empty(), "more than {WORDS} words:\n{faults}");
}

#[test]
fn long_sentences_are_found() {
    let long = "word ".repeat(31);
    assert_eq!(long_sentences(&long).len(), 1);
    assert_eq!(long_sentences(&format!("{long}. Short.")).len(), 1);
    assert!(long_sentences(&"word ".repeat(30)).is_empty());
    let halves = format!("{}word. {}", "word ".repeat(19), "word ".repeat(19));
    assert!(long_sentences(&halves).is_empty());
    assert_eq!(without_code("a `b c d` e"), "a CODE e");
    let page = "# Heading\n\none\ntwo\n- three\n| four | five |\n```sh\ncode\n```\n";
    let texts: Vec<String> = texts(page)
        .into_iter()
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect();
    assert_eq!(texts, ["one two", "three", "four", "five"]);
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[test]
fn links_lead_somewhere() {
    let pages = pages();
    let (mut count, mut faults) = (0, String::new());
    for (name, page) in &pages {
        let text: String = texts(page).iter().map(|text| without_code(text)).collect();
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            count += 1;
            let (file, fragment) = target.split_once('#').unwrap_or((target, ""));
            let path = root().join(name);
            let path = if file.is_empty() {
                path
            } else {
                path.with_file_name("").join(file)
            };
            let Ok(path) = fs::canonicalize(&path) else {
                writeln!(faults, "{name}: {target} does not exist").unwrap();
                continue;
            };
            let is_anchor = fragment.is_empty()
                || fs::read_to_string(&path).is_ok_and(|page| {
                    page.lines()
                        .any(|line| line.starts_with('#') && anchor(line) == fragment)
                });
            if !is_anchor {
                writeln!(faults, "{name}: {target} has no such heading").unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
    assert!(count > 80, "{count} links");
}

/// The sources of all crates and of the tests, joined.
fn sources() -> String {
    let (mut folders, mut joined) = (
        vec![root().join("crates"), root().join("tests")],
        String::new(),
    );
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                joined.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    joined
}

/// Returns true for a name such as `originals_are_restored_from_what_the_milter_kept`.
fn is_test_name(code: &str) -> bool {
    let is_letter = |c: char| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit();
    code.matches('_').count() >= 4 && code.chars().all(is_letter) && !code.starts_with("mailglot_")
}

#[test]
fn files_and_tests_that_pages_name_exist() {
    let sources = sources();
    let folders = [
        "crates/",
        "tests/",
        "docs/",
        "benches/",
        "data/",
        "samples/",
        "packaging/",
    ];
    let (mut files, mut tests, mut faults) = (0, 0, String::new());
    for (name, page) in pages() {
        for code in texts(&page)
            .iter()
            .flat_map(|text| text.split('`').skip(1).step_by(2))
        {
            if folders.iter().any(|folder| code.starts_with(folder))
                && !code.contains(['*', ' ', '{'])
            {
                files += 1;
                if !root().join(code).exists() {
                    writeln!(faults, "{name}: no file {code}").unwrap();
                }
            }
            // Other pages name settings of Postfix.
            if name.starts_with("docs/g") && is_test_name(code) {
                tests += 1;
                if !sources.contains(&format!("fn {code}(")) {
                    writeln!(faults, "{name}: no test {code}").unwrap();
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
    assert!(files > 80 && tests > 20, "{files} files, {tests} tests");
}

/// `cargo xtask test` installs codespell; the fast set and other machines may lack it.
#[test]
fn words_are_spelled_right() {
    let folder = tempfile::tempdir().unwrap();
    let manual = folder.path().join("mailglot.1");
    let page = binary::run(["man"]);
    assert!(page.status.success());
    // `\(bu` is a bullet of roff.
    let page = String::from_utf8(page.stdout).unwrap();
    fs::write(&manual, page.replace("\\(bu", "*")).unwrap();
    let output = Command::new("codespell")
        .args(["--ignore-words", ".config/codespell-ignored.txt"])
        .args(pages().into_iter().map(|(name, _)| name))
        .arg(&manual)
        .current_dir(root())
        .output();
    let Ok(output) = output else {
        use std::io::Write as _;
        writeln!(std::io::stderr(), "SKIPPED: codespell is not installed").unwrap();
        return;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}
