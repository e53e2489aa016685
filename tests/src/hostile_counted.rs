//! More families of hostile messages: one construct, repeated.

/// A name, and a function that builds a message of `n` repetitions.
pub type Counted = (&'static str, fn(usize) -> Vec<u8>);

fn body(header: &str, piece: &str, count: usize) -> Vec<u8> {
    [header.as_bytes(), b"\n", piece.repeat(count).as_bytes()].concat()
}

fn field(name: &str, piece: &str, count: usize) -> Vec<u8> {
    format!("{name}: {}\n\nx\n", piece.repeat(count)).into_bytes()
}

/// Families by the construct that is repeated.
pub const COUNTED: &[Counted] = &[
    // The four shared attacks of several megabytes, in any size.
    ("empty parts", |n| {
        let head = "Content-Type: multipart/mixed; boundary=x\r\n\r\n";
        [head, &"--x\r\n\r\n\r\n".repeat(n), "--x--\r\n"]
            .concat()
            .into_bytes()
    }),
    ("long fields", |n| {
        format!(
            "{}\r\nx\r\n",
            format!("X-A: {}\r\n", "a".repeat(90)).repeat(n)
        )
        .into_bytes()
    }),
    ("plain addresses", |n| {
        let one = |i| format!("\"u{i}\" <u{i}@test.invalid>");
        format!(
            "To: {}\r\n\r\nx\r\n",
            (0..n).map(one).collect::<Vec<_>>().join(",\r\n ")
        )
        .into_bytes()
    }),
    ("nested multiparts with CR LF", |n| {
        let level =
            |i| format!("Content-Type: multipart/mixed; boundary=\"b{i}\"\r\n\r\n--b{i}\r\n");
        [
            (0..n / 2).map(level).collect::<String>(),
            "\r\nx\r\n".to_owned(),
        ]
        .concat()
        .into_bytes()
    }),
    ("names of one file", |n| {
        field("Content-Disposition", "attachment; filename=a", n)
    }),
    ("rival names of files", |n| {
        let one = |i| format!("; filename*{i}=a; filename=b{i}");
        format!(
            "Content-Disposition: attachment{}\n\nx\n",
            (0..n).map(one).collect::<String>()
        )
        .into_bytes()
    }),
    ("addresses in angles", |n| {
        field("From", "<a@b.example> ", n)
    }),
    ("words in addresses", |n| {
        field("To", "=?utf-8?Q?a?=@b.example ", n)
    }),
    ("parts", |n| {
        body(
            "Content-Type: multipart/mixed; boundary=b\n",
            "--b\nContent-Type: text/plain\n\n\u{e9}\n",
            n / 4,
        )
    }),
    ("parts without an end", |n| {
        body(
            "Content-Type: multipart/mixed; boundary=b\n",
            "--b\n",
            n * 2,
        )
    }),
    ("nested multiparts", |n| {
        let level = |i| format!("Content-Type: multipart/mixed; boundary=b{i}\n\n--b{i}\n");
        (0..n / 4).map(level).collect::<String>().into_bytes()
    }),
    ("nested messages", |n| {
        "Content-Type: message/rfc822\n\n"
            .repeat(n / 3)
            .into_bytes()
    }),
    ("lines of hyphens under open boundaries", |n| {
        let level = |i| format!("Content-Type: multipart/mixed; boundary=-{i}\n\n---{i}\n");
        let head: String = (0..90).map(level).collect();
        [
            head.into_bytes(),
            "\n".into(),
            "----\n".repeat(n * 2).into_bytes(),
        ]
        .concat()
    }),
    ("a long boundary", |n| {
        let boundary = "-".repeat(n);
        let line = format!("--{}\n", &boundary[1..]);
        let head =
            format!("Content-Type: multipart/mixed; boundary={boundary}\n\n--{boundary}\n\n");
        [head.into_bytes(), line.repeat(10).into_bytes()].concat()
    }),
    ("text under many long boundaries", |n| {
        let pad = "x".repeat(900);
        let level = |i| format!("Content-Type: multipart/mixed; boundary={pad}{i}\n\n--{pad}{i}\n");
        let head: String = (0..90).map(level).collect();
        let text = "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n=FC\n";
        [
            head.into_bytes(),
            text.into(),
            format!("--{}\n", "x".repeat(899))
                .repeat(n / 100)
                .into_bytes(),
        ]
        .concat()
    }),
    ("fields", |n| {
        "A: =?koi8-r?Q?=C1?=\n".repeat(n / 2).into_bytes()
    }),
    ("names of fields", |n| "a:\n".repeat(n * 4).into_bytes()),
    ("lines that are no fields", |n| {
        "no field\n".repeat(n).into_bytes()
    }),
    ("blank lines", |n| " \n".repeat(n * 4).into_bytes()),
    ("words", |n| field("Subject", "=?koi8-r?Q?=C1?= ", n)),
    ("glued words", |n| field("Subject", "=?koi8-r?Q?=C1?=", n)),
    ("words of changing charsets", |n| {
        field("Subject", "=?koi8-r?Q?=C1?= =?big5?B?pKQ=?= ", n / 2)
    }),
    ("words in ISO-2022-JP", |n| {
        field("Subject", "=?iso-2022-jp?B?GyRCRnw=?= ", n)
    }),
    ("words in UTF-7", |n| {
        field("Subject", "=?utf-7?Q?+AOQ?= ", n)
    }),
    ("words in UTF-16", |n| {
        field("Subject", "=?utf-16?B?/v8AYQ==?= ", n)
    }),
    ("words of odd UTF-16", |n| {
        field("Subject", "=?utf-16?B?AGFi?= ", n)
    }),
    ("starts of words", |n| field("Subject", "=?", n * 8)),
    ("starts of words with charset", |n| {
        field("Subject", " =?a?Q?", n * 2)
    }),
    ("ends of words", |n| field("Subject", "=?a?Q??=?=", n)),
    ("words with question marks", |n| {
        field("Subject", "=?utf-8?Q?a?b?c", n)
    }),
    ("raw bytes and words", |n| {
        field("Subject", "\u{e9} =?koi8-r?Q?=C1?= ", n)
    }),
    ("nested comments", |n| field("From", "(", n * 8)),
    ("nested comments closed", |n| {
        field("From", &("(".repeat(9) + "\u{e9}" + &")".repeat(9)), n / 2)
    }),
    ("open quotes", |n| field("From", "\"=?koi8-r?Q?=C1?=", n)),
    ("addresses", |n| {
        field("To", "=?koi8-r?Q?=C1?= <a@b.example>, ", n / 2)
    }),
    ("angle brackets", |n| field("To", "<", n * 8)),
    ("backslashes", |n| field("From", "\"\\\"\u{e9}\\", n * 2)),
    ("parameters", |n| {
        field("Content-Type", "text/plain; a=b", n)
    }),
    ("words in a parameter", |n| {
        format!(
            "Content-Type: text/plain; name=\"{}\"\n\nx\n",
            "=?koi8-r?Q?=C1?= ".repeat(n)
        )
        .into_bytes()
    }),
    ("words in many parameters", |n| {
        let one = |i| format!("; n{i}=\"=?koi8-r?Q?=C1?=\"");
        format!(
            "Content-Type: text/plain{}\n\nx\n",
            (0..n / 4).map(one).collect::<String>()
        )
        .into_bytes()
    }),
    ("segments", |n| {
        let one = |i| format!("; name*{i}*=%C1");
        format!(
            "Content-Type: text/plain; name*=koi8-r''%C1{}\n\nx\n",
            (0..n).map(one).collect::<String>()
        )
        .into_bytes()
    }),
    ("segments of many names", |n| {
        let one = |i| format!("; n{i}*0*=koi8-r''%C1");
        format!(
            "Content-Type: text/plain{}\n\nx\n",
            (0..n / 4).map(one).collect::<String>()
        )
        .into_bytes()
    }),
    ("equals signs", |n| {
        body("Content-Transfer-Encoding: quoted-printable\n", "=", n * 20)
    }),
    ("escapes", |n| {
        body(
            "Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: quoted-printable\n",
            "=C1",
            n * 4,
        )
    }),
    ("blanks in quoted-printable", |n| {
        body("Content-Transfer-Encoding: quoted-printable\n", "= ", n * 8)
    }),
    ("trailing blanks", |n| {
        body("Content-Transfer-Encoding: quoted-printable\n", " ", n * 20)
    }),
    ("returns in quoted-printable", |n| {
        body(
            "Content-Transfer-Encoding: quoted-printable\n",
            "=\r",
            n * 8,
        )
    }),
    ("padding in base64", |n| {
        body("Content-Transfer-Encoding: base64\n", "Zg==", n * 4)
    }),
    ("padding only", |n| {
        body("Content-Transfer-Encoding: base64\n", "=", n * 20)
    }),
    ("base64 and text", |n| {
        body("Content-Transfer-Encoding: base64\n", "Zg==\n____\n", n * 2)
    }),
    ("words for base64", |n| {
        body("Content-Transfer-Encoding: base64\n", "Word\n\n", n * 2)
    }),
    ("a long line", |n| {
        body(
            "Content-Type: text/plain; charset=koi8-r\n",
            "\u{e9}",
            n * 8,
        )
    }),
    ("damaged UTF-8", |n| {
        [
            &body("Content-Type: text/plain; charset=utf-8\n", "", 0)[..],
            &b"\xe3\x81a".repeat(n * 4),
        ]
        .concat()
    }),
    ("damaged ISO-2022-JP", |n| {
        body(
            "Content-Type: text/plain; charset=iso-2022-jp\n",
            "\x1b$B",
            n * 4,
        )
    }),
    ("NULs", |n| body("Content-Type: text/plain\n", "\0", n * 20)),
    ("NULs in a header", |n| field("Subject", "\0", n * 8)),
    ("NULs under UTF-16", |n| {
        body(
            "Content-Type: text/plain; charset=utf-16\n",
            "a\0\0\0",
            n * 4,
        )
    }),
    ("meta", |n| {
        body(
            "Content-Type: text/html; charset=koi8-r\n\n\u{e9}",
            "<meta charset=koi8-r",
            n * 2,
        )
    }),
    ("open meta", |n| {
        body(
            "Content-Type: text/html; charset=koi8-r\n\n\u{e9}",
            "<meta",
            n * 8,
        )
    }),
    ("UTF-7 shifts", |n| {
        body("Content-Type: text/plain; charset=utf-7\n", "+", n * 20)
    }),
    ("UTF-7 letters", |n| {
        body("Content-Type: text/plain; charset=utf-7\n", "+AOQ-+", n * 4)
    }),
    ("HZ", |n| {
        body(
            "Content-Type: text/plain; charset=hz-gb-2312\n",
            "~{",
            n * 8,
        )
    }),
    ("returns", |n| {
        body(
            "Content-Type: text/plain; charset=koi8-r\n\u{e9}",
            "\r",
            n * 20,
        )
    }),
    ("returns in a header", |n| field("Subject", "\r", n * 8)),
    ("folds", |n| field("Subject", "\n ", n * 4)),
    ("folded raw bytes", |n| field("Subject", "\u{e9}\n ", n * 2)),
    ("armor", |n| {
        body(
            "Content-Type: text/plain; charset=koi8-r\n\n\u{e9}",
            "-----BEGIN PGP \n",
            n,
        )
    }),
    ("separators", |n| {
        body(
            "Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64\n\n",
            "RnJvbSAK\n",
            n,
        )
    }),
];
