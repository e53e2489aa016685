//! Messages that violate all standards, but are common in archives.

use super::message::message;
use crate::generate::encode;

/// Returns file names and contents.
pub(super) fn files() -> Vec<(String, Vec<u8>)> {
    let all = [
        (
            "bad-base64.eml",
            message(
                "Subject: base64 with foreign bytes\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n",
                "R3LDvMOfZSB2b24gZGVy*IEZlc3RwbGF0dGU\nLg\n",
            ),
        ),
        (
            "bad-quoted-printable.eml",
            message(
                "Subject: 100=percent\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n",
                "50=% of the caf=E9 is =ZZ, the rest =\nis fine=",
            ),
        ),
        (
            "bad-words.eml",
            message(
                "Subject: =?utf-8?Q?no end\nX-Glued: a=?utf-8?Q?=C3=A9?=b\nX-Quoted: \"=?iso-8859-1?Q?=E9t=E9?=\"\nX-Control: =?utf-8?Q?a=0D=0ABcc:_b?=\nX-Unknown: =?x-klingon?Q?=E9?=\n",
                "Words in every state.\n",
            ),
        ),
        (
            "empty-label.eml",
            message("Subject: no charset\nContent-Type: text/plain; charset=\"\"\n", encode("Là-bas, l'été.\n", "iso-8859-1")),
        ),
        ("empty.eml", Vec::new()),
        ("header-only.eml", b"Subject: nothing follows\nFrom: a@example.org".to_vec()),
        (
            "invalid-utf8.eml",
            message(
                "Subject: truncated sequences\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n",
                b"good \xc3\xa9, cut \xe2\x82, over \xc0\xaf, \xf0\x9f\x98\x80 good again \xe6\x97\xa5\xe6\x9c\xac\n",
            ),
        ),
        (
            "missing-boundary.eml",
            message(
                "Subject: no boundary\nContent-Type: multipart/mixed\n",
                "--x\nContent-Type: text/plain; charset=koi8-r\n\ntext\n--x--\n",
            ),
        ),
    ];
    owned(all).chain(more_files()).collect()
}

/// Structure, header fields and labels.
fn more_files() -> impl Iterator<Item = (String, Vec<u8>)> {
    let all = [
        (
            "nested.eml",
            message(
                "Subject: unclosed levels\nContent-Type: multipart/mixed; boundary=a\n",
                b"--a\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\n\n\xe5\xe4\xf6\n--b\nContent-Type: text/html; charset=iso-8859-1\n\n<p>\xe5\xe4\xf6</p>\n",
            ),
        ),
        ("no-colon.eml", b"Subject: one\nthis line is no field\nContent-Type: text/plain; charset=iso-8859-1\n\n\xe9\n".to_vec()),
        (
            "nul.eml",
            message("Subject: a\0b\nContent-Type: text/plain; charset=iso-8859-1\n", b"c\0d \xe9\n"),
        ),
        (
            "raw-header.eml",
            message(
                b"From: Ren\xe9e <renee@example.org>\nSubject: pr\xe9vu \xe0 l'ouverture\nContent-Type: text/plain; charset=iso-8859-1; name=r\xe9sum\xe9.txt\n",
                b"D\xe9j\xe0 vu.\n",
            ),
        ),
        (
            "truncated-base64.eml",
            message(
                "Subject: cut\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: base64\n",
                "R2V0csOka2Ug6SBm",
            ),
        ),
        (
            "unknown-charset.eml",
            message(
                "Subject: =?x-unknown?Q?caf=E9?=\nContent-Type: text/plain; charset=x-unknown\nContent-Transfer-Encoding: 8bit\n",
                encode("Le café près de la gare est fermé.\n", "windows-1252"),
            ),
        ),
        (
            "unknown-transfer.eml",
            message(
                "Subject: x\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: x-none\n",
                b"\xe9\xe8\n",
            ),
        ),
        (
            "utf16.eml",
            message(
                "Subject: two bytes a letter\nContent-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64\n",
                "/v8ARwByAPwA3wBlAAo=\n",
            ),
        ),
        (
            "wrong-transfer.eml",
            message(
                "Subject: not base64\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n",
                "This is plain text, whatever the label says: ça va.\n",
            ),
        ),
    ];
    owned(all)
}

fn owned<const N: usize>(all: [(&str, Vec<u8>); N]) -> impl Iterator<Item = (String, Vec<u8>)> {
    let all = all.map(|(name, bytes)| (name.to_owned(), bytes));
    all.into_iter()
}
