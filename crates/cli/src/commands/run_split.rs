//! `mailglot run`: processes one split of a plan, and writes its part.

use super::normalize_job::planned_job;
use super::stats::timed;
use super::worker_threads::worker_threads;
use crate::args::RunArgs;
use crate::exit::{Exit, Failure};
use crate::output::{Console, counted};
use crate::progress::watched;
use crate::signals::stoppable;
use mailglot_pipeline::run_part;

pub(crate) fn run(args: &RunArgs, console: Console) -> Result<Exit, Failure> {
    let (plan, mut job) = planned_job(&args.plan, &args.output)?;
    job.force = args.force;
    job.threads = worker_threads(args.threads);
    let place = (&*args.plan, &plan);
    let done = stoppable(|progress| {
        let work = || run_part(&job, place, args.split, progress);
        let work = || watched(console, progress, work);
        timed(args.stats, console, progress, work)
    })?;
    if done.is_joined {
        console.say(format_args!(
            "split {} of {}  not needed: {} exists and has no parts; --force processes it all the same",
            args.split,
            plan.splits(),
            args.output.display()
        ));
        return Ok(Exit::Done);
    }
    console.say(format_args!(
        "split {} of {}  {}{}, {}",
        args.split,
        plan.splits(),
        if done.was_done { "already done: " } else { "" },
        counted(done.messages, "message"),
        counted(done.bytes, "byte")
    ));
    Ok(Exit::Done)
}
