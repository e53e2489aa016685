//! Makes mutants of messages.

use crate::numbers::Numbers;

/// Small messages that touch most of the planner.
pub(crate) const BUILT_IN: [&[u8]; 17] = [
    b"Subject: =?iso-8859-1?Q?Gr=FC=DFe?= =?koi8-r?B?8A==?=\nFrom: \"=?utf-8?Q?=C3=A9?=\" <a@b.example>\n\nx\n",
    b"Subject: Gr\xfc\xdfe\nTo: J\xf6rg <a@b.example>\n\nSch\xf6ne Gr\xfc\xdfe aus K\xf6ln\n",
    b"Content-Type: text/plain; charset=iso-8859-1; format=flowed\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe =\nan alle=20\nFrom here\n",
    b"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=\"koi8-r\"\r\nContent-Transfer-Encoding: base64\r\n\r\n8NLJ18XU\r\n8NLJ18XU\r\n\r\n_____\r\nA list of people\r\n",
    b"Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: 7bit\n\npre\n--b\nContent-Type: text/html; charset=windows-1252\n\n<html><head><meta charset=windows-1252></head>\x80</html>\n--b\nContent-Type: text/plain; name=\"=?iso-8859-1?Q?=E4?=.txt\"\nContent-Disposition: attachment; filename*=iso-8859-1''%E4.txt\n\nx\n--b--\nepilogue\n",
    b"Content-Type: multipart/signed; boundary=\"s\"; protocol=\"application/pgp-signature\"\n\n--s\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\n\xfc\n--s\nContent-Type: application/pgp-signature\n\nx\n--s--\n",
    b"Content-Type: multipart/digest; boundary=d\n\n--d\n\nSubject: =?big5?B?pKQ=?=\nContent-Type: text/plain; charset=big5\n\n\xa4\xa4\xa4\xe5\n--d--\n",
    b"Subject: a\rContent-Type: text/plain; charset=iso-8859-2\rContent-Transfer-Encoding: 8bit\r\r\xb1\xe6\r",
    b"Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$B$3$l\x1b(B\n",
    "Subject: =?utf-8?B?5pel5pys6Kqe44CcwqU=?= =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=\nFrom: \"日本\" (=?shift_jis?B?k/o=?=) <a@b.example>\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n<meta charset=utf-8>日本ｶﾞ〜\n--b\n".as_bytes(),
    b"Content-Type: multipart/mixed; boundary=b\r\nContent-Transfer-Encoding: 8bit\r\n\r\n--b\r\nContent-Type: text/plain; charset=shift_jis\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: inline; filename*=utf-8''%E6%97%A5%E6%9C%AC.txt; x=\"=?euc-jp?B?xvw=?=\"\r\n\r\nk/qWew0KLS1iDQo=\r\n--b\r\nContent-Type: text/plain\r\n\r\n\x1b$BF|\x1b(B\r\n--b--\r\n",
    b"Subject: =?utf-8?Q?=E6=97=A5=E2=82=AC?= =?iso-2022-jp?B?GyRCLSEbKEI=?= x =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=\nContent-Type: text/plain; charset=euc-jp\nContent-Transfer-Encoding: quoted-printable\n\n=C6=FC=CB=DC =20\n=AD=A1\n",
    b"Content-Type: multipart/mixed; boundary=o\n\npr\xe9ambule\n--o\nContent-Type: multipart/alternative; boundary=i\nContent-Transfer-Encoding: 7bit\n\n--i\nContent-Type: text/plain; charset=iso-8859-1\n\n\xe9t\xe9\n--i--\nfin int\xe9rieure\n--o--\n\xe9pilogue: d\xe9sabonnez-vous\n",
    b"Content-Type: multipart/mixed; boundary=b\r\n\r\n\x1b$BF|K\\\x1b(B\r\n--b\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\n\x1b$BF|K\\\x1b(B\r\n--b--\r\n\xf0\xd2\xc9\xd7\xc5\xd4 =?koi8-r?B?8A==?=\r\n",
    b"Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64\n\n//5HAHIA/ADfAGUACgA=\n",
    b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b\r\nContent-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\nRnJvbTogSvZyZyA8akB4LmV4YW1wbGU+ClN1YmplY3Q6ID0/aXNvLTg4NTktMT9RP0dyPUZDPURG\r\nZT89CkNvbnRlbnQtVHlwZTogdGV4dC9wbGFpbjsgY2hhcnNldD1pc28tODg1OS0xCgpzY2j2bgo=\r\n--b--\r\n",
    b"Subject: x\nContent-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\nSubject: Gr=FC=DFe\nContent-Type: multipart/mixed; boundary=3Di\n\n--i\nContent-Type: text/plain; charset=3Dkoi8-r\n\n=F0=D2=C9=D7=C5=D4\n--i--\n",
];

/// Pieces that change what stands around them.
const PIECES: [&[u8]; 46] = [
    b"\r\r\n",
    b"=0D=0A",
    b"=0D=\n",
    b"=0D",
    b"=0A",
    b"=\n",
    b"\n",
    b"\r\n",
    b"\r",
    b"\n\n",
    b"\r\n\r\n",
    b" ",
    b"\t",
    b"--",
    b"=",
    b"=?utf-8?Q?=C3=A9?=",
    b"=?iso-8859-1?B?5A==?=",
    b"=?",
    b"?=",
    b"\"",
    b";",
    b"(",
    b"\\",
    b"*0*=",
    b"\0",
    b"\xff",
    b"\xc3\xbc",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x1b$B",
    b"\x1b(B",
    b"+AOQ-",
    b"From ",
    b"-----BEGIN PGP MESSAGE-----\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Content-Transfer-Encoding: quoted-printable\n",
    b"Content-Transfer-Encoding: x-nobody\n",
    b"Content-Type: text/html\n",
    b"Content-Type: text/plain; charset=koi8-r\n",
    b"<meta charset=koi8-r>",
    b"; charset*=''koi8-r",
    b"; charset=koi8-r",
    b"; charset*0=koi8-; charset*1=r",
    b"; charset*1*=%2Dr",
    b"\n=ybegin line=128 size=3 name=a\n",
    b"Content-Type: message/rfc822\n",
];

pub(crate) fn mutate(seed: &[u8], other: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut raw = seed.to_vec();
    for _ in 0..=numbers.below(5) {
        let at = numbers.below(raw.len() + 1);
        match numbers.below(9) {
            0 => {
                if let Some(byte) = raw.get_mut(at) {
                    *byte ^= 1 << numbers.below(8);
                }
            }
            1 => {
                if let Some(byte) = raw.get_mut(at) {
                    *byte = numbers.next() as u8;
                }
            }
            2 | 3 => {
                let piece = PIECES[numbers.below(PIECES.len())];
                raw.splice(at..at, piece.iter().copied());
            }
            4 => {
                let range = numbers.range(raw.len());
                raw.drain(range);
            }
            5 => {
                let chunk = raw[numbers.range(raw.len())].to_vec();
                raw.splice(at..at, chunk);
            }
            6 => {
                let chunk = &other[numbers.range(other.len())];
                raw.splice(at..at, chunk.iter().copied());
            }
            7 => {
                let lf: Vec<u8> = raw.iter().copied().filter(|b| *b != b'\r').collect();
                raw = match numbers.below(3) {
                    0 => lf,
                    1 => lf
                        .split(|b| *b == b'\n')
                        .collect::<Vec<_>>()
                        .join(&b"\r\n"[..]),
                    _ => lf
                        .iter()
                        .map(|b| if *b == b'\n' { b'\r' } else { *b })
                        .collect(),
                };
            }
            _ => raw.truncate(at),
        }
    }
    raw
}
