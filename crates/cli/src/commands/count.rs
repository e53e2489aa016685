//! `mailglot count`

use super::note;
use crate::args::CountArgs;
use crate::exit::{Exit, Failure};
use crate::output::{Console, print};
use mailglot_pipeline::count;
use std::os::unix::ffi::OsStrExt;

pub(crate) fn run(args: &CountArgs, console: Console) -> Result<Exit, Failure> {
    let mut worst = Exit::Done;
    for input in &args.inputs {
        match count(input) {
            Ok(archives) => {
                for (messages, path) in archives {
                    let mut line = format!("{messages}\t").into_bytes();
                    line.extend_from_slice(path.as_os_str().as_bytes());
                    line.push(b'\n');
                    print(&line)?;
                }
            }
            Err(error) => note(&error.into(), &mut worst, console),
        }
    }
    Ok(worst)
}
