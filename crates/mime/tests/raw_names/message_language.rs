//! Tests of raw names whose charset the rest of the message tells.

use crate::{known, rewritten};
use mailglot_mime::encoded_word::{Form, HeaderContext};
use mailglot_mime::header::FieldKind;
use mailglot_mime::{header, params};

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
        // UTF-8 text decodes to itself, and so does text whose message names no charset.
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
