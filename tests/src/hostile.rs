//! Families of hostile messages of any size, for the law of linear time.

/// A family of hostile messages.
pub struct Family {
    /// Short name.
    pub name: &'static str,
    /// Builds a message of about `size` bytes.
    pub make: fn(usize) -> Vec<u8>,
}

/// Every family: each made some mail reader take quadratic time or recurse deeply.
pub const FAMILIES: &[Family] = &[
    Family {
        name: "nested multiparts",
        make: nested_multiparts,
    },
    Family {
        name: "nested messages",
        make: |size| fill(size, b"Content-Type: message/rfc822\n\n", b""),
    },
    Family {
        name: "delimiters without end",
        make: delimiters,
    },
    Family {
        name: "delimiters of another boundary",
        make: near_delimiters,
    },
    Family {
        name: "boundary prefixes",
        make: boundary_prefixes,
    },
    Family {
        name: "header fields",
        make: |size| fill(size, b"X-A: b\n", b"\nbody\n"),
    },
    Family {
        name: "one long field",
        make: |size| wrap(b"Subject: ", size, b"a", b"\n\nbody\n"),
    },
    Family {
        name: "folds",
        make: |size| wrap(b"Subject: x", size, b"\n a", b"\n\nbody\n"),
    },
    Family {
        name: "lines without colon",
        make: |size| fill(size, b"nothing here\n", b"\nbody\n"),
    },
    Family {
        name: "encoded words",
        make: |size| wrap(b"Subject:", size, b" =?utf-8?q?=C3=A9?=", b"\n\nbody\n"),
    },
    Family {
        name: "glued words",
        make: |size| wrap(b"Subject: ", size, b"=?utf-8?q?=C3?=", b"\n\nbody\n"),
    },
    Family {
        name: "open words",
        make: |size| wrap(b"Subject: ", size, b"=?", b"\n\nbody\n"),
    },
    Family {
        name: "words without end",
        make: |size| wrap(b"Subject: ", size, b"=?utf-8?q?a ", b"\n\nbody\n"),
    },
    Family {
        name: "comments",
        make: |size| wrap(b"From: ", size, b"(", b"\n\nbody\n"),
    },
    Family {
        name: "quotes",
        make: |size| wrap(b"From: ", size, b"\"\\", b"\n\nbody\n"),
    },
    Family {
        name: "addresses",
        make: |size| wrap(b"To: ", size, b"=?koi8-r?b?0A==?= <a@b>,", b"\n\nbody\n"),
    },
    Family {
        name: "parameters",
        make: |size| wrap(b"Content-Type: text/plain", size, b"; a=b", b"\n\nbody\n"),
    },
    Family {
        name: "parameter segments",
        make: segments,
    },
    Family {
        name: "quoted-printable equals",
        make: |size| wrap(QP, size, b"=", b"\n"),
    },
    Family {
        name: "quoted-printable blanks",
        make: |size| wrap(QP, size, b"  \t ", b"x\n"),
    },
    Family {
        name: "soft line breaks",
        make: |size| wrap(QP, size, b"a=\n", b"\n"),
    },
    Family {
        name: "base64 with foreign bytes",
        make: |size| wrap(BASE64, size, b"A!", b"\n"),
    },
    Family {
        name: "base64 padding",
        make: |size| wrap(BASE64, size, b"QQ==", b"\n"),
    },
    Family {
        name: "latin bytes",
        make: |size| wrap(LATIN, size, b"\xe9\n", b"\n"),
    },
    Family {
        name: "invalid utf-8",
        make: |size| wrap(UTF8, size, b"\xf0\x9f\x98", b"\n"),
    },
    Family {
        name: "escape sequences",
        make: |size| wrap(JIS, size, b"\x1b$B\x1b(B", b"\n"),
    },
    Family {
        name: "shifts",
        make: |size| wrap(UTF7, size, b"+AGE-+", b"\n"),
    },
    Family {
        name: "html without end",
        make: |size| wrap(HTML, size, b"<meta <!--", b"\n"),
    },
    Family {
        name: "blank lines",
        make: |size| fill(size, b"\n", b""),
    },
    Family {
        name: "carriage returns",
        make: |size| fill(size, b"\r", b""),
    },
    Family {
        name: "separators",
        make: |size| fill(size, b"From \n", b""),
    },
    Family {
        name: "NUL",
        make: |size| fill(size, b"\0", b""),
    },
];

const QP: &[u8] =
    b"Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n";
const BASE64: &[u8] =
    b"Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64\n\n";
const LATIN: &[u8] =
    b"Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\n";
const UTF8: &[u8] = b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n";
const JIS: &[u8] = b"Content-Type: text/plain; charset=iso-2022-jp\n\n";
const UTF7: &[u8] = b"Content-Type: text/plain; charset=utf-7\n\n";
const HTML: &[u8] = b"Content-Type: text/html; charset=iso-8859-1\n\n";

fn fill(size: usize, unit: &[u8], end: &[u8]) -> Vec<u8> {
    wrap(b"", size, unit, end)
}

fn wrap(start: &[u8], size: usize, unit: &[u8], end: &[u8]) -> Vec<u8> {
    let mut message = start.to_vec();
    while message.len() < size {
        message.extend_from_slice(unit);
    }
    message.extend_from_slice(end);
    message
}

/// Returns `size` bytes of nested multiparts, each with its own boundary, never closed.
pub fn nested_multiparts(size: usize) -> Vec<u8> {
    let mut message = Vec::with_capacity(size + 100);
    for level in 0.. {
        if message.len() >= size {
            break;
        }
        message.extend_from_slice(
            format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n").as_bytes(),
        );
    }
    message.extend_from_slice(b"\ntext\n");
    message
}

fn delimiters(size: usize) -> Vec<u8> {
    wrap(
        b"Content-Type: multipart/mixed; boundary=x\n\n",
        size,
        b"--x\n\na\n",
        b"",
    )
}

fn near_delimiters(size: usize) -> Vec<u8> {
    wrap(
        b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\n",
        size,
        b"--y\n",
        b"--x--\n",
    )
}

fn boundary_prefixes(size: usize) -> Vec<u8> {
    let boundary = "-".repeat(69);
    let start = format!("Content-Type: multipart/mixed; boundary=\"{boundary}x\"\n\n");
    wrap(start.as_bytes(), size, b"--------------------\n", b"")
}

fn segments(size: usize) -> Vec<u8> {
    let mut message = b"Content-Type: text/plain".to_vec();
    for number in 0.. {
        if message.len() >= size {
            break;
        }
        message.extend_from_slice(format!(";\n name*{number}*=%C3%A9").as_bytes());
    }
    message.extend_from_slice(b"\n\nbody\n");
    message
}
