//! Typed values beside mail-parser's, over the messages of the shared corpus.

#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    reason = "differences are for the reader of the test"
)]

#[path = "../src/shared_material.rs"]
mod shared_material;

use mail_parser::{Address, HeaderName, HeaderValue, MessageParser};
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::fields::{Entry, addresses, date, identifiers};
use mailglot_mime::{Limits, Message, PartId};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[derive(Default)]
struct Count {
    same: u32,
    other: u32,
}

impl Count {
    fn add(&mut self, name: &str, ours: &impl std::fmt::Debug, theirs: &impl std::fmt::Debug) {
        let (ours, theirs) = (format!("{ours:?}"), format!("{theirs:?}"));
        if ours == theirs {
            self.same += 1;
        } else {
            self.other += 1;
            println!("{name}\n    we   {ours}\n    they {theirs}");
        }
    }

    fn share(&self) -> f64 {
        f64::from(self.same) / f64::from(self.same + self.other)
    }
}

#[test]
fn well_formed_fields_agree_with_mail_parser() -> Result<()> {
    let Some(shared) = shared_material::folder() else {
        return Ok(());
    };
    let mut files = Vec::new();
    collect(&shared.join("corpus/eml"), &mut files)?;
    assert!(files.len() > 900, "{}", files.len());
    let (mut lists, mut dates, mut ids) = (Count::default(), Count::default(), Count::default());
    for file in files {
        let raw = fs::read(&file)?;
        let Some(theirs) = MessageParser::new().parse(&raw) else {
            continue;
        };
        let message = Message::parse(&raw, &Limits::default());
        let field = |name: &[u8]| message.field(PartId::ROOT, name).map(|f| f.value.of(&raw));
        // Where a name occurs twice, the other reader gives the last one.
        let once = |name: &str| {
            let same = |f: &&mailglot_mime::header::Field| {
                f.name.of(&raw).eq_ignore_ascii_case(name.as_bytes())
            };
            message.fields(PartId::ROOT).iter().filter(same).count() == 1
        };
        for name in ["from", "to", "cc", "reply-to"] {
            let Some(value) = field(name.as_bytes()).filter(|_| once(name)) else {
                continue;
            };
            let header = HeaderName::parse(name).ok_or("a known name")?;
            let Some(HeaderValue::Address(list)) = theirs.header(header) else {
                continue;
            };
            let ours = addresses(value, &HeaderContext::default(), &mut Vec::new());
            let ours: Vec<String> = ours
                .iter()
                .flat_map(members)
                .filter(|text| !text.is_empty())
                .collect();
            lists.add(
                &format!("{name}: {}", value.escape_ascii()),
                &ours,
                &flat(list),
            );
        }
        if let (Some(value), Some(theirs)) = (field(b"date"), theirs.date())
            && once("date")
            && theirs.is_valid()
        {
            let ours = date(value).map(|d| d.timestamp());
            dates.add(
                &value.escape_ascii().to_string(),
                &ours,
                &Some(theirs.to_timestamp()),
            );
        }
        if let (Some(value), Some(theirs)) = (field(b"message-id"), theirs.message_id())
            && once("message-id")
        {
            ids.add(
                &value.escape_ascii().to_string(),
                &identifiers(value),
                &vec![theirs],
            );
        }
    }
    for (name, count, bar) in [
        ("addresses", lists, 0.95),
        ("dates", dates, 0.97),
        ("identifiers", ids, 0.98),
    ] {
        println!("{name}: {} the same, {} other", count.same, count.other);
        assert!(
            count.same > 300 && count.share() >= bar,
            "{name}: {}",
            count.share()
        );
    }
    Ok(())
}

fn members(entry: &Entry) -> Vec<String> {
    match entry {
        Entry::Mailbox(one) => vec![one.address.clone()],
        Entry::Group { list, .. } => list.iter().map(|one| one.address.clone()).collect(),
    }
}

fn flat(list: &Address<'_>) -> Vec<String> {
    list.iter()
        .filter_map(|a| a.address.as_ref())
        .map(ToString::to_string)
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
