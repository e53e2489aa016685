//! `mailglot header decode --block`: the header of a message, field by field.
//!
//! # Limits
//!
//! The input is held in memory. Lines that are no fields are left out.

use super::super::values::put;
use super::{Counts, DecodedRow, EventRow, Raw, explain, json, tell, typed};
use crate::args::DecodeArgs;
use crate::exit::{Exit, Failure};
use crate::output::Console;
use mailglot_mime::encoded_word::{self, HeaderContext};
use mailglot_mime::header::field_kind;
use mailglot_mime::{Message, PartId, header_context};
use std::io::{self, BufWriter, Read, Write};

pub(super) fn run(args: &DecodeArgs, console: Console) -> Result<Exit, Failure> {
    let mut raw = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut raw);
    read.map_err(|error| Failure::input("standard input", &error))?;
    let policy = args.reading.policy();
    let message = Message::parse(&raw, &policy.limits);
    let context =
        HeaderContext { raw: header_context(&message, &policy).raw, ..super::context(args, &policy) };
    let mut out = BufWriter::new(io::stdout());
    let mut counts = Counts::default();
    for field in message.fields(PartId::ROOT) {
        let (name, value) = (field.name.of(&raw), field.value.of(&raw));
        let kind = field_kind(name);
        let mut findings = Vec::new();
        let text = encoded_word::decode(value, kind, &context, &mut findings);
        let text = text.trim_matches([' ', '\t']);
        let name = String::from_utf8_lossy(name);
        if args.json {
            let typed = typed::typed(&name, value, &context, &mut findings);
            let events = findings.iter().map(EventRow::new).collect();
            let row = DecodedRow { name: Some(&name), value: Raw(value), text, typed, events };
            put(&mut out, &[&json(&row)?, b"\n"])?;
        } else {
            put(&mut out, &[name.as_bytes(), b": ", text.as_bytes(), b"\n"])?;
            tell(&findings, args.explain, console);
            if !args.explain {
                counts.add(&findings);
            }
        }
        if args.explain {
            explain(value, kind, &context, console);
        }
    }
    out.flush().map_err(|error| Failure::stdout(&error))?;
    counts.tell(console);
    Ok(Exit::Done)
}
