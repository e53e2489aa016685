//! Formats the JSON report of a normalization (`--report`).

use crate::duplicates::Dedupe;
use crate::job::NormalizeJob;
use crate::json_file_name::FileName;
use crate::report_paths::SharedFolder;
use crate::selection::Selection;
use crate::summary::Summary;
use mailglot_archive::{Format, LineDecision, MailboxOptions};
use mailglot_mime::encoded_word::Repairs;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Returns program and version, as used in ledger and report.
pub(crate) fn producer() -> String {
    format!("mailglot {}", env!("CARGO_PKG_VERSION"))
}

/// Returns the report as JSON text with a line end. Options have their names of the command line.
///
/// Contains no time, host or number of threads: equal jobs give equal reports. With [`NormalizeJob::deterministic`] they may lie in
/// different folders.
pub(crate) fn render(job: &NormalizeJob, summary: &Summary) -> String {
    let policy = &job.policy;
    let shared = job.deterministic.then(|| SharedFolder::of(&job.inputs));
    let input = |path: &PathBuf| match &shared {
        Some(folder) => folder.below(path),
        None => FileName::of(path),
    };
    let output = |path: &Path| match path.file_name().filter(|_| job.deterministic) {
        Some(name) => FileName::of(Path::new(name)),
        None => FileName::of(path),
    };
    let mut counts = json!(summary);
    if let Some(folder) = &shared {
        folder.remove_from(&mut counts);
    }
    let report = json!({
        "program": producer(),
        "options": {
            "inputs": job.inputs.iter().map(input).collect::<Vec<_>>(),
            "output": output(&job.output),
            "to": job.to.map(|to| if job.opening.divides_maildirs { "mbox-per-folder" } else { form(to) }),
            "headers": policy.headers.name(),
            "charset_out": policy.charset_out.name(),
            "attachments": policy.attachments.name(),
            "transfer": policy.transfer.name(),
            "on_loss": policy.on_loss.name(),
            "keep_signed": policy.keep_signed,
            "repair": repairs(policy.repairs),
            "default_charset": policy.default_charset.map(mailglot_codec::Charset::name),
            "charset_map": policy.charset_map.entries().map(|(label, charset)| (label.to_owned(), charset.name())).collect::<Vec<_>>(),
            "lang_hint": policy.language,
            "force_format": job.opening.force_format,
            "max_expansion": job.opening.max_expansion,
            "follow_links": job.opening.follow_links,
            "mbox_rule": job.opening.mailbox.rule.name(),
            "mbox_override": overrides(&job.opening.mailbox),
            "detect": policy.detection.name(),
            "verify": job.verify,
            "selection": selection(&job.selection),
            "message_limit": policy.limits.message,
            "ledger": job.ledger_place().map(|ledger| output(&ledger)),
        },
        "identity": {
            "messages_in": summary.messages_in,
            "written": summary.written,
            "set_aside": summary.set_aside,
            "dropped": summary.dropped,
            "bytes_in": summary.bytes_in,
            "holds": summary.messages_in == summary.written + summary.set_aside + summary.dropped,
        },
        "summary": counts,
    });
    format!("{report:#}\n")
}

/// Returns the selection in the names of its options. Null if all messages are selected.
fn selection(selection: &Selection) -> serde_json::Value {
    if selection.is_all() {
        return serde_json::Value::Null;
    }
    json!({
        "since": selection.since,
        "until": selection.until,
        "strict": selection.dated_only,
        "folder": selection.folder,
        "dedupe": selection.dedupe.map(Dedupe::name),
        "limit": selection.limit,
    })
}

/// Returns the decisions about lines of a mailbox, each as its option has it: `81233=join`.
fn overrides(mailbox: &MailboxOptions) -> Vec<String> {
    let decision = |(offset, decision): (&u64, &LineDecision)| {
        let decision = decision.name();
        format!("{offset}={decision}")
    };
    mailbox.overrides.iter().map(decision).collect()
}

fn form(to: Format) -> &'static str {
    match to {
        Format::Mbox => "mbox",
        Format::Maildir => "maildir",
        Format::EmlTree | Format::Eml => "eml",
    }
}

/// Returns the names of the requested repairs, as in the option.
fn repairs(asked: Repairs) -> Vec<&'static str> {
    let all = [
        (asked.mojibake, "mojibake"),
        (asked.entities, "entities"),
        (asked.escapes, "escapes"),
        (asked.nested, "nested"),
    ];
    all.into_iter()
        .filter_map(|(asked, name)| asked.then_some(name))
        .collect()
}
