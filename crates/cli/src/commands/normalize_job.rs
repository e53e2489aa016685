//! Builds a normalization from the options of `normalize` and `plan`.

use super::worker_threads::worker_threads;
use crate::args::{JobArgs, OutputForm};
use crate::exit::Failure;
use mailglot_mime::OnLoss;
use mailglot_pipeline::{FileName, LedgerPlace, NormalizeJob, Opening, PartsPlan};
use std::fs;
use std::path::{Path, PathBuf};

/// Builds a normalization with one thread per core, that replaces nothing and writes no report.
pub(super) fn normalize_job(args: JobArgs, inputs: Vec<PathBuf>, output: PathBuf) -> NormalizeJob {
    let ledger = args.ledger.unwrap_or(LedgerPlace::Beside);
    // Without a ledger nothing could give the unreadable bytes back.
    let on_loss = if ledger == LedgerPlace::Nowhere {
        OnLoss::Keep
    } else {
        OnLoss::Replace
    };
    let mut policy = args.policy.policy(args.keep_signed, on_loss);
    policy.limits.message = args.largest.bytes();
    NormalizeJob {
        policy,
        inputs,
        output,
        to: args.to.map(OutputForm::format),
        ledger,
        report: None,
        threads: worker_threads(None),
        deterministic: false,
        force: false,
        opening: Opening {
            divides_maildirs: args.to == Some(OutputForm::MboxPerFolder),
            ..args.opening.opening()
        },
        selection: args.selection.selection(),
        verify: args.verify.verify,
    }
}

/// Reads a plan, and builds its normalization for an output.
pub(super) fn planned_job(
    plan: &Path,
    output: &Path,
) -> Result<(PartsPlan, NormalizeJob), Failure> {
    if output.as_os_str() == "-" {
        let message = "a job in parts writes files, not standard output";
        return Err(Failure::usage(message));
    }
    let text = fs::read(plan).map_err(|error| Failure::input(plan.display(), &error))?;
    let parsed = PartsPlan::parse(plan, &text);
    let parsed = parsed.map_err(|error| Failure::from(mailglot_pipeline::Error::Parts(error)))?;
    let options = JobArgs::parse(&parsed.arguments).map_err(|error| {
        let text = format!("{}: its options cannot be used: {error}", plan.display());
        Failure::usage(text)
    })?;
    let inputs = parsed.inputs.iter().map(FileName::path).collect();
    let job = normalize_job(options, inputs, output.to_owned());
    Ok((parsed, job))
}
