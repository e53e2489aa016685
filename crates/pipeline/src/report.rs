//! The JSON report of a normalization (`--report`).

use crate::{NormalizeJob, Summary};
use mailglot_mime::encoded_word::Repairs;
use serde_json::json;

/// Program and version, as ledger and report name them.
pub(crate) fn producer() -> String {
    format!("mailglot {}", env!("CARGO_PKG_VERSION"))
}

/// The report as a JSON text with a line end. It holds no time, host or number of threads: equal jobs give equal reports.
pub(crate) fn render(job: &NormalizeJob, summary: &Summary) -> String {
    let policy = &job.policy;
    let name = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    let report = json!({
        "program": producer(),
        "options": {
            "inputs": job.inputs.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "output": job.output.to_string_lossy(),
            "to": job.to.map(|to| name(&to)),
            "headers": name(&policy.headers),
            "charset_out": name(&policy.charset_out),
            "attachments": name(&policy.attachments),
            "transfer": name(&policy.transfer),
            "on_loss": name(&policy.on_loss),
            "keep_signed": policy.keep_signed,
            "repair": repairs(policy.repairs),
            "default_charset": policy.default_charset.map(mailglot_codec::Charset::name),
            "charset_map": policy.charset_map.entries().map(|(label, charset)| (label.to_owned(), charset.name())).collect::<Vec<_>>(),
            "lang_hint": policy.language,
            "message_limit": policy.limits.message,
            "ledger": job.ledger_place().map(|ledger| ledger.to_string_lossy().into_owned()),
        },
        "identity": {
            "messages_in": summary.messages_in,
            "written": summary.written,
            "set_aside": summary.set_aside,
            "bytes_in": summary.bytes_in,
            "holds": summary.messages_in == summary.written + summary.set_aside,
        },
        "summary": summary,
    });
    format!("{report:#}\n")
}

/// Names of the repairs that are asked for, as the option has them.
fn repairs(asked: Repairs) -> Vec<&'static str> {
    let Repairs { mojibake, entities, escapes, nested } = asked;
    let all = [(mojibake, "mojibake"), (entities, "entities"), (escapes, "escapes"), (nested, "nested")];
    all.into_iter().filter_map(|(asked, name)| asked.then_some(name)).collect()
}
