//! What a server makes of our edits is what the planner made of the message.

use mailglot_gateway::milter::Actions;
use mailglot_gateway::{MessageBuilder, ReceivedMessage};
use mailglot_mime::{Policy, Transfer, process};
use std::fs;
use std::path::Path;

/// A message as a server holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerMessage {
    fields: Vec<(Vec<u8>, Vec<u8>)>,
    body: Vec<u8>,
}

impl ServerMessage {
    /// Cuts a message as a server does: fields while they last.
    pub(crate) fn of(raw: &[u8]) -> Self {
        let mut held = Self {
            fields: Vec::new(),
            body: Vec::new(),
        };
        let mut rest = raw;
        while !rest.is_empty() {
            let end = rest
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(rest.len(), |at| at + 1);
            let line = &rest[..end];
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            if let (b' ' | b'\t', Some((_, value))) = (line[0], held.fields.last_mut()) {
                value.push(b'\n');
                value.extend_from_slice(text);
            } else if let Some(colon) = text
                .iter()
                .position(|byte| *byte == b':')
                .filter(|at| *at > 0)
            {
                held.fields
                    .push((text[..colon].to_vec(), text[colon + 1..].to_vec()));
            } else {
                if text.is_empty() {
                    rest = &rest[end..];
                }
                break;
            }
            rest = &rest[end..];
        }
        // A server makes all line ends CRLF.
        for (at, line) in rest.split(|byte| *byte == b'\n').enumerate() {
            if at > 0 {
                held.body.extend_from_slice(b"\r\n");
            }
            held.body
                .extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
        }
        held
    }

    pub(crate) fn tell(&self, leading_space: bool) -> ReceivedMessage {
        let mut received = MessageBuilder::new(leading_space, u64::MAX, std::env::temp_dir());
        for (name, value) in &self.fields {
            let value = if leading_space {
                value
            } else {
                value.strip_prefix(b" ").unwrap_or(value)
            };
            received.field(name, value);
        }
        received.body(&self.body);
        received.complete().unwrap()
    }

    /// What Postfix does, request by request.
    pub(crate) fn apply(&mut self, actions: &Actions<'_>, leading_space: bool) {
        let space = |value: &[u8]| {
            if leading_space {
                value.to_vec()
            } else {
                [b" ", value].concat()
            }
        };
        let mut changes = actions.changes.clone();
        changes.sort_by_key(|change| std::cmp::Reverse(change.position));
        for change in changes {
            let name = change.name.as_bytes();
            let mut same =
                (0..self.fields.len()).filter(|at| self.fields[*at].0.eq_ignore_ascii_case(name));
            let at = same
                .nth(change.index as usize - 1)
                .expect("a field that is there");
            assert_eq!(at, change.position as usize, "{change:?}");
            match &change.value {
                Some(value) => self.fields[at].1 = space(value.as_bytes()),
                None => drop(self.fields.remove(at)),
            }
        }
        for (name, value) in actions.inserted.iter().rev() {
            self.fields
                .insert(0, (name.as_bytes().to_vec(), space(value.as_bytes())));
        }
        for (name, value) in &actions.appended {
            self.fields
                .push((name.as_bytes().to_vec(), space(value.as_bytes())));
        }
        if let Some(body) = &actions.body {
            self.body = body.concat();
        }
    }

    /// The same but for the fields of a name.
    pub(crate) fn without(&self, name: &[u8]) -> Self {
        let mut other = self.clone();
        other
            .fields
            .retain(|field| !field.0.eq_ignore_ascii_case(name));
        other
    }

    fn bytes(&self) -> Vec<u8> {
        let received = self.tell(true);
        received.raw().to_vec()
    }
}

/// Whether the planner changed anything.
fn same_through_a_server(raw: &[u8], policy: &Policy, name: &str) -> bool {
    let held = ServerMessage::of(raw);
    for leading_space in [true, false] {
        let received = held.tell(leading_space);
        let outcome = process(received.raw(), policy);
        let actions = received.actions(&outcome.edits);
        assert!(actions.is_ok(), "{name}: {actions:?}");
        let actions = actions.unwrap();
        let mut after = held.clone();
        after.apply(&actions, leading_space);
        // A value with a bare CR can come, and cannot go back: it stays. Where it says how the body is read, that stays too.
        if held.fields.iter().any(|(_, value)| value.contains(&b'\r')) {
            let want = ServerMessage::of(&outcome.bytes);
            let odd = after
                .fields
                .iter()
                .filter(|(_, value)| value.contains(&b'\r'));
            assert!(
                odd.clone().all(|field| held.fields.contains(field)),
                "{name}"
            );
            let stale = odd.filter(|field| !want.fields.contains(field));
            let labels = stale
                .filter(|(name, _)| name.to_ascii_lowercase().starts_with(b"content-"))
                .count();
            assert!(
                after.body == if labels > 0 { &held } else { &want }.body,
                "{name}"
            );
            return false;
        }
        if leading_space {
            let (got, want) = (after.bytes(), outcome.bytes.to_vec());
            assert_eq!(
                got.escape_ascii().to_string(),
                want.escape_ascii().to_string(),
                "{name}"
            );
        } else {
            // The space behind a colon is the server's here: the same but for it.
            let squeeze = |bytes: &[u8]| {
                bytes
                    .iter()
                    .copied()
                    .filter(|byte| *byte != b' ')
                    .collect::<Vec<_>>()
            };
            assert_eq!(squeeze(&after.bytes()), squeeze(&outcome.bytes), "{name}");
        }
        if outcome.edits.is_empty() {
            assert!(actions.is_empty(), "{name}");
            return false;
        }
    }
    true
}

#[test]
fn a_message_beyond_the_limit_is_counted_and_not_kept() {
    for (limit, large) in [(27, true), (28, false)] {
        let mut received = MessageBuilder::new(true, limit, std::env::temp_dir());
        received.field(b"Subject", b" 12345");
        received.body(b"1234567890");
        assert_eq!((received.is_too_large(), received.size()), (large, 26));
        let kept = if large {
            &b"\r\n"[..]
        } else {
            b"Subject: 12345\r\n\r\n1234567890"
        };
        assert_eq!(received.complete().unwrap().raw(), kept);
    }
}

/// Fields of a name are counted alike, however many fields there are.
#[test]
fn fields_of_a_name_are_counted() {
    for many in [3, 60, 63, 64, 65, 66, 500] {
        let mut raw = Vec::new();
        for at in 0..many {
            let value: &[u8] = if at % 3 == 0 {
                b"plain"
            } else {
                b"=?iso-8859-1?Q?Caf=E9?="
            };
            raw.extend_from_slice(if at % 2 == 0 {
                b"Subject: "
            } else {
                b"sUBJECT: "
            });
            raw.extend_from_slice(&[value, b"\r\nX-Other: =?iso-8859-1?Q?Caf=E9?=\r\n"].concat());
        }
        raw.extend_from_slice(b"\r\nbody\r\n");
        assert!(same_through_a_server(
            &raw,
            &Policy::default(),
            &format!("{many} fields")
        ));
    }
}

/// No server tells a field behind the body; one that does is understood.
#[test]
fn fields_behind_the_body_stand_before_it() {
    let mut late = MessageBuilder::new(true, u64::MAX, std::env::temp_dir());
    late.field(b"A", b" 1");
    late.body(b"one\r\n");
    late.field(b"B", b" 2");
    late.body(b"two\r\n");
    late.field(b"C", b" 3");
    assert_eq!(
        late.complete().unwrap().raw(),
        b"A: 1\r\nB: 2\r\nC: 3\r\n\r\none\r\ntwo\r\n"
    );
    for (limit, kept) in [(33, &b"A: 1\r\nB: 2\r\n\r\n"[..]), (5, b"\r\n")] {
        let mut late = MessageBuilder::new(true, limit, std::env::temp_dir());
        late.field(b"A", b" 1");
        late.body(b"");
        late.field(b"B", b" 2");
        assert_eq!(late.complete().unwrap().raw(), kept);
    }
}

fn policies() -> [Policy; 2] {
    [
        Policy::default(),
        Policy::default().transfer(Transfer::SevenBit),
    ]
}

#[test]
fn fields_are_counted_by_their_name() {
    let raw = b"subject: =?koi8-r?Q?=C1?=\r\nSubject: plain\r\nX: =?koi8-r?Q?=C1?=\r\nSUBJECT:=?koi8-r?Q?=C2?=\r\n =?koi8-r?Q?=C2?=\r\n\
        Content-Type: text/plain;\r\n charset=koi8-r\r\n\r\n\xc1\r\n";
    for policy in policies() {
        assert!(same_through_a_server(raw, &policy, "counted"));
    }
    let held = ServerMessage::of(raw);
    let received = held.tell(true);
    let outcome = process(received.raw(), &Policy::default());
    let changes = received.actions(&outcome.edits).unwrap().changes;
    let told: Vec<_> = changes
        .iter()
        .map(|change| (change.name.as_bytes(), change.index))
        .collect();
    assert_eq!(
        told,
        [
            (&b"subject"[..], 1),
            (b"X", 1),
            (b"SUBJECT", 3),
            (b"Content-Type", 1)
        ]
    );
}

#[test]
fn many_fields_of_one_name_take_linear_time() {
    let name = "x".repeat(60);
    let raw = format!("{name}: =?koi8-r?Q?=C1?=\r\n").repeat(30_000) + "\r\nx\r\n";
    let received = ServerMessage::of(raw.as_bytes()).tell(true);
    let outcome = process(received.raw(), &Policy::default());
    let changes = received.actions(&outcome.edits).unwrap().changes;
    assert_eq!((changes.len(), changes[29_999].index), (30_000, 30_000));
}

#[test]
fn fields_that_are_added_arrive() {
    for policy in policies() {
        assert!(same_through_a_server(
            b"Subject: a\r\n\r\nGr\xfc\xdfe\r\n",
            &policy,
            "no type"
        ));
        assert!(!same_through_a_server(
            b"Subject: a\r\n\r\nonly =?koi8-r?Q?=C1?=\r\n",
            &policy,
            "plain"
        ));
    }
}

#[test]
fn all_shared_messages_are_the_same_through_a_server() {
    let Some(shared) = crate::shared_material::folder() else {
        return;
    };
    let (mut seen, mut changed) = (0, 0);
    for folder in ["corpus", "attacks"] {
        walk(&shared.join(folder), &mut |path| {
            let raw = fs::read(path).unwrap();
            for policy in policies() {
                seen += 1;
                changed += u32::from(same_through_a_server(
                    &raw,
                    &policy,
                    &path.to_string_lossy(),
                ));
            }
        });
    }
    println!("{seen} messages, {changed} changed");
    assert!(
        seen > 300 && changed > 100,
        "{seen} messages, {changed} changed"
    );
}

fn walk(folder: &Path, each: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, each);
        } else if path.extension().is_some_and(|kind| kind == "eml") {
            each(&path);
        }
    }
}

/// The protocol has no request that renames a field.
#[test]
fn a_byte_order_mark_in_a_name_stays_in_a_milter() {
    let raw = b"\xEF\xBB\xBFFrom: J\xF6rg <a@b.example>\r\nSubject: caf\xE9 noir\r\n\r\nx\r\n";
    for leading_space in [true, false] {
        let mut held = ServerMessage::of(raw);
        let received = held.tell(leading_space);
        let outcome = process(received.raw(), &Policy::default());
        assert!(outcome.bytes.starts_with(b"From: =?"));
        let actions = received.actions(&outcome.edits).expect("expressible");
        held.apply(&actions, leading_space);
        let [(marked, sender), (_, subject)] = &held.fields[..] else {
            panic!("{:?}", held.fields);
        };
        assert_eq!(marked, b"\xEF\xBB\xBFFrom");
        for value in [sender, subject] {
            assert!(value.trim_ascii_start().starts_with(b"=?"), "{value:?}");
        }
    }
}
