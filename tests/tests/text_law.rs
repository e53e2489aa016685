//! Law 11 over whole messages as they are: samples, the shared corpus, real mail, attacks, generated mailboxes.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_archive::mbox::unquote;
use mailglot_archive::{Batch, EntryKind, ReadOptions, open, recognize};
use mailglot_mime::{Bodies, CharsetOut, Headers, OnLoss, Policy, Transfer};
use mailglot_tests::generate::{self, Dialect, Flaws, Options, Profile};
use mailglot_tests::{laws, samples, shared};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Messages beyond this size only cost time here.
const LARGEST: usize = 300_000;

/// Every choice that bodies depend on.
fn policies() -> Vec<Policy> {
    let mut all = Vec::new();
    for transfer in [
        Transfer::EightBit,
        Transfer::SevenBit,
        Transfer::Keep,
        Transfer::Clean,
    ] {
        for bodies in [Bodies::Utf8, Bodies::Keep] {
            all.push(Policy::default().transfer(transfer).bodies(bodies));
        }
        let legacy = CharsetOut::Iso2022Jp;
        all.push(
            Policy::default()
                .transfer(transfer)
                .charset_out(legacy)
                .headers(Headers::RawUtf8),
        );
        all.push(
            Policy::default()
                .transfer(transfer)
                .on_loss(OnLoss::Keep)
                .headers(Headers::Keep),
        );
    }
    all
}

/// Checks messages under every policy, each also with LF and with CR LF throughout.
fn keep_their_text(messages: impl Iterator<Item = (String, Vec<u8>)>) -> usize {
    let policies = policies();
    let (mut checked, mut faults) = (0, Vec::new());
    for (name, raw) in messages.filter(|(_, raw)| raw.len() <= LARGEST) {
        let lf: Vec<u8> = raw.iter().copied().filter(|byte| *byte != b'\r').collect();
        let crlf = lf
            .split(|byte| *byte == b'\n')
            .collect::<Vec<_>>()
            .join(&b"\r\n"[..]);
        // One policy each for other line ends; all of them for what is there.
        let turn = checked / policies.len() % policies.len();
        let others = [
            (&lf, &policies[turn..=turn]),
            (&crlf, &policies[turn..=turn]),
        ];
        for (raw, policies) in [(&raw, &policies[..])].into_iter().chain(others) {
            for policy in policies {
                checked += 1;
                if let Some(fault) = laws::text_fault(raw, policy) {
                    faults.push(format!(
                        "{name}, {:?} {:?}: {fault}",
                        policy.transfer, policy.bodies
                    ));
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {checked}:\n{}",
        faults.len(),
        faults[..faults.len().min(20)].join("\n")
    );
    checked
}

fn files(paths: Vec<std::path::PathBuf>) -> impl Iterator<Item = (String, Vec<u8>)> {
    paths
        .into_iter()
        .map(|path| (path.display().to_string(), fs::read(&path).unwrap()))
}

fn messages_of(mailbox: &Path) -> Vec<(String, Vec<u8>)> {
    let mut messages = Vec::new();
    for found in recognize(mailbox).unwrap() {
        let mut source = open(&found, &ReadOptions::default()).unwrap();
        let mut batch = Batch::default();
        while source.next(&mut batch).unwrap() {
            for entry in batch
                .entries
                .iter()
                .filter(|entry| entry.kind == EntryKind::Message)
            {
                let raw = unquote(&batch.bytes[entry.message.clone()], entry.quoting).into_owned();
                messages.push((format!("{}:{}", mailbox.display(), entry.ordinal), raw));
            }
        }
    }
    messages
}

#[test]
fn samples_and_generated_mail_keep_their_text() {
    let folder = tempfile::tempdir().unwrap();
    keep_their_text(
        samples::messages()
            .into_iter()
            .map(|raw| ("a sample".to_owned(), raw)),
    );
    for profile in [Profile::List, Profile::Mixed] {
        for crlf in [false, true] {
            let path = folder.path().join(format!("{profile:?}-{crlf}.mbox"));
            let options = Options {
                profile,
                dialect: Dialect::Mboxrd,
                crlf,
                flaws: Flaws::Few,
                size: 1_000_000,
                seed: 11,
            };
            generate::write(&options, &mut fs::File::create(&path).unwrap(), None).unwrap();
            assert!(keep_their_text(messages_of(&path).into_iter()) > 100);
        }
    }
}

#[test]
fn shared_messages_keep_their_text() {
    keep_their_text(files(shared::messages()));
}

#[test]
fn real_messages_keep_their_text() {
    keep_their_text(files(shared::real_paths()));
}

#[test]
fn mail_of_the_shared_generator_keeps_its_text() {
    let Some(shared) = shared::folder() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for profile in ["list", "mixed", "office"] {
        let path = folder.path().join(format!("{profile}.mbox"));
        let made = Command::new("python3")
            .arg(shared.join("tools/gen_mbox.py"))
            .args([
                "--size",
                "1M",
                "--seed",
                "11",
                "--profile",
                profile,
                "--out",
            ])
            .arg(&path)
            .output()
            .expect("python3 can be started");
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        assert!(keep_their_text(messages_of(&path).into_iter()) > 100);
    }
}
