//! Bodies whose transfer encoding is not the one that their label names.

use super::*;

/// Readers that believe the label of an embedded message decode its header and its own encoded parts.
#[test]
fn embedded_messages_under_a_wrong_label_get_the_right_one() {
    let part = |label: &str, inner: &str| {
        format!(
            "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: 7bit\n\n--b\n\
             Content-Type: message/rfc822\nContent-Transfer-Encoding: {label}\n\n{inner}--b--\n"
        )
    };
    let inner = "Subject: inner\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n";
    let ascii = format!("{inner}Content-Transfer-Encoding: 7bit\n\na=3Db\n");
    for label in ["quoted-printable", "base64", "Quoted Printable"] {
        case(&part(label, &ascii), &part("7bit", &ascii));
    }
    // The label counts the text as it is written: 8-bit text needs 8bit around it, too.
    let encoded = format!("{inner}Content-Transfer-Encoding: quoted-printable\n\ncaf=C3=A9\n");
    let plain = format!("{inner}Content-Transfer-Encoding: 8bit\n\ncafé\n");
    let want = part("8bit", &plain).replacen("Encoding: 7bit", "Encoding: 8bit", 1);
    case(&part("quoted-printable", &encoded), &want);
    // A right label stays.
    case(&part("7bit", &ascii), &part("7bit", &ascii));
    // A signature covers the label.
    let signed = part("base64", &ascii).replace("multipart/mixed", "multipart/signed");
    case(&signed, &signed);
}
