//! Sample messages, and the laws that the parser keeps for each message.
//!
//! # Limits
//!
//! For tests only.

use super::*;
use crate::limits::Limits;

pub(super) fn parse(raw: &[u8]) -> Message<'_> {
    Message::parse(raw, &Limits::default())
}

/// Returns section, media type, kind and body of each part.
pub(super) fn shape(raw: &[u8]) -> Vec<String> {
    let message = parse(raw);
    laws(&message);
    let line = |index: usize| {
        let id = PartId(index as u32);
        let part = message.part_at(id);
        let media = format!("{}/{}", part.media.top, part.media.sub);
        let body = match part.kind {
            PartKind::Leaf | PartKind::Opaque => part.body.of(raw).escape_ascii().to_string(),
            PartKind::Multipart | PartKind::Message => "…".to_owned(),
        };
        format!("{} {media} {:?} {body}", message.section(id), part.kind)
    };
    (0..message.parts().len()).map(line).collect()
}

pub(super) fn codes(message: &Message<'_>) -> Vec<&'static str> {
    message
        .defects()
        .iter()
        .map(|event| event.kind.code())
        .collect()
}

/// Checks the laws that apply to every message.
pub(super) fn laws(message: &Message<'_>) {
    let raw = message.raw();
    let parts = message.parts();
    // Headers, bodies without parts and the gaps between them cover the message.
    let mut tiles = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let header = part.header;
        assert!(
            header.start <= header.end
                && header.end <= part.body.start
                && part.body.start <= part.body.end
        );
        assert!(part.body.end <= raw.len());
        let separator = &raw[header.end..part.body.start];
        assert!(
            separator
                .iter()
                .all(|b| matches!(b, b'\r' | b'\n' | b' ' | b'\t')),
            "{separator:?}"
        );
        tiles.push(header);
        if matches!(part.kind, PartKind::Leaf | PartKind::Opaque) {
            tiles.push(part.body);
        }
        let mut at = header.start;
        for field in message.fields(PartId(index as u32)) {
            assert!(at <= field.full.start && field.full.end <= header.end);
            assert_eq!(field.full.start, field.name.start);
            assert!(!field.name.is_empty() && field.name.end < field.value.start);
            assert!(field.value.start <= field.value.end && field.value.end <= field.full.end);
            let end = &raw[field.value.end..field.full.end];
            assert!(end.iter().all(|b| matches!(b, b'\r' | b'\n')));
            at = field.full.end;
        }
        if let Some(span) = part.charset {
            let value = message
                .content_type_value(PartId(index as u32))
                .expect("a charset has a field");
            assert!(value.start <= span.start && span.end <= value.end);
        }
        match part.parent {
            None => assert_eq!((index, part.depth, part.number), (0, 0, 1)),
            Some(parent) => {
                let above = message.part_at(parent);
                assert!((parent.0 as usize) < index);
                assert_eq!(above.depth + 1, part.depth);
                assert!(matches!(
                    above.kind,
                    PartKind::Multipart | PartKind::Message
                ));
                assert!(above.body.start <= header.start && part.body.end <= above.body.end);
            }
        }
    }
    assert_eq!((parts[0].header.start, parts[0].body.end), (0, raw.len()));
    let mut copy = Vec::new();
    for tile in &tiles {
        assert!(
            copy.len() <= tile.start,
            "tiles overlap or are out of order"
        );
        copy.extend_from_slice(&raw[copy.len()..tile.start]);
        copy.extend_from_slice(tile.of(raw));
    }
    copy.extend_from_slice(&raw[copy.len()..]);
    assert_eq!(copy, raw);
    for (index, part) in parts.iter().enumerate() {
        if part.kind == PartKind::Message {
            assert_eq!(
                parts
                    .iter()
                    .filter(|p| p.parent == Some(PartId(index as u32)))
                    .count(),
                1
            );
        }
    }
    assert!(
        message
            .defects()
            .windows(2)
            .all(|pair| pair[0].at.start <= pair[1].at.start)
    );
    for event in message.defects() {
        assert!(event.at.start <= event.at.end && event.at.end <= raw.len() && event.count > 0);
        assert!((event.part.0 as usize) < parts.len());
    }
}

pub(super) const NESTED: &str = "\
From: a@example.org
Content-Type: multipart/mixed;
 boundary=\"outer\"

preamble
--outer
Content-Type: multipart/alternative; boundary=outer-2

--outer-2
Content-Type: text/plain; charset=\"iso-8859-1\"

one
--outer-2
Content-Type: text/html

<p>two</p>

--outer-2--
inner epilogue
--outer
Content-Type: message/rfc822

Subject: embedded
Content-Type: multipart/mixed; boundary=third

--third

three
--third--

--outer
Content-Type: message/rfc822

Subject: single

four
--outer
Content-Disposition: Attachment; filename=x
Content-Transfer-Encoding: base64

Zm9v
--outer--
epilogue
";

/// Returns a multipart of one level with this body.
pub(super) fn mixed(body: &str) -> String {
    format!("Content-Type: multipart/mixed; boundary=b\n\n{body}")
}
