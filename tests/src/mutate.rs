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
    b"Content-Type: multipart/mixed;\nboundary=x\n\n--x\nContent-Type: text/plain\n\ny\n--x--\n",
    b"Content-Type: text/html;\ncharset=koi8-r\n",
    b"\ncharset=\"iso-8859-2\";\nname=\"x\"\n",
    b"From: a@b.example\n Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain; charset=koi8-r\n\n\xd0\n--x--\n",
    b"\n MIME-Version: 1.0\n Content-Transfer-Encoding: quoted-printable\n",
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

fn damage(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut Rng) {
    let at = place(bytes, rng);
    let end = (at + rng.below(64)).min(bytes.len());
    match rng.below(13) {
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
        11 => turn_folds(bytes, at, rng),
        _ => bytes[at..end].reverse(),
    }
}

/// Adds a blank before the next lines of a header, or removes it: fields become continuation lines, and parameters lines of their own.
fn turn_folds(bytes: &mut Vec<u8>, mut at: usize, rng: &mut Rng) {
    for _ in 0..=rng.below(4) {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(end) = rest.iter().position(|b| *b == b'\n') else {
            return;
        };
        at += end + 1;
        match bytes.get(at) {
            Some(b' ' | b'\t') => {
                bytes.remove(at);
            }
            Some(b'\r' | b'\n') | None => return,
            Some(_) => insert(bytes, at, b" "),
        }
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
}
