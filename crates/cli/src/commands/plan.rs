//! `mailglot plan`: divides a normalization into splits, which any number of processes can read.

use super::normalize_job::normalize_job;
use crate::args::{JobArgs, PlanArgs, command};
use crate::exit::{Exit, Failure};
use crate::output::{Console, counted};
use crate::shell_words::quoted;
use mailglot_archive::WriteOptions;
use mailglot_archive::replace::Replacement;
use mailglot_pipeline::{check_plan_place, plan_parts};
use std::io::Write;

pub(crate) fn run(args: &PlanArgs, console: Console) -> Result<Exit, Failure> {
    let place = &args.output;
    if place.as_os_str() == "-" {
        let message = "plan writes a file, not standard output";
        return Err(Failure::usage(message));
    }
    let words = words()?;
    let options = JobArgs::parse(&words).map_err(|error| {
        // The same options were parsed before.
        Failure::usage(error.to_string())
    })?;
    let job = normalize_job(options, args.inputs.paths()?, place.clone());
    check_plan_place(place, &job)?;
    let plan = plan_parts(&job, words, args.split_size)?;
    let created = Replacement::create(place, WriteOptions::FORCE);
    let mut file = created.map_err(|error| Failure::of_output(&error))?;
    let written = file.write_all(plan.to_json().as_bytes());
    written.map_err(|error| Failure::output(place, &error))?;
    file.commit().map_err(|error| Failure::of_output(&error))?;
    let splits = plan.splits();
    console.say(format_args!(
        "plan        {}",
        counted(splits as u64, "split")
    ));
    console.say(format_args!(
        "next        mailglot run {} --split N -o OUTPUT, with N from 0 to {}",
        quoted(place),
        splits.saturating_sub(1)
    ));
    Ok(Exit::Done)
}

/// Returns the options of this command line that belong to the job.
fn words() -> Result<Vec<String>, Failure> {
    let wrong = |text: String| Failure::usage(text);
    let matches = command().try_get_matches_from(std::env::args_os());
    let matches = matches.map_err(|error| wrong(error.to_string()))?;
    let Some(("plan", given)) = matches.subcommand() else {
        return Ok(Vec::new());
    };
    JobArgs::words(given).map_err(|value| {
        let value = value.to_string_lossy();
        wrong(format!("{value}: not UTF-8, so a plan cannot have it"))
    })
}
