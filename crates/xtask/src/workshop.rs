//! Samples, generated mailboxes, and round trips through the program.

use crate::packages;
use crate::run::{self, build_release, checked, given_or_release, is_older, root, target};
use anyhow::{Context, bail};
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Profiles of generated mailboxes.
pub(crate) const PROFILES: [&str; 2] = ["list", "mixed"];

/// Writes the sample archives and their goldens anew.
pub(crate) fn bless() -> anyhow::Result<()> {
    checked(run::cargo().args([
        "run",
        "--quiet",
        "--package",
        "mailglot-tests",
        "--bin",
        "mailglot-samples",
    ]))
}

/// Runs the generator of mailboxes.
pub(crate) fn generate(arguments: &[String]) -> anyhow::Result<()> {
    let program = build_release()?.join("mailglot-gen");
    checked(Command::new(program).args(arguments))
}

/// Asks installed readers of mail what they decode alike of what the program encodes, and writes `data/mail_repertoire.tsv`.
pub(crate) fn mail_repertoire(program: Option<PathBuf>) -> anyhow::Result<()> {
    packages::for_header_readers()?;
    let program = given_or_release(program)?;
    let script = "crates/xtask/oracles/mail_repertoire.py";
    let table = run::output(
        Command::new("python3")
            .args(["-B", script])
            .arg(program)
            .current_dir(root()),
    )?;
    fs::write(root().join("data/mail_repertoire.tsv"), table)?;
    Ok(())
}

/// A generated mailbox below the target folder, made when it is not there yet.
pub(crate) fn mailbox(programs: &Path, profile: &str, size: &str) -> anyhow::Result<PathBuf> {
    mailbox_of(
        &programs.join("mailglot-gen"),
        &format!("{profile}-{size}.mbox"),
        &["--profile", profile, "--size", size],
    )
}

/// A mailbox below the target folder that a generator writes, made when it is not there yet or older than the generator.
pub(crate) fn mailbox_of(
    generator: &Path,
    name: &str,
    arguments: &[&str],
) -> anyhow::Result<PathBuf> {
    let folder = target()?.join("mailboxes");
    fs::create_dir_all(&folder)?;
    let path = folder.join(name);
    if is_older(&path, generator) {
        checked(
            Command::new(generator)
                .args(arguments)
                .arg("--out")
                .arg(&path)
                // A table does not need its counts.
                .stdout(Stdio::null()),
        )?;
    }
    Ok(path)
}

/// Normalizes and restores mailboxes with one and two threads, compares every byte, and normalizes the result again.
pub(crate) fn roundtrip(size: &str, given: &[PathBuf]) -> anyhow::Result<()> {
    let programs = build_release()?;
    let binary = programs.join("mailglot");
    let mailboxes = if given.is_empty() {
        PROFILES
            .iter()
            .map(|profile| mailbox(&programs, profile, size))
            .collect::<anyhow::Result<Vec<_>>>()?
    } else {
        given.to_vec()
    };
    let folder = target()?.join("roundtrip");
    for mailbox in mailboxes {
        let bytes = fs::metadata(&mailbox)
            .with_context(|| mailbox.display().to_string())?
            .len();
        let mut first_output = None;
        for threads in [1, 2] {
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder)?;
            let start = Instant::now();
            let output = folder.join("out.mbox");
            checked(normalize(&binary, &mailbox, &output, threads).current_dir(root()))?;
            let original = folder.join("original.mbox");
            checked(
                Command::new(&binary)
                    .args(["-q", "restore"])
                    .arg(&output)
                    .arg("-o")
                    .arg(&original)
                    .current_dir(root()),
            )?;
            if !same(&mailbox, &original)? {
                bail!(
                    "{}: restored with {threads} thread(s), it differs",
                    mailbox.display()
                );
            }
            let again = folder.join("again.mbox");
            checked(normalize(&binary, &output, &again, threads).current_dir(root()))?;
            if !same(&output, &again)? {
                bail!("{}: a second normalization changes it", mailbox.display());
            }
            let kept = folder.with_extension("one");
            match &first_output {
                None => {
                    fs::rename(&output, &kept)?;
                    first_output = Some(kept);
                }
                Some(first) if !same(first, &output)? => {
                    bail!(
                        "{}: the output depends on the number of threads",
                        mailbox.display()
                    );
                }
                Some(first) => fs::remove_file(first)?,
            }
            println!(
                "{}: {:.0} MB, {threads} thread(s): every byte came back, a second pass changed nothing ({:.1} s)",
                mailbox.display(),
                bytes as f64 / 1e6,
                start.elapsed().as_secs_f64()
            );
        }
    }
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// The command that normalizes a mailbox.
pub(crate) fn normalize(program: &Path, input: &Path, output: &Path, threads: u32) -> Command {
    let mut command = Command::new(program);
    command
        .args(["-q", "normalize", "--threads", &threads.to_string()])
        .arg(input)
        .arg("-o")
        .arg(output);
    command
}

/// True when two files hold the same bytes.
fn same(one: &Path, other: &Path) -> anyhow::Result<bool> {
    let open = |path: &Path| -> anyhow::Result<_> {
        Ok(BufReader::new(
            File::open(path).with_context(|| path.display().to_string())?,
        ))
    };
    if fs::metadata(one)?.len() != fs::metadata(other)?.len() {
        return Ok(false);
    }
    let (mut one, mut other) = (open(one)?, open(other)?);
    let (mut left, mut right) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    loop {
        let read = one.read(&mut left)?;
        if read == 0 {
            return Ok(true);
        }
        other.read_exact(&mut right[..read])?;
        if left[..read] != right[..read] {
            return Ok(false);
        }
    }
}
