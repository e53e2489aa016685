//! Signed mail through Postfix and the gateway: not a byte changes, and every signature holds.
//!
//! Signatures are made and checked by programs that know nothing of us. They are openssl, GnuPG, and OpenDKIM for what
//! openssl signed in the form of RFC 6376.

#![allow(clippy::unwrap_used, clippy::panic)]

use mailglot_tests::generate::base64_words;
use mailglot_tests::trial::gateway_chain::{Chain, GatewayPosition};
use mailglot_tests::trial::postfix;
use mailglot_tests::trial::smtp::Letter;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

/// Keys of all kinds, in a folder of their own.
struct Keys(tempfile::TempDir);

impl Keys {
    fn new() -> Self {
        let keys = Self(postfix::folder());
        let subject = [
            "-subj",
            "/CN=a@test.invalid",
            "-addext",
            "subjectAltName=email:a@test.invalid",
        ];
        let key = keys.path("key");
        let certificate = keys.path("certificate");
        openssl(
            &[
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            ],
            |command| {
                command
                    .args(subject)
                    .arg("-keyout")
                    .arg(&key)
                    .arg("-out")
                    .arg(&certificate);
            },
        );
        let public = openssl(&["pkey", "-pubout", "-in"], |command| {
            command.arg(&key);
        });
        let public: String = String::from_utf8(public)
            .unwrap()
            .lines()
            .filter(|line| !line.starts_with('-'))
            .collect();
        fs::write(
            keys.path("public"),
            format!("s._domainkey.test.invalid v=DKIM1; k=rsa; p={public}\n"),
        )
        .unwrap();
        let configuration = format!(
            "Mode v\nSyslog no\nTestPublicKeys {}\n",
            keys.path("public").display()
        );
        fs::write(keys.path("opendkim.conf"), configuration).unwrap();
        fs::create_dir(keys.path("gpg")).unwrap();
        fs::set_permissions(keys.path("gpg"), fs::Permissions::from_mode(0o700)).unwrap();
        keys.gpg(
            &[
                "--quick-generate-key",
                "a@test.invalid",
                "ed25519",
                "sign",
                "never",
            ],
            b"",
        );
        keys
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn gpg(&self, words: &[&str], input: &[u8]) -> Vec<u8> {
        let mut command = Command::new("gpg");
        command.args([
            "--batch",
            "--quiet",
            "--pinentry-mode",
            "loopback",
            "--passphrase",
            "",
            "--homedir",
        ]);
        command.arg(self.path("gpg")).args(words);
        good("gpg", &run(&mut command, input))
    }

    /// A message with a signature over its fields and its body, both to the byte (RFC 6376, simple/simple).
    fn dkim(&self, raw: &[u8]) -> Vec<u8> {
        let split = memchr::memmem::find(raw, b"\r\n\r\n").unwrap();
        let (header, mut body) = (&raw[..split + 2], &raw[split + 4..]);
        while let Some(shorter) = body.strip_suffix(b"\r\n\r\n") {
            body = &raw[split + 4..][..shorter.len() + 2];
        }
        let names: Vec<&str> = std::str::from_utf8(header)
            .unwrap()
            .lines()
            .filter(|line| !line.starts_with([' ', '\t']))
            .map(|line| line.split(':').next().unwrap())
            .collect();
        let mut field = format!(
            "DKIM-Signature: v=1; a=rsa-sha256; c=simple/simple; d=test.invalid; s=s;\r\n\th={};\r\n\tbh={};\r\n\tb=",
            names.join(":"),
            base64_words(&Sha256::digest(body))
        );
        // Each name stands once: the fields in their order are what is hashed.
        let input = [header, field.as_bytes()].concat();
        let mut command = Command::new("openssl");
        command
            .args(["dgst", "-sha256", "-sign"])
            .arg(self.path("key"));
        let signature = good("openssl", &run(&mut command, &input));
        for piece in base64_words(&signature).as_bytes().chunks(70) {
            let _ = write!(field, "{}\r\n\t", String::from_utf8_lossy(piece));
        }
        [field.trim_end().as_bytes(), b"\r\n", raw].concat()
    }

    /// Whether OpenDKIM finds the signature of a message good.
    fn dkim_holds(&self, raw: &[u8]) -> bool {
        let file = self.path("received");
        fs::write(&file, raw).unwrap();
        let mut command = Command::new("/usr/sbin/opendkim");
        command
            .arg("-x")
            .arg(self.path("opendkim.conf"))
            .arg("-t")
            .arg(&file);
        let output = run(&mut command, b"");
        let said = [output.stdout, output.stderr].concat();
        String::from_utf8_lossy(&said).contains(" succeeded")
    }

    /// A message of type multipart/signed (RFC 8551) around a part.
    fn smime(&self, part: &[u8], opaque: bool) -> Vec<u8> {
        let file = self.path("part");
        fs::write(&file, part).unwrap();
        let out = openssl(
            &["smime", "-sign", "-binary", "-md", "sha256", "-in"],
            |command| {
                command
                    .arg(&file)
                    .arg("-signer")
                    .arg(self.path("certificate"))
                    .arg("-inkey")
                    .arg(self.path("key"));
                if opaque {
                    command.arg("-nodetach");
                }
            },
        );
        with_crlf(&out)
    }

    fn smime_holds(&self, raw: &[u8]) -> bool {
        let file = self.path("received");
        fs::write(&file, raw).unwrap();
        let mut command = Command::new("openssl");
        command
            .args(["smime", "-verify", "-binary", "-purpose", "any", "-in"])
            .arg(&file);
        command.arg("-CAfile").arg(self.path("certificate"));
        run(&mut command, b"").status.success()
    }

    /// A message of type multipart/signed (RFC 3156) around a part.
    fn pgp_mime(&self, part: &[u8]) -> Vec<u8> {
        let signature = self.gpg(&["--armor", "--detach-sign", "--output", "-"], part);
        [
            b"MIME-Version: 1.0\r\nContent-Type: multipart/signed; micalg=pgp-sha512;\r\n\tprotocol=\"application/pgp-signature\"; boundary=\"limit\"\r\n\r\n--limit\r\n",
            part,
            b"\r\n--limit\r\nContent-Type: application/pgp-signature\r\n\r\n",
            &with_crlf(&signature),
            b"\r\n--limit--\r\n",
        ]
        .concat()
    }

    fn pgp_mime_holds(&self, raw: &[u8]) -> bool {
        let find = |what: &[u8]| memchr::memmem::find(raw, what).unwrap();
        let start = find(b"--limit\r\n") + 9;
        let end = find(b"\r\n--limit\r\nContent-Type: application/pgp-signature");
        let (from, to) = (
            find(b"-----BEGIN PGP SIGNATURE"),
            find(b"-----END PGP SIGNATURE"),
        );
        fs::write(self.path("part"), &raw[start..end]).unwrap();
        fs::write(
            self.path("signature"),
            [&raw[from..to], b"-----END PGP SIGNATURE-----\r\n"].concat(),
        )
        .unwrap();
        let mut command = Command::new("gpg");
        command
            .arg("--homedir")
            .arg(self.path("gpg"))
            .arg("--verify");
        run(
            command.arg(self.path("signature")).arg(self.path("part")),
            b"",
        )
        .status
        .success()
    }

    fn inline_holds(&self, raw: &[u8]) -> bool {
        let mut command = Command::new("gpg");
        command
            .arg("--homedir")
            .arg(self.path("gpg"))
            .arg("--verify");
        run(&mut command, raw).status.success()
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // GnuPG leaves an agent behind; it ends by itself when its folder is gone, and sooner so.
        let _ = Command::new("gpgconf")
            .arg("--homedir")
            .arg(self.path("gpg"))
            .args(["--kill", "all"])
            .status();
    }
}

fn openssl(words: &[&str], more: impl FnOnce(&mut Command)) -> Vec<u8> {
    let mut command = Command::new("openssl");
    command.args(words);
    more(&mut command);
    good("openssl", &run(&mut command, b""))
}

fn run(command: &mut Command, input: &[u8]) -> Output {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    })
}

fn good(name: &str, output: &Output) -> Vec<u8> {
    assert!(
        output.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout.clone()
}

fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 100);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let line = line
            .strip_suffix(b"\n")
            .map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line));
        out.extend_from_slice(line);
        out.extend_from_slice(b"\r\n");
    }
    out
}

const FIELDS: &[u8] = b"From: =?koi8-r?B?6dfBzg==?= <a@test.invalid>\r\nTo: b@test.invalid\r\n\
    Subject: =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=\r\nDate: Mon, 1 Jan 2001 10:00:00 +0000\r\nMessage-ID: <1@test.invalid>\r\n";

/// A text part that would be rewritten, were it not signed.
const PART: &[u8] = b"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\ncaf=E9\r\n";

/// Whether a signature of a message holds.
type Check = fn(&Keys, &[u8]) -> bool;

/// Signed letters, and what checks each.
fn letters(keys: &Keys) -> Vec<(&'static str, Vec<u8>, Check)> {
    let plain = |body: &[u8]| {
        let text = b"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n\r\n";
        [FIELDS, text, body].concat()
    };
    let clear = with_crlf(&keys.gpg(
        &["--clearsign", "--output", "-"],
        b"- caf\xe9\r\nFrom here\r\n",
    ));
    vec![
        (
            "DKIM",
            keys.dkim(&plain(b"caf\xe9\r\n\r\n\r\n")),
            Keys::dkim_holds,
        ),
        (
            "DKIM over a multipart",
            keys.dkim(&[FIELDS, &keys.pgp_mime(PART)].concat()),
            Keys::dkim_holds,
        ),
        (
            "S/MIME",
            [FIELDS, &keys.smime(PART, false)].concat(),
            Keys::smime_holds,
        ),
        (
            "S/MIME, opaque",
            [FIELDS, &keys.smime(PART, true)].concat(),
            Keys::smime_holds,
        ),
        (
            "PGP/MIME",
            [FIELDS, &keys.pgp_mime(PART)].concat(),
            Keys::pgp_mime_holds,
        ),
        ("inline PGP", plain(&clear), Keys::inline_holds),
    ]
}

#[test]
fn signed_letters_arrive_to_the_byte_and_their_signatures_hold() {
    let keys = Keys::new();
    let letters = letters(&keys);
    for (name, raw, holds) in &letters {
        assert!(holds(&keys, raw), "{name}: not signed well");
        // A checker that finds everything good would prove nothing.
        let text = String::from_utf8_lossy(raw);
        let needle: &[u8] = if text.contains("caf=E9") {
            b"caf=E9"
        } else {
            b"caf\xe9"
        };
        if let Some(at) = memchr::memmem::find(raw, needle) {
            let mut changed = raw.clone();
            changed[at] = b'k';
            assert!(!holds(&keys, &changed), "{name}: any text is good");
        }
    }
    for way in GatewayPosition::ALL {
        arrive_on(way, &keys, &letters);
    }
}

fn arrive_on(way: GatewayPosition, keys: &Keys, letters: &[(&'static str, Vec<u8>, Check)]) {
    let chain = Chain::start(way);
    let postfix = &chain.postfix;
    let mut client = postfix.client();
    for (name, raw, holds) in letters {
        let reply = client.send(&Letter::new(raw.clone())).unwrap();
        assert!(
            reply.is_good(),
            "{way:?} {name}: {reply:?}\n{}",
            postfix.log()
        );
        assert!(
            postfix.sink.wait(1, Duration::from_secs(30)),
            "{way:?} {name}: {}",
            postfix.log()
        );
        let arrived = postfix.sink.take().swap_remove(0).data;
        // Servers and filters add fields above; below them all is as it was. Inline signatures cover no field.
        let covered = if *name == "inline PGP" {
            memchr::memmem::find(raw, b"\r\n\r\n").unwrap()
        } else {
            0
        };
        assert!(
            arrived.ends_with(&raw[covered..]),
            "{way:?} {name}:\n{}\n{}",
            String::from_utf8_lossy(&arrived),
            chain.told()
        );
        assert!(
            holds(keys, &arrived),
            "{way:?} {name}: the signature does not hold any more"
        );
    }
    // The same without a signature is rewritten: the filter was there.
    let text = [FIELDS, b"MIME-Version: 1.0\r\n", PART].concat();
    assert!(client.send(&Letter::new(text.clone())).unwrap().is_good());
    assert!(postfix.sink.wait(1, Duration::from_secs(30)));
    assert!(
        !postfix.sink.take()[0].data.ends_with(&text),
        "{way:?} {}",
        chain.told()
    );
}
