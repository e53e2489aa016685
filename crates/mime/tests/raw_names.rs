//! Raw names in charsets of two bytes a character: no backslash that is the second half of one opens, closes or joins anything.

#[path = "../src/random.rs"]
mod random;

use mailglot_codec::{Charset, LossLog, Unmappable, View};
use mailglot_mime::encoded_word::{Form, HeaderContext, RewriteTarget};
use mailglot_mime::fields::{Entry, addresses};
use mailglot_mime::header::{self, FieldKind};
use mailglot_mime::params;
use random::Random;

const CHARSETS: [&str; 8] = [
    "Shift_JIS",
    "windows-31J",
    "Big5",
    "Big5-HKSCS",
    "GBK",
    "GB18030",
    "EUC-JP",
    "EUC-KR",
];

fn known(label: &str) -> Charset {
    Charset::for_label(label.as_bytes(), View::Mail)
        .charset()
        .expect("a known label")
}

/// What stands between the mailboxes of a list.
const BETWEEN: [&[u8]; 4] = [b", ", b",", b",\r\n ", b" ,\r\n\t"];

/// Characters of two bytes, those with a backslash for their second byte apart.
fn characters(charset: Charset) -> (Vec<char>, Vec<char>) {
    let (mut halves, mut others) = (Vec::new(), Vec::new());
    for lead in 0x81..=0xFE_u8 {
        for trail in [0x5C, 0x61, 0xA1, 0xB0, 0xC4, 0xE8] {
            let mut log = LossLog::new();
            let pair = [lead, trail];
            let text = charset.decode(&pair, &mut log);
            let mut chars = text.chars();
            let (Some(c), None) = (chars.next(), chars.next()) else {
                continue;
            };
            let back = charset.encode(&text, Unmappable::Skip, &mut log);
            if log.is_empty() && c.is_alphabetic() && *back == pair {
                if trail == 0x5C {
                    halves.push(c);
                } else {
                    others.push(c);
                }
            }
        }
    }
    (halves, others)
}

struct Writer {
    charset: Charset,
    halves: Vec<char>,
    others: Vec<char>,
    random: Random,
}

impl Writer {
    fn new(name: &str, seed: u64) -> Self {
        let charset = known(name);
        let (halves, others) = characters(charset);
        Self {
            charset,
            halves,
            others,
            random: Random(seed),
        }
    }

    /// A name, often with or behind a half, that is no UTF-8 by chance.
    fn name(&mut self) -> String {
        loop {
            let name = self.any_name();
            if std::str::from_utf8(&self.quoted(&name)).is_err() {
                return name;
            }
        }
    }

    fn any_name(&mut self) -> String {
        let mut name = String::new();
        for _ in 0..=self.random.below(3) {
            let list = if self.random.below(2) == 0 && !self.halves.is_empty() {
                &self.halves
            } else {
                &self.others
            };
            name.push(*self.random.pick(list));
            match self.random.below(12) {
                0 => name.push(' '),
                1 => name.push('x'),
                2 => name.push('"'),
                _ => {}
            }
        }
        name.trim().to_owned()
    }

    /// As a quoted string of a program that sees characters: quotes are quoted, halves are not.
    fn quoted(&self, name: &str) -> Vec<u8> {
        let name = name.replace('"', "\\\"");
        let raw = self
            .charset
            .encode_exact(&name)
            .expect("the charset has every character");
        [b"\"", &*raw, b"\""].concat()
    }
}

/// Names and addresses of a list.
fn read(value: &[u8], context: &HeaderContext) -> Vec<(Option<String>, String)> {
    let list = addresses(value, context, &mut Vec::new());
    let mailbox = |entry| match entry {
        Entry::Mailbox(mailbox) => (mailbox.name, mailbox.address),
        Entry::Group { name, .. } => (Some(name), "a group".to_owned()),
    };
    list.into_iter().map(mailbox).collect()
}

/// What stands between angles with an `@`, in a value without other angles.
fn angles(value: &[u8]) -> Vec<String> {
    let inside = |part: &[u8]| {
        let end = part.iter().position(|b| *b == b'>')?;
        part[..end]
            .contains(&b'@')
            .then(|| String::from_utf8_lossy(&part[..end]).into_owned())
    };
    value
        .split(|b| *b == b'<')
        .skip(1)
        .filter_map(inside)
        .collect()
}

fn rewritten(value: &[u8], kind: FieldKind, form: Form, context: &HeaderContext) -> Vec<u8> {
    let list = header::rewrite(
        value,
        kind,
        RewriteTarget {
            form,
            column: 4,
            eol: "\r\n",
        },
        context,
        &mut Vec::new(),
    );
    let (mut out, mut at) = (Vec::new(), 0);
    for change in list {
        out.extend_from_slice(&value[at..change.at.start]);
        out.extend_from_slice(&change.with);
        at = change.at.end;
    }
    out.extend_from_slice(&value[at..]);
    out
}

#[test]
fn lists_of_raw_names_keep_their_addresses() {
    let mut ending = 0;
    for charset in CHARSETS {
        let mut writer = Writer::new(charset, 7);
        for round in 0..2_000 {
            let (mut value, mut want) = (Vec::new(), Vec::new());
            for index in 0..=writer.random.below(4) {
                if index > 0 {
                    value.extend_from_slice(BETWEEN[writer.random.below(BETWEEN.len())]);
                }
                let address = format!("u{index}@d{index}.example");
                let name = match writer.random.below(6) {
                    0 => "Bob".to_owned(),
                    1 => "O'Hara, \"x\" \\ y".to_owned(),
                    _ => writer.name(),
                };
                ending += usize::from(
                    name.chars()
                        .next_back()
                        .is_some_and(|c| writer.halves.contains(&c)),
                );
                let quoted = if name.starts_with("O'") {
                    b"\"O'Hara, \\\"x\\\" \\\\ y\"".to_vec()
                } else {
                    writer.quoted(&name)
                };
                value.extend_from_slice(&quoted);
                value.extend_from_slice(format!(" <{address}>").as_bytes());
                if writer.random.below(8) == 0 {
                    value.extend_from_slice(b" (see \"x\")");
                }
                want.push((Some(name), address));
            }
            if value.is_ascii() {
                continue;
            }
            let shown = || format!("{charset} {round} {}", value.escape_ascii());
            let told = HeaderContext::default().raw(Some(writer.charset));
            assert_eq!(read(&value, &told), want, "{}", shown());
            let by_angles: Vec<String> = want.iter().map(|(_, address)| address.clone()).collect();
            assert_eq!(angles(&value), by_angles, "{}", shown());
            for form in [Form::Words, Form::RawUtf8] {
                let after = rewritten(&value, FieldKind::Structured, form, &told);
                assert_eq!(
                    read(&after, &told),
                    want,
                    "{} {}",
                    shown(),
                    after.escape_ascii()
                );
                assert_eq!(
                    angles(&after),
                    by_angles,
                    "{} {}",
                    shown(),
                    after.escape_ascii()
                );
                assert!(std::str::from_utf8(&after).is_ok(), "{}", shown());
            }
            // Nobody tells the charset: names may read otherwise, addresses do not.
            let after = rewritten(
                &value,
                FieldKind::Structured,
                Form::Words,
                &HeaderContext::default(),
            );
            assert_eq!(
                angles(&after),
                by_angles,
                "{} {}",
                shown(),
                after.escape_ascii()
            );
        }
    }
    assert!(ending > 5_000, "{ending}");
}

/// Bytes go missing or come in: what stays an address for our reader, or for one that sees angles only, was one before.
#[test]
fn damaged_lists_lose_no_address_by_a_change() {
    let mut changed = 0;
    for charset in CHARSETS {
        let mut writer = Writer::new(charset, 11);
        for round in 0..2_000 {
            let mut value = Vec::new();
            for index in 0..=writer.random.below(3) {
                let name = writer.name();
                value.extend_from_slice(&writer.quoted(&name));
                value.extend_from_slice(format!(" <u{index}@d.example>, ").as_bytes());
            }
            let at = writer.random.below(value.len());
            match writer.random.below(3) {
                0 => drop(value.remove(at)),
                1 => value.insert(at, *writer.random.pick(b"\"\\(<")),
                _ => value.truncate(at),
            }
            let told = HeaderContext::default().raw(Some(writer.charset));
            let after = rewritten(&value, FieldKind::Structured, Form::Words, &told);
            changed += usize::from(after != value);
            let addresses = |value: &[u8]| {
                let list = read(value, &told).into_iter().map(|(_, address)| address);
                list.filter(|address| address.contains('@'))
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                addresses(&value),
                addresses(&after),
                "{charset} {round} {}",
                value.escape_ascii()
            );
        }
    }
    assert!(changed > 5_000, "{changed}");
}

#[test]
fn a_string_that_is_torn_open_is_left_alone() {
    let context = HeaderContext::default();
    for value in [
        "\"é \\\" <a@b.example>, \"Bob\" <c@d.example>",
        "\"é \\\" <a@b.example>, \"=?utf-8?Q?=C3=BC?=\" <c@d.example>",
    ] {
        let mut findings = Vec::new();
        let list = header::rewrite(
            value.as_bytes(),
            FieldKind::Structured,
            RewriteTarget {
                form: Form::Words,
                column: 4,
                eol: "\n",
            },
            &context,
            &mut findings,
        );
        assert_eq!(list, []);
        assert!(
            findings.iter().any(|f| f.kind.code() == "ew.bad-token"),
            "{findings:?}"
        );
    }
}

#[test]
fn raw_names_of_files_keep_to_their_parameter() {
    let mut halves = 0;
    for charset in CHARSETS {
        let mut writer = Writer::new(charset, 13);
        for round in 0..2_000 {
            let name = writer.name() + *writer.random.pick(&["", "", ".xls", " 1.txt"]);
            let last = *writer.random.pick(&[
                "; size=12",
                "; creation-date=\"Mon, 01 Jan 2001 00:00:00 +0000\"; size=12",
                "",
            ]);
            let value = [
                b"attachment; filename=",
                &*writer.quoted(&name),
                last.as_bytes(),
            ]
            .concat();
            halves += usize::from(
                value
                    .windows(2)
                    .any(|pair| pair[0] >= 0x80 && pair[1] == b'\\'),
            );
            let told = HeaderContext::default().raw(Some(writer.charset));
            for (form, value) in [
                (None, value.clone()),
                (
                    Some(Form::Words),
                    rewritten(&value, FieldKind::Parameters, Form::Words, &told),
                ),
                (
                    Some(Form::RawUtf8),
                    rewritten(&value, FieldKind::Parameters, Form::RawUtf8, &told),
                ),
            ] {
                let read = params::parse(&value, &told, &mut Vec::new());
                let shown = || format!("{charset} {round} {form:?} {}", value.escape_ascii());
                assert_eq!(read.get("filename"), Some(&*name), "{}", shown());
                assert_eq!(
                    read.get("size"),
                    last.contains("size").then_some("12"),
                    "{}",
                    shown()
                );
                let date = last
                    .contains("date")
                    .then_some("Mon, 01 Jan 2001 00:00:00 +0000");
                assert_eq!(read.get("creation-date"), date, "{}", shown());
            }
        }
    }
    assert!(halves > 4_000, "{halves}");
}

/// A backslash is a quoted pair in a charset in which it is no half.
#[test]
fn pairs_behind_letters_of_one_byte_are_undone() {
    let cases = [
        ("windows-1252", "caf\u{e9},b.txt"),
        ("windows-1252", "\u{e9}\"\u{e8}\\"),
        ("KOI8-R", "\u{43f}\u{43b}\u{430}\u{43d}, 2"),
        ("windows-1251", "\u{41f}\u{43b}\u{430}\u{43d},\"2\""),
        ("EUC-KR", "\u{d55c}\u{ae00},a"),
        ("EUC-JP", "\u{65e5}\u{672c},a"),
        ("GBK", "\u{4e2d}\u{6587},a"),
    ];
    for (charset, name) in cases {
        let charset = known(charset);
        let raw = charset
            .encode_exact(name)
            .expect("the charset has every character");
        let mut value = b"attachment; filename=\"".to_vec();
        for byte in raw.iter() {
            if matches!(byte, b',' | b'"' | b'\\') {
                value.push(b'\\');
            }
            value.push(*byte);
        }
        value.push(b'"');
        let context = HeaderContext::default().raw(Some(charset));
        let text = params::parse(&value, &context, &mut Vec::new());
        assert_eq!(
            text.get("filename"),
            Some(name),
            "{} {}",
            charset.name(),
            value.escape_ascii()
        );
    }
    let text = params::parse(
        b"a; filename=\"caf\xe9\\,b.txt\"",
        &HeaderContext::default(),
        &mut Vec::new(),
    );
    assert_eq!(text.get("filename"), Some("caf\u{e9},b.txt"));
}

/// Characters whose second byte is an `@`: 一 of Big5, ァ of Shift_JIS.
#[test]
fn names_without_quotes_may_hold_an_at_sign() {
    for (charset, name) in [
        ("Big5", "王一明"),
        ("Big5", "陳一"),
        ("Big5", "一 二"),
        ("Shift_JIS", "ファイル 太郎"),
        ("Shift_JIS", "ソファ"),
        ("GBK", "亊丂"),
    ] {
        let charset = known(charset);
        let raw = charset
            .encode_exact(name)
            .expect("the charset has every character");
        assert!(
            raw.windows(2)
                .any(|pair| pair[0] >= 0x80 && pair[1] == b'@'),
            "{name}"
        );
        let told = HeaderContext::default().raw(Some(charset));
        for (before, after) in [
            ("", " <a@b.example>"),
            ("c@d.example, ", "\r\n <a@b.example>, e@f.example"),
        ] {
            let value = [before.as_bytes(), &raw, after.as_bytes()].concat();
            let want = Some((Some(name.to_owned()), "a@b.example".to_owned()));
            let find = |list: Vec<_>| {
                list.into_iter()
                    .find(|(_, address)| address == "a@b.example")
            };
            assert_eq!(find(read(&value, &told)), want, "{}", value.escape_ascii());
            for form in [Form::Words, Form::RawUtf8] {
                let after = rewritten(&value, FieldKind::Structured, form, &told);
                assert_eq!(find(read(&after, &told)), want, "{}", after.escape_ascii());
                assert_eq!(angles(&after), angles(&value), "{}", after.escape_ascii());
            }
        }
    }
    // Addresses stay.
    for value in [
        &b"jos\xe9@example.com"[..],
        b"jos\xe9@example.com <jos\xe9@example.com>",
        b"\xe9@localhost",
    ] {
        let context = HeaderContext::default().raw(Some(known("windows-1252")));
        for form in [Form::Words, Form::RawUtf8] {
            assert_eq!(
                rewritten(value, FieldKind::Structured, form, &context),
                value
            );
        }
    }
}

#[test]
fn comments_may_end_in_a_half() {
    for (charset, name) in [("Shift_JIS", "発表"), ("Big5", "成功"), ("GBK", "誠")] {
        let charset = known(charset);
        let raw = charset
            .encode_exact(name)
            .expect("the charset has every character");
        assert!(raw.ends_with(b"\\"), "{name}");
        let told = HeaderContext::default().raw(Some(charset));
        for after in ["", ", \"B\" <c@d.example> (x)", ",\r\n g@h.example (\"y\")"] {
            let value = [b"a@b.example (", &*raw, b")", after.as_bytes()].concat();
            let before = read(&value, &told);
            assert_eq!(
                before[0].0.as_deref(),
                Some(name),
                "{}",
                value.escape_ascii()
            );
            let after = rewritten(&value, FieldKind::Structured, Form::Words, &told);
            assert!(after.is_ascii(), "{}", after.escape_ascii());
            assert_eq!(read(&after, &told), before, "{}", after.escape_ascii());
        }
    }
}

/// Two characters of two bytes may be UTF-8 by chance.
#[test]
fn what_is_utf8_by_chance_is_read_as_the_message_tells() {
    for (charset, name) in [
        ("GBK", "谢谢"),
        ("GBK", "目录"),
        ("EUC-KR", "천체"),
        ("windows-1252", "NESCAFÉ®"),
    ] {
        let charset = known(charset);
        let raw = charset
            .encode_exact(name)
            .expect("the charset has every character");
        assert!(std::str::from_utf8(&raw).is_ok(), "{name}");
        let told = HeaderContext::default().raw(Some(charset));
        let list = [
            b"\"",
            &*raw,
            b"\" <a@b.example>, ",
            &*raw,
            b" <c@d.example>",
        ]
        .concat();
        let file = [b"attachment; filename=\"", &*raw, b"\""].concat();
        for (value, kind, want) in [
            (&*raw, FieldKind::Unstructured, name.to_owned()),
            (
                &*list,
                FieldKind::Structured,
                format!("{name} <a@b.example>, {name} <c@d.example>"),
            ),
            (
                &*file,
                FieldKind::Parameters,
                format!("attachment; filename=\"{name}\""),
            ),
        ] {
            let decode =
                |value: &[u8]| header::decode(value, kind, &told, &mut Vec::new()).into_owned();
            assert_eq!(decode(value), want, "{}", value.escape_ascii());
            for form in [Form::Words, Form::RawUtf8] {
                let after = rewritten(value, kind, form, &told);
                assert_eq!(decode(&after), want, "{}", after.escape_ascii());
            }
        }
        // Text in UTF-8 stays what it is, and so does what nothing is told of.
        for text in [
            "Grüße, 日本語",
            "Здравствуйте",
            "O’Hara",
            "Bob \u{1F642}",
            "“5 €”",
            "会议",
            "すず",
        ] {
            let read = header::decode(
                text.as_bytes(),
                FieldKind::Unstructured,
                &told,
                &mut Vec::new(),
            );
            assert_eq!(read, text);
        }
        let nobody = HeaderContext::default();
        let read = header::decode(&raw, FieldKind::Unstructured, &nobody, &mut Vec::new());
        assert_eq!(read.as_bytes(), &*raw);
    }
    // Other raw bytes of the value tell as well.
    let context = HeaderContext::default();
    let value = known("GBK")
        .encode_exact("谢谢, 请把会议的安排告诉我们")
        .expect("the charset has every character");
    let read = header::decode(
        &[b"\"", &value[..4], b"\" (", &value[4..], b")"].concat(),
        FieldKind::Structured,
        &context,
        &mut Vec::new(),
    )
    .into_owned();
    assert_eq!(read, "谢谢 (, 请把会议的安排告诉我们)");
}

/// Names of a few characters, raw, in a message whose text is in UTF-8: its language tells what they may be in.
#[test]
fn the_language_of_the_message_tells_of_short_names() {
    let languages = [
        (
            "GBK",
            "各位同事：现将下次会议的安排发给大家，请在星期五以前回复。",
            "李明 王芳 张伟 陈静 刘洋 会议纪要 年终总结 报价单 合同 通知 简历 照片 发票 计划书",
        ),
        (
            "Big5",
            "各位同仁：現將下次會議的安排寄給大家，請在星期五以前回覆。",
            "李明 王芳 張偉 陳靜 劉洋 會議紀錄 年終總結 報價單 合約 通知 履歷 照片 發票 計畫書",
        ),
        (
            "Shift_JIS",
            "皆様、次回の会議の予定をお送りいたします。金曜日までにお願いいたします。",
            "鈴木 田中 佐藤 高橋 会議録 見積書 契約書 お知らせ 履歴書 写真 請求書 計画 資料 報告書",
        ),
        (
            "EUC-KR",
            "여러분 안녕하십니까. 다음 회의 일정을 보내 드립니다.",
            "김민수 이영희 박지성 최은경 회의록 견적서 계약서 안내 이력서 사진 청구서 계획 자료 보고서",
        ),
        (
            "KOI8-R",
            "Добрый день! Высылаю обещанные фотографии с дачи.",
            "Иван Мария Отчёт План Счёт Фото Договор Да Резюме",
        ),
        (
            "windows-1253",
            "Αγαπητοί φίλοι, σας στέλνω το πρόγραμμα.",
            "Νίκος Μαρία Έκθεση Σχέδιο Τιμές",
        ),
    ];
    let (mut all, mut right, mut alone) = (0, 0, 0);
    for (charset, body, names) in languages {
        for name in names.split(' ') {
            let raw = known(charset)
                .encode_exact(name)
                .expect("the charset has every character");
            let head = [
                b"From: a@b.example\nContent-Disposition: attachment; filename=\"",
                &*raw,
                b".doc\"\n",
            ]
            .concat();
            let read = |body: &str| {
                let rest = format!("Content-Type: text/plain; charset=utf-8\n\n{body}\n");
                let message = [&head, rest.as_bytes()].concat();
                let message =
                    mailglot_mime::Message::parse(&message, &mailglot_mime::Limits::default());
                let policy = mailglot_mime::Policy::default();
                let context = mailglot_mime::header_context(&message, &policy);
                let start = head
                    .windows(10)
                    .position(|w| w == b"attachment")
                    .unwrap_or_default();
                let params = params::parse(&head[start..head.len() - 1], &context, &mut Vec::new());
                params.get("filename") == Some(&*format!("{name}.doc"))
            };
            all += 1;
            right += usize::from(read(body));
            alone += usize::from(read("plain"));
        }
    }
    println!("{right} of {all}; without text {alone}");
    assert!(right * 100 >= all * 90, "{right} of {all}");
}
