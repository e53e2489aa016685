//! `mailglot count`

use super::note;
use super::summary::report_left_out;
use crate::args::CountArgs;
use crate::exit::{Exit, Failure};
use crate::output::{Console, print, put_path};
use mailglot_pipeline::{Error, count_each, once};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &CountArgs, console: Console) -> Result<Exit, Failure> {
    once(&args.inputs)?;
    let mut worst = Exit::Done;
    for input in &args.inputs {
        let mut failed = None;
        let mut each = |archive: Result<(u64, PathBuf), Error>| match archive {
            Ok((messages, path)) => {
                if failed.is_none() {
                    failed = line(messages, &path).err();
                }
            }
            Err(error) => note(&error.into(), &mut worst, console),
        };
        match count_each(input, args.expansion.opening(args.force_format), &mut each) {
            Ok(account) => report_left_out(&account, &mut worst, console),
            Err(error) => note(&error.into(), &mut worst, console),
        }
        if let Some(failure) = failed {
            return Err(failure);
        }
    }
    Ok(worst)
}

fn line(messages: u64, path: &Path) -> Result<(), Failure> {
    let mut line = format!("{messages}\t").into_bytes();
    put_path(path, &mut line);
    line.push(b'\n');
    print(&line)
}
