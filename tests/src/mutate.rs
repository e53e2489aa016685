//! Seeded damage: derives any number of broken messages from a few thousand.

use crate::rng::Rng;

/// Tokens that confuse parsers.
const TOKENS: &[&[u8]] = &[
    b"\0",
    b"\r",
    b"\n",
    b"\r\n",
    b"\n\n",
    b"\r\n\r\n",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\x1b$B",
    b"\x1b(B",
    b"\x0e",
    b"~{",
    b"+AGE-",
    b"=",
    b"=3D",
    b"=\n",
    b"=?",
    b"?=",
    b"=?utf-8?Q?=C3=A9?=",
    b"=?iso-8859-1?B?6Q==?=",
    b"=?utf-8?Q?=0D=0AX-Evil:_1?=",
    b"=?shift_jis?B?g1w=?=",
    b"=?utf-8?B?4pyT",
    b"From a@example.org Mon Jan  1 00:00:00 2001\n",
    b">From here\n",
    b"\nFrom: x@example.org\n",
    b"Content-Type: text/plain; charset=koi8-r\n",
    b"Content-Type: text/html; charset=\"utf-16\"\n",
    b"Content-Type: multipart/mixed; boundary=x\n\n--x\n",
    b"Content-Type: message/rfc822\n\n",
    b"Content-Type: multipart/signed; boundary=s\n\n--s\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Content-Transfer-Encoding: quoted-printable\n",
    b"Content-Disposition: attachment; filename*0*=utf-8''%C3; filename*1*=%A9\n",
    b"charset=utf-8",
    b"charset=",
    b"boundary=",
    b"-----BEGIN PGP SIGNED MESSAGE-----\n",
    b"begin 644 x\n",
    b"\xe9",
    b"\xd0\x9f",
    b"\x81\x40",
    b"\x80\x93",
    b"<meta charset=windows-1251>",
    b"--",
    b"\t",
    b" ",
    b";",
    b"\"",
    b"\\",
    b"(",
];

/// Returns a damaged copy of a seed: one to four changes, drawn from `rng`.
///
/// # Panics
///
/// If there are no seeds.
pub fn mutant(seeds: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = rng.pick(seeds).clone();
    for _ in 0..=rng.below(4) {
        damage(&mut bytes, seeds, rng);
    }
    bytes
}

/// Returns a copy of a seed whose MIME fields are damaged: in continuation lines, without the blanks of their own continuation lines, or
/// repeated.
///
/// # Panics
///
/// If there are no seeds.
pub fn header_mutant(seeds: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = rng.pick(seeds).clone();
    for _ in 0..=rng.below(2) {
        match rng.below(8) {
            0..=3 => fold_fields(&mut bytes, rng),
            4..=6 => wrap_parameters(&mut bytes, rng),
            _ => repeat_field(&mut bytes, rng),
        }
    }
    if rng.chance(30) {
        damage(&mut bytes, seeds, rng);
    }
    bytes
}

/// Adds a Content-Type or Content-Transfer-Encoding at the start. It counts instead of a later one.
fn repeat_field(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let label = b"Content-Type: text/plain; charset=koi8-r\n";
    let encoding = b"Content-Transfer-Encoding: 8bit\n";
    insert(bytes, 0, rng.pick::<&[u8]>(&[label, encoding]));
}

/// Makes the MIME fields of a message continuation lines of another field, most often From.
fn fold_fields(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let text = bytes.split_inclusive(|byte| *byte == b'\n');
    let header = text.take_while(|line| !line.trim_ascii().is_empty());
    let mut fields: Vec<Vec<u8>> = Vec::new();
    for line in header {
        match fields.last_mut() {
            Some(field) if line.starts_with(b" ") || line.starts_with(b"\t") => field.extend(line),
            _ => fields.push(line.to_vec()),
        }
    }
    let end = fields.iter().map(Vec::len).sum::<usize>();
    let begins = |field: &Vec<u8>, name: &[u8]| {
        field
            .get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    let is_mime = |field: &Vec<u8>| begins(field, b"content-") || begins(field, b"mime-version:");
    let (mime, mut others): (Vec<_>, Vec<_>) = fields.into_iter().partition(is_mime);
    if mime.is_empty() || others.is_empty() {
        return;
    }
    let from = others.iter().position(|field| begins(field, b"from:"));
    let host = from
        .filter(|_| rng.chance(70))
        .unwrap_or(rng.below(others.len()));
    let mut own = Vec::new();
    for field in mime {
        if rng.chance(90) {
            others[host].extend_from_slice(rng.pick::<&[u8]>(&[b" ", b"\t", b"  "]));
            others[host].extend(field);
        } else {
            own.push(field);
        }
    }
    others.append(&mut own);
    bytes.splice(..end, others.concat());
}

/// Removes the blanks from the continuation lines of some Content-Type fields, and begins lines at some parameters.
fn wrap_parameters(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let mut at = 0;
    let name = b"content-type:";
    while let Some(found) = bytes[at..]
        .windows(name.len())
        .position(|text| text.eq_ignore_ascii_case(name))
    {
        at += found + name.len();
        if rng.chance(30) {
            continue;
        }
        while let Some(end) = bytes[at..]
            .iter()
            .position(|byte| matches!(byte, b';' | b'\n'))
        {
            at += end + 1;
            let blanks = bytes[at..]
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
            let blanks = blanks.count();
            if bytes[at - 1] == b'\n' || blanks > 0 && bytes[at..at + blanks].ends_with(b"\n") {
                break;
            }
            bytes.splice(at..at + blanks, *b"\n");
            at += 1;
        }
    }
}

fn damage(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut Rng) {
    let at = place(bytes, rng);
    let end = (at + rng.below(64)).min(bytes.len());
    match rng.below(12) {
        0 | 1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = rng.bits() as u8;
            }
        }
        2 => {
            bytes.drain(at..end);
        }
        3 | 4 => insert(bytes, at, rng.pick::<&[u8]>(TOKENS)),
        5 => {
            let token = *rng.pick(TOKENS);
            bytes.splice(at..end, token.iter().copied());
        }
        6 => {
            let copy = bytes[at..end].to_vec();
            let to = place(bytes, rng);
            insert(bytes, to, &copy);
        }
        7 => {
            let other = rng.pick(seeds);
            let from = place(other, rng);
            let to = (from + rng.below(2000)).min(other.len());
            insert(bytes, at, &other[from..to]);
        }
        8 => bytes.truncate(at),
        9 => {
            // Other line ends, in all or only in the first part of the message.
            let until = if rng.chance(50) { bytes.len() } else { at };
            let (head, tail) = bytes.split_at(until);
            let mut turned = Vec::with_capacity(bytes.len() + bytes.len() / 20);
            let crlf = rng.chance(80);
            for &byte in head {
                match byte {
                    b'\r' => {}
                    b'\n' if crlf => turned.extend_from_slice(b"\r\n"),
                    _ => turned.push(byte),
                }
            }
            turned.extend_from_slice(tail);
            *bytes = turned;
        }
        10 => {
            for byte in &mut bytes[at..end] {
                *byte ^= 0x80;
            }
        }
        _ => bytes[at..end].reverse(),
    }
}

/// Returns a position in the bytes. Half of all positions are in the first 2 KB, where headers are.
fn place(bytes: &[u8], rng: &mut Rng) -> usize {
    let end = if rng.chance(50) {
        bytes.len().min(2048)
    } else {
        bytes.len()
    };
    rng.below(end + 1)
}

fn insert(bytes: &mut Vec<u8>, at: usize, new: &[u8]) {
    bytes.splice(at..at, new.iter().copied());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutants_follow_from_the_seed() {
        let seeds = vec![b"Subject: x\n\nbody\n".to_vec(), Vec::new()];
        let make = |seed| {
            let mut rng = Rng::new(seed);
            (0..500)
                .map(|_| mutant(&seeds, &mut rng))
                .collect::<Vec<_>>()
        };
        assert_eq!(make(3), make(3));
        assert_ne!(make(3), make(4));
    }

    #[test]
    fn headers_are_damaged() {
        let seed =
            b"From: a@b\nContent-Type: text/plain;\n charset=utf-8; format=flowed\nTo: c\n\nbody\n";
        let (mut folded, mut wrapped) = (seed.to_vec(), seed.to_vec());
        for number in 0..20 {
            fold_fields(&mut folded, &mut Rng::new(number));
            wrap_parameters(&mut wrapped, &mut Rng::new(number));
        }
        let folded = String::from_utf8(folded).unwrap();
        assert!(
            folded.contains(" Content-Type: text/plain;\n charset=utf-8;"),
            "{folded}"
        );
        let wrapped = String::from_utf8(wrapped).unwrap();
        let want =
            "From: a@b\nContent-Type: text/plain;\ncharset=utf-8;\nformat=flowed\nTo: c\n\nbody\n";
        assert_eq!(wrapped, want);
        let seeds = [seed.to_vec()];
        let mutants = (0..200).map(|number| header_mutant(&seeds, &mut Rng::new(number)));
        let mutants: Vec<String> = mutants
            .map(|mutant| String::from_utf8_lossy(&mutant).into_owned())
            .collect();
        for damage in [
            "\n Content-Type:",
            "\ncharset=utf-8",
            "charset=koi8-r\nFrom:",
        ] {
            assert!(
                mutants.iter().any(|mutant| mutant.contains(damage)),
                "{damage:?}"
            );
        }
    }
}
