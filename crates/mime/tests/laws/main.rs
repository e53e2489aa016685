//! The laws that hold for every message, over mutants of real and built-in ones.
//!
//! `MAILGLOT_MUTANTS`, `MAILGLOT_MESSAGES` and `MAILGLOT_SEED` (decimal) choose how many and which; a failure prints the smallest mutant found that shows it.

#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test tells its reader what failed, by failing"
)]
#![allow(
    clippy::naive_bytecount,
    clippy::format_collect,
    reason = "plain words are worth more than speed in a test"
)]

mod checks;
mod evidence;
mod junk;
mod mutants;
mod numbers;
mod policies;
#[path = "../../src/shared_material.rs"]
mod shared_material;
mod texts;

use checks::broken;
use evidence::message;
use mailglot_mime::encoded_word::Repairs;
use mailglot_mime::header::field_kind;
use mailglot_mime::{
    Attachments, Headers, Limits, Message, PartId, Policy, header, header_context, process,
};
use mutants::{BUILT_IN, mutate};
use numbers::Numbers;
use policies::{HEADERS, LOSSES, OUT, TRANSFERS, policy};
use std::fmt::Write as _;

/// Messages that broke a law once.
const ONCE_BROKEN: [&[u8]; 32] = [
    b"From: =?koi8-r?B?8A?=R\n\n\x1b$B$3\x1b(B\xd0\x9f\xa0",
    b"From: =?koi?B?8A?=\xcf\xf0\xe0\n\n\x1b$B?=\x94",
    b"From: \xe9=?8859?B??=\nContent-Type:;charset=gbk\n\n\xc3\x1b$B$3\x1b(B",
    b"e:\xc5\nFrom:=??Q?=?u8?B?w\xf57w?=<?=\xa8>\xa8",
    b"Subject:=??8859?Q??=\n\nx\n=?so\0-",
    b"Subject:=?8859?Q??=\n\nx\n=?so\0-",
    b"Subject:=?8859?Q??=\nm:=?asci?Q?=81=EF=BB=BF?=",
    b"Subject: =?8859?Q?=E4?=\n\nx\x1b(\n=?so\0-",
    b"Content-Type:. t=\"\xee\t\n\xd4",
    b"0\nContent-Type:/;charset=\"\"t=;charset=",
    b"Content-Type:\nContent-Transfer-Encoding:quoted\n--\nContent-Type:=Fe",
    b"Content-Type:;charset=x-sjis\nContent-Transfer-Encoding:8bit\n\n<aick=alert(1\x00) x=\"\x83\\",
    b"n:\nContent-Type:;charset=s\nContent-Transfer-Encoding:8bit\n\n\x93\xfa\x96\x00{",
    b"n:\rContent-Type:;charset=8\rContent-Transfer-Encoding:quoted\r\r=3c=0D=0A.=0D=0A=00 x=\r\xf9\r",
    b"0\rContent-Type:multipart/-\tboundary=b\r\r--b\rA:\n\n-:\x9f",
    b" \nCy\x1b(Bpe: s\xbb",
    b"0\nContent-Type:\nContent-Transfer-Encoding:8bit\nXE\x1b(B:\xdflich",
    b"e\nContent-Type:n d=\nContent-Transfer-Encoding:base64\nPABzAGMAcgB",
    b"Content-Type:text/plain name=x\n\nGr\xfc\xdfe\n",
    b">\nContent-Type:multipart/d boundary=b\n\n--b\nContent-Type:message/rfc822\nContent-Transfer-Encoding:\n\xbc",
    b"Content-Type:e charset=UTF7\nContent-Transfer-Encoding:7bit\n\n+ADw-srip\x00t+",
    b"n:\nContent-Type:multipart/a boundary=bound\n\n--bound\nContent-Transfer-Encoding:base64\n\ndU\n\xff\n--bound--",
    b"n:\rContent-Type:;charset=UTF7\rC:\r\r+ADw\x1b$B4-",
    b"e:\nContent-Transfer-Encoding:base64\n\n=\r\x82",
    b"\xff\xfe\xff\xfe",
    b"e:\r\nContent-Type:;charset=UTF7\nContent-Transfer-Encoding:7bit\n\n+ADw\n",
    b"i\nContent-Type:multipart/i boundary=xxx\n--xxx\nContent-Transfer-Encoding:base64\nContent-Disposition:attachment\nAo-E7bt\n--xxx\nContent-Transfer-Encoding:base64\nContent-",
    b"Content-Type:multipart/d boundary=ab\nM\nn:\n--ab\n\xbc",
    b"n:\rSubject: x\rContent-Type: text/plain; charset=cp1026\r\r%%\xa3\xa6\x96%",
    b"n:\rContent-Type: text/plain; charset=iso-2022-kr\r\r\x1b$)C\r\r\n--b\n",
    b"n:\rContent-Type: text/plain; charset=utf-16\rContent-Transfer-Encoding: 8bit\r\r\xfe\xff\0\n\0o\0\r\0",
    b"n:\r\nContent-Type: text/csv; charset=cp1026\r\nContent-Transfer-Encoding: base64\r\n\r\n\n",
];

/// The smallest message found that breaks the same law.
fn shrink(raw: &[u8], policy: &Policy, name: &str) -> Vec<u8> {
    let mut raw = raw.to_vec();
    let mut length = (raw.len() / 2).max(1);
    loop {
        let mut at = 0;
        let before = raw.len();
        while at < raw.len() {
            let mut less = raw.clone();
            less.drain(at..(at + length).min(raw.len()));
            if broken(&less, policy).is_some_and(|(law, _)| law == name) {
                raw = less;
            } else {
                at += length;
            }
        }
        if length == 1 && raw.len() == before {
            return raw;
        }
        length = (length / 2).max(1);
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = BUILT_IN.iter().map(|m| m.to_vec()).collect();
    let Some(shared) = shared_material::folder() else {
        return seeds;
    };
    let mut folders = vec![shared.join("corpus/eml"), shared.join("attacks")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "eml")
                && path.metadata().unwrap().len() < 60_000
            {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(files.len() > 200, "the messages are there");
    seeds.extend(files.iter().map(|path| std::fs::read(path).unwrap()));
    seeds
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a decimal number"))
}

#[test]
fn messages_that_broke_a_law_once_keep_it() {
    for raw in ONCE_BROKEN {
        for headers in HEADERS {
            for transfer in TRANSFERS {
                for on_loss in LOSSES {
                    let each = [Repairs::default(), Repairs::ALL]
                        .into_iter()
                        .flat_map(|r| OUT.map(|out| (r, out)));
                    for (repairs, charset_out) in each {
                        let policy = Policy::default()
                            .headers(headers)
                            .transfer(transfer)
                            .on_loss(on_loss)
                            .repairs(repairs)
                            .charset_out(charset_out)
                            .attachments(Attachments::Utf8);
                        let found = broken(raw, &policy);
                        assert!(
                            found.is_none(),
                            "{} {policy:?}\n{found:?}",
                            raw.escape_ascii()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_told_changes_no_byte() {
    for raw in ONCE_BROKEN {
        let full = Policy::default()
            .headers(Headers::RawUtf8)
            .repairs(Repairs::ALL);
        let silent = full.clone().limits(full.limits.events(0));
        assert_eq!(
            process(raw, &full).bytes,
            process(raw, &silent).bytes,
            "{}",
            raw.escape_ascii()
        );
    }
}

#[test]
fn mutants_keep_the_laws() {
    let seeds = seeds();
    keep_the_laws("MAILGLOT_MUTANTS", 20_000, |number, numbers| {
        let seed = &seeds[numbers.below(seeds.len())];
        let other = &seeds[numbers.below(seeds.len())];
        if number < seeds.len() as u64 {
            seeds[number as usize].clone()
        } else {
            mutate(seed, other, numbers)
        }
    });
}

/// What a field or a part declares is evidence for those that declare nothing, and may be gone after a pass.
#[test]
fn messages_whose_parts_tell_of_each_other_keep_the_laws() {
    keep_the_laws("MAILGLOT_MESSAGES", 3_000, |_, numbers| message(numbers));
}

/// Junk in one field changes no other field.
#[test]
fn messages_with_junk_in_a_field_keep_the_laws() {
    keep_the_laws("MAILGLOT_MESSAGES", 3_000, |_, numbers| {
        junk::message(numbers).0
    });
}

#[test]
fn valid_utf_8_is_not_reread_because_of_junk_in_another_field() {
    let policy = Policy::default();
    for number in 0..5_000_u64 {
        let mut numbers = Numbers(number << 20);
        let (raw, name, text) = junk::message(&mut numbers);
        let message = Message::parse(&raw, &Limits::default());
        let context = header_context(&message, &policy);
        let field = message
            .field(PartId::ROOT, name.to_ascii_lowercase().as_bytes())
            .unwrap();
        let value = field.value.of(&raw);
        let kind = field_kind(name.as_bytes());
        assert_eq!(
            header::decode(value, kind, &context, &mut Vec::new()).trim_start(),
            text,
            "{}",
            raw.escape_ascii()
        );
        let written = process(&raw, &policy);
        let after = Message::parse(&written.bytes, &Limits::default());
        let value = after
            .field(PartId::ROOT, name.to_ascii_lowercase().as_bytes())
            .unwrap();
        let value = value.value.of(&written.bytes);
        let read = header::decode(value, kind, &header_context(&after, &policy), &mut vec![]);
        assert_eq!(read.trim_start(), text, "{}", written.bytes.escape_ascii());
    }
}

/// Tries as many messages as a variable of the environment says, or `usual`.
fn keep_the_laws(variable: &str, usual: u64, make: impl Fn(u64, &mut Numbers) -> Vec<u8>) {
    let first = number("MAILGLOT_SEED", 1);
    let mut kinds: Vec<(&str, u64)> = Vec::new();
    let mut failures = String::new();
    for mutant in 0..number(variable, usual) {
        let mut numbers = Numbers(first.wrapping_mul(0x1_0000_0001).wrapping_add(mutant << 20));
        let raw = make(mutant, &mut numbers);
        let policy = policy(&mut |bound| numbers.below(bound));
        let Some((law, _)) = broken(&raw, &policy) else {
            continue;
        };
        if let Some((_, count)) = kinds.iter_mut().find(|(name, _)| *name == law) {
            *count += 1;
            if *count > 3 {
                continue;
            }
        } else {
            kinds.push((law, 1));
        }
        let small = shrink(&raw, &policy, law);
        let shown = broken(&small, &policy).map_or_else(String::new, |(_, shown)| shown);
        let Policy {
            headers,
            transfer,
            on_loss,
            charset_out,
            ..
        } = policy;
        let _ = write!(
            failures,
            "\n{law} (mutant {mutant}, {headers:?} {transfer:?} {on_loss:?} {charset_out:?})\n{}\n-> {}\n{shown}\n",
            small.escape_ascii(),
            process(&small, &policy).bytes.escape_ascii(),
        );
    }
    assert!(failures.is_empty(), "{kinds:?}\n{failures}");
}
