//! Converts structured field values to JSON: addresses, dates, identifiers, trace fields, parameters (`header decode --name NAME --json`).
//!
//! # Limits
//!
//! Unstructured values have no such form; their JSON has `text` only.

use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::fields::{self, Entry, Mailbox, Received, Value};
use mailglot_mime::{Detail, EventKind, Finding};
use serde_json::{Map, Value as Json, json};

/// Returns the structured value of a field; `None` for unstructured text. Adds findings about the structure.
pub(super) fn structured(
    name: &str,
    value: &[u8],
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Option<Json> {
    let mut of_type = Vec::new();
    let typed = fields::read(name.as_bytes(), value, context, &mut of_type);
    let of_names = of_type.into_iter();
    findings.extend(of_names.filter(|finding| fields::is_about_names(finding.kind)));
    if typed == Value::Date(None) {
        let kind = EventKind::DateUnparsable;
        findings.push(Finding::new(0..value.len(), kind, Detail::None));
    }
    Some(match typed {
        Value::Addresses(list) => {
            json!({ "addresses": list.iter().map(entry).collect::<Vec<_>>() })
        }
        Value::Date(date) => json!({ "date": date.map(|date| date.to_string()) }),
        Value::Identifiers(list) => json!({ "identifiers": list }),
        Value::Received(trace) => json!({ "received": received(&trace) }),
        Value::Parameters(params) => {
            let list: Map<String, Json> = params
                .list
                .into_iter()
                .map(|p| (p.name, p.text.into()))
                .collect();
            json!({ "value": params.value, "params": list })
        }
        _ => return None,
    })
}

fn entry(entry: &Entry) -> Json {
    match entry {
        Entry::Mailbox(one) => mailbox(one),
        Entry::Group { name, list } => {
            json!({ "group": name, "members": list.iter().map(mailbox).collect::<Vec<_>>() })
        }
    }
}

fn mailbox(mailbox: &Mailbox) -> Json {
    let mut object = json!({ "name": mailbox.name, "address": mailbox.address });
    if !mailbox.comments.is_empty() {
        object["comments"] = json!(mailbox.comments);
    }
    object
}

fn received(trace: &Received) -> Json {
    json!({
        "from": trace.from,
        "by": trace.by,
        "via": trace.via,
        "with": trace.with,
        "id": trace.id,
        "for": trace.recipient,
        "comments": trace.comments,
        "rest": trace.rest,
        "date": trace.date.map(|date| date.to_string()),
    })
}
