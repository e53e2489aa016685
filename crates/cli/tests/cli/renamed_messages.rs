//! The summary says that messages of a folder get new file names.

use crate::sandbox::Sandbox;
use std::fs;
use std::path::{Path, PathBuf};

/// The summary names a command that lists each message number with the old name, also for messages without text.
#[test]
fn new_file_names_are_announced_with_the_list_of_old_ones() {
    let sandbox = Sandbox::new();
    let image = "Content-Type: image/gif\nContent-Transfer-Encoding: base64\n\nR0lG\n";
    for (folder, names) in [
        ("tree", ["b.eml", "sub/a.eml"]),
        ("maildir", ["cur/1.x:2,S", "new/2.y"]),
    ] {
        for below in ["sub", "cur", "new", "tmp"] {
            if folder == "maildir" || below == "sub" {
                fs::create_dir_all(sandbox.path(folder).join(below)).unwrap();
            }
        }
        for name in names {
            let message = format!("Subject: {name}\n{image}");
            fs::write(sandbox.path(folder).join(name), message).unwrap();
        }
        let output = format!("{folder}.out");
        let run = sandbox.run(&["normalize", folder, "-o", &output]).ended(0);
        let command = format!("mailglot inspect --json {folder}");
        assert!(
            run.err
                .contains(&format!("`{command}` lists numbers and old names")),
            "{}",
            run.err
        );
        let list = sandbox.run(&["inspect", "--json", folder]).ended(0);
        let rows: Vec<serde_json::Value> = list
            .text()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(rows.len(), names.len(), "{rows:?}");
        for (number, row) in rows.iter().enumerate() {
            assert_eq!(row["message"], format!("{folder}:{number}"));
            let old = row["path"].as_str().unwrap();
            let subject = old.strip_prefix(&format!("{folder}/")).unwrap();
            let new = find(&sandbox.path(&output), &format!("{number:08}"));
            assert!(
                fs::read_to_string(&new)
                    .unwrap()
                    .contains(&format!("Subject: {subject}\n")),
                "{old} {}",
                new.display()
            );
        }
        sandbox.run(&["restore", &output, "-o", "back"]).ended(0);
        for name in names {
            assert_eq!(
                sandbox.read(&format!("back/{name}")),
                sandbox.read(&format!("{folder}/{name}"))
            );
        }
        fs::remove_dir_all(sandbox.path("back")).unwrap();
    }
}

/// Returns the file below `folder` whose name begins with `start`.
fn find(folder: &Path, start: &str) -> PathBuf {
    let (mut open, mut found) = (vec![folder.to_path_buf()], None);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path
                .file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with(start)
            {
                found = Some(path);
            }
        }
    }
    found.expect(start)
}
