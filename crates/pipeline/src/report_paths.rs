//! Removes the folders above the inputs from the paths of a report, so that reports of jobs in different folders are equal.
//!
//! # Limits
//! Paths stay below the folder that all inputs share. An input without a name of its own, such as `..`, keeps its path.

use crate::json_file_name::FileName;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use mailglot_archive::{BoxDetail, BoxEventKind};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Lists in a summary whose elements have paths, and the keys of these.
const LISTS: [(&str, &[&str]); 3] = [
    ("/sources", &["path"]),
    ("/examples", &["message", "path"]),
    ("/least_certain", &["message", "path"]),
];

/// The folder that all inputs of a job share.
pub(crate) struct SharedFolder(PathBuf);

impl SharedFolder {
    /// Returns the folder of these inputs.
    pub(crate) fn of(inputs: &[PathBuf]) -> Self {
        let mut folders = inputs.iter().map(|input| match input.file_name() {
            Some(_) => input.parent().unwrap_or(Path::new("")),
            None => Path::new(""),
        });
        let first = folders.next().unwrap_or(Path::new(""));
        let shared = folders.fold(first.to_owned(), |shared, folder| {
            let pairs = shared.components().zip(folder.components());
            let same = pairs.take_while(|(own, other)| own == other);
            same.map(|(own, _)| own).collect()
        });
        Self(shared)
    }

    /// Returns a path without the folder.
    pub(crate) fn below(&self, path: &Path) -> FileName {
        FileName::of(path.strip_prefix(&self.0).unwrap_or(path))
    }

    /// Removes the folder from the paths of a summary.
    pub(crate) fn remove_from(&self, summary: &mut Value) {
        for (list, keys) in LISTS {
            let elements = summary.pointer_mut(list).and_then(Value::as_array_mut);
            for element in elements.into_iter().flatten() {
                for key in keys {
                    if let Some(path) = element.get_mut(key) {
                        self.shorten(path, "");
                    }
                }
                if element["code"] == BoxEventKind::Duplicate.code() {
                    self.shorten(&mut element["detail"], BoxDetail::SAME_BYTES);
                }
            }
        }
        let damaged = summary.get_mut("damaged").and_then(Value::as_array_mut);
        for line in damaged.into_iter().flatten() {
            self.shorten(line, "");
        }
        for field in ["without_header", "not_read"] {
            if let Some(folders) = summary.get_mut(field).and_then(Value::as_object_mut) {
                let short = std::mem::take(folders).into_iter();
                folders.extend(short.map(|(path, count)| (self.text_below(&path), count)));
            }
        }
    }

    /// Removes the folder from a path, or from text that begins with `before` and then a path.
    fn shorten(&self, path: &mut Value, before: &str) {
        if let Some(text) = path.as_str() {
            if let Some(rest) = text.strip_prefix(before) {
                *path = format!("{before}{}", self.text_below(rest)).into();
            }
        } else if let Some(bytes) = bytes_of(path) {
            *path = json!(self.below(Path::new(OsStr::from_bytes(&bytes))));
        }
    }

    /// Removes the folder from the start of a text.
    fn text_below(&self, text: &str) -> String {
        let folder = self.0.to_string_lossy();
        let below = text.strip_prefix(&*folder).filter(|_| !folder.is_empty());
        let below = below.and_then(|rest| {
            if folder.ends_with('/') {
                Some(rest)
            } else {
                rest.strip_prefix('/')
            }
        });
        below.unwrap_or(text).to_owned()
    }
}

/// Returns the bytes of a path that is not UTF-8, from its form in JSON.
fn bytes_of(path: &Value) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(path.get("bytes")?.as_str()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_below_the_shared_folder() {
        for (inputs, path, below) in [
            (&["/a/b/c.mbox"][..], "/a/b/c.mbox", "c.mbox"),
            (&["/a/b/c", "/a/d.mbox"], "/a/b/c/cur/1", "b/c/cur/1"),
            (&["/c.mbox"], "/c.mbox", "c.mbox"),
            (&["c.mbox", "/a/d.mbox"], "/a/d.mbox", "/a/d.mbox"),
            (&["../x/c.mbox"], "../x/c.mbox", "c.mbox"),
            (&["..", "../c"], "../c", "../c"),
            (&["-"], "-", "-"),
            (&["/a/b/c"], "/a/bc", "/a/bc"),
        ] {
            let inputs: Vec<_> = inputs.iter().map(PathBuf::from).collect();
            let folder = SharedFolder::of(&inputs);
            assert_eq!(folder.below(Path::new(path)).to_string(), below, "{path}");
            assert_eq!(folder.text_below(path), below, "{path}");
        }
    }

    #[test]
    fn every_path_of_a_summary_is_shortened() {
        let folder = SharedFolder::of(&["/a/b".into()]);
        let path = |name: &[u8]| json!(FileName::of(Path::new(OsStr::from_bytes(name))));
        let mut summary = json!({
            "sources": [{"path": "/a/b"}, {"path": path(b"/a/b\xe9")}],
            "damaged": ["/a/b/x.gz: truncated (at byte 7)"],
            "without_header": {"/a/b": 2},
            "examples": [
                {"code": "box.duplicate", "message": "/a/b/1", "path": path(b"/a/b/\xe8"), "detail": BoxDetail::Duplicate { first: "/a/b:0".into() }.to_string()},
                {"code": "ew.raw8bit", "message": "/a/b:1", "detail": "/a/b"},
            ],
            "least_certain": [{"message": "/a/b:2"}],
        });
        folder.remove_from(&mut summary);
        assert_eq!(
            summary,
            json!({
                "sources": [{"path": "b"}, {"path": path(b"b\xe9")}],
                "damaged": ["b/x.gz: truncated (at byte 7)"],
                "without_header": {"b": 2},
                "examples": [
                    {"code": "box.duplicate", "message": "b/1", "path": path(b"b/\xe8"), "detail": "same bytes as b:0"},
                    {"code": "ew.raw8bit", "message": "b:1", "detail": "/a/b"},
                ],
                "least_certain": [{"message": "b:2"}],
            })
        );
    }
}
