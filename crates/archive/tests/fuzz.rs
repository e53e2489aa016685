//! A short run of the fuzzer of zip and tar archives, dbx files and output of git. Its number of inputs bounds it, so the inputs are the same on
//! every machine.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "message_stores/dbx_writer.rs"]
mod dbx_writer;
#[path = "../examples/fuzz_containers/targets.rs"]
mod targets;
#[path = "containers/writer.rs"]
mod writer;

use targets::ContainerTarget;

#[test]
fn no_container_target_fails_soon() {
    let targets = mailglot_fuzz::turn_each::<ContainerTarget>(500);
    assert_eq!(targets, Ok(5));
}
