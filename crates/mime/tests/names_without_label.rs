//! Text without a label that has few bytes above 7F: names of people in English text, as change logs and bug reports have them.
//!
//! The bytes of each case are those of a real change log, the words are other ones.

use mailglot_mime::{Limits, Message, Policy, Report, text_parts};

/// The text of a message with such header fields and such a body.
fn read(fields: &str, body: &[u8]) -> String {
    let raw = [fields.as_bytes(), b"\n", body].concat();
    let parts = text_parts(
        &Message::parse(&raw, &Limits::default()),
        &Policy::default(),
        &mut Report::with_limit(20),
    );
    parts.into_iter().map(|part| part.text).collect()
}

const PLAIN: &str = "Content-Type: text/plain\nContent-Transfer-Encoding: 8bit\n";

#[test]
fn a_name_of_western_europe_is_windows_1252() {
    for (body, text) in [
        (
            &b"Reported by Jakob B\xF8hn <JB@example.dk>.\n"[..],
            "Jakob Bøhn",
        ),
        (
            b"\t* lock.c: wait longer (reported by S\xF8ren Holm <holm@example.dk>).\n",
            "Søren Holm",
        ),
        (
            b"\t* net.c: close the socket. Patch by Andr\xE9 Lima.\n",
            "André Lima",
        ),
        (
            b"Thanks to J\xF6rg Kr\xFCger for many reports.\n",
            "Jörg Krüger",
        ),
        (
            b"1998-03-02  Fran\xE7oise Petit  <petit@example.fr>\n\n\t* list.c: sort by date.\n",
            "Françoise Petit",
        ),
        (b"\t* README: mention J. Jos\xE9 R\xEDos.\n", "José Ríos"),
    ] {
        assert!(read(PLAIN, body).contains(text), "{:?}", read(PLAIN, body));
    }
}

#[test]
fn a_damaged_name_does_not_change_the_charset_of_the_others() {
    let body = b"Reported by Karl and Anto\x1B.B\x8E\xBE.\n\n1997-05-04  Fran\xE7oise Petit  <petit@example.fr>\n\n1997-04-28  Fran\xE7oise Petit  \
                 <petit@example.fr>\n\n1996-03-06  Fran\xE7oise Petit  <petit@example.fr>\n";
    assert_eq!(read(PLAIN, body).matches("Françoise").count(), 3);
}

#[test]
fn names_in_utf8_stand_beside_names_in_windows_1252() {
    let body =
        b"\t* pl.po: new, by Pawe\xC5\x82 Nowak.\n\n1999-12-28  Fran\xE7oise Petit  <petit@example.fr>\n";
    let text = read(PLAIN, body);
    assert!(
        text.contains("Paweł Nowak") && text.contains("Françoise Petit"),
        "{text}"
    );
}

#[test]
fn a_name_of_croatia_is_iso_8859_2() {
    let text = read(PLAIN, b"\t* added hr.po (thanks to Marko Petrovi\xE6).\n");
    assert!(text.contains("Petrović"), "{text}");
}

#[test]
fn a_no_break_space_stands_between_english_words() {
    let text = read(
        PLAIN,
        b"\t* Update php, html, css and\xA0java files to take account of changes.\n",
    );
    assert!(text.contains("and\u{A0}java"), "{text}");
}

#[test]
fn japanese_names_and_words_are_euc_jp() {
    // "Above" and a name before an address in Japan.
    for (body, text) in [
        (&b"#else\n  return 0;\n#endif\n\n\xB0\xCA\xBE\xE5\n\n/* Copyright 1994 by Ken.\n */\nint main()\n"[..], "以上"),
        (b"Ken <ken@example.co.jp>\n\xC0\xB6\xBF\xE5 \xBE\xC8\xB5\xD7 <teru@example.ne.jp>\n", "清水 照久"),
    ] {
        assert!(read(PLAIN, body).contains(text), "{:?}", read(PLAIN, body));
    }
}

#[test]
fn one_word_in_big5_stands_in_english_text_under_a_label_of_utf8() {
    let fields =
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n";
    let text = read(
        fields,
        b"> +\tif (power_is_off())      ; =A6b 4250 this is not needed\n> +\t\treturn;\n",
    );
    assert!(text.contains("在 4250"), "{text}");
}
