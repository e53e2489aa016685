//! Speed of parsing and of planning over a mailbox in memory: `process_speed FILE [parse|plan|process|undo|text]`.
#![allow(clippy::print_stdout)]

use mailglot_mime::{
    Limits, Message, Policy, Report, process, text_parts, unchecked_edits, undo_edits,
};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: process_speed FILE [STEP]")?;
    let step = arguments.next().unwrap_or_else(|| "process".to_owned());
    let bytes = std::fs::read(&file)?;
    let mut starts: Vec<usize> = memchr::memmem::find_iter(&bytes, b"\n\nFrom ")
        .map(|at| at + 2)
        .collect();
    starts.insert(0, 0);
    starts.push(bytes.len());
    let (policy, limits) = (Policy::default(), Limits::default());
    let mut total = 0;
    let clock = Instant::now();
    for pair in starts.windows(2) {
        let entry = &bytes[pair[0]..pair[1]];
        let raw = &entry[memchr::memchr(b'\n', entry).map_or(0, |at| at + 1)..];
        total += match step.as_str() {
            "parse" => Message::parse(raw, &limits).parts().len(),
            "plan" => {
                let message = Message::parse(raw, &limits);
                unchecked_edits(&message, &policy, &mut Report::with_limit(1000)).len()
            }
            "text" => {
                let message = Message::parse(raw, &limits);
                text_parts(&message, &policy, &mut Report::with_limit(1000)).len()
            }
            "undo" => undo_edits(raw, &process(raw, &policy).edits).len(),
            _ => process(raw, &policy).bytes.len(),
        };
    }
    let seconds = clock.elapsed().as_secs_f64();
    println!(
        "{step}: {} messages, {total}, {:.0} MB/s",
        starts.len() - 1,
        bytes.len() as f64 / 1e6 / seconds
    );
    Ok(())
}
