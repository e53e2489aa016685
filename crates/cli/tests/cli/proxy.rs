//! `proxy`: the daemon as a supervisor of services, a client and a next hop see it

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::thread;

pub(crate) const MESSAGE: &[u8] =
    b"Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\
    Content-Transfer-Encoding: 8bit\r\n\r\nGr\xfc\xdfe\r\n.\r\n";

/// A next hop for one connection that says yes to everything; what it was told.
pub(crate) fn next_hop(listener: TcpListener, hello: &'static str) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap());
        let mut heard = Vec::new();
        stream.write_all(b"220 hop.invalid\r\n").unwrap();
        let mut in_data = false;
        loop {
            let start = heard.len();
            if lines.read_until(b'\n', &mut heard).unwrap() == 0 {
                return String::from_utf8(heard).unwrap();
            }
            let line = &heard[start..];
            let answer: &[u8] = match line {
                b".\r\n" if in_data => b"250 2.0.0 Kept\r\n",
                _ if in_data => continue,
                b"DATA\r\n" => b"354 Go on\r\n",
                _ if line.starts_with(hello.as_bytes()) => {
                    b"250-hop.invalid\r\n250-CHUNKING\r\n250 8BITMIME\r\n"
                }
                _ => b"250 2.0.0 Ok\r\n",
            };
            in_data = line == b"DATA\r\n";
            stream.write_all(answer).unwrap();
        }
    })
}

fn dialogue(hello: &'static str, args: &[&str], want: &str, route: &str) {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let hop = format!("tcp:{}", listener.local_addr().unwrap());
    let heard = next_hop(listener, hello);
    let socket = folder.path().join("socket");
    let mut child = Command::new(env!("CARGO_BIN_EXE_mailglot"))
        .args([
            "proxy",
            "--allow-root",
            "--listen",
            &format!("unix:{}", socket.display()),
            "--next-hop",
            &hop,
        ])
        .args(args)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    assert!(said.next().unwrap().contains("listening at unix:"));
    let mut client = UnixStream::connect(&socket).unwrap();
    client
        .write_all(
            format!(
                "{hello} c\r\nMAIL FROM:<a@b.invalid> BODY=8BITMIME\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n"
            )
            .as_bytes(),
        )
        .unwrap();
    // A signal that has something read anew elsewhere ends no message.
    let asked = Command::new("kill")
        .args(["-HUP", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(asked.success());
    assert_eq!(said.next().unwrap(), "there is no file to be read anew");
    client.write_all(MESSAGE).unwrap();
    client.write_all(b"QUIT\r\n").unwrap();
    let mut answers = String::new();
    client.read_to_string(&mut answers).unwrap();
    assert_eq!(answers, want);
    let line = said.next().unwrap();
    for part in [
        &format!("route={route}"),
        "from=<a@b.invalid>",
        "rcpts=1",
        "action=normalize",
    ] {
        assert!(line.contains(part), "{line}");
    }
    let heard = heard.join().unwrap();
    assert!(
        heard.contains("charset=utf-8\r\n") && heard.ends_with("\r\n\r\nGrüße\r\n.\r\nQUIT\r\n"),
        "{heard}"
    );
    let asked = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(asked.success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(!socket.exists());
}

#[test]
fn mail_goes_through_in_utf8() {
    let want = |protocol| {
        format!(
            "220 hop.invalid {protocol}\r\n250-hop.invalid\r\n250 8BITMIME\r\n250 2.0.0 Ok\r\n250 2.0.0 Ok\r\n\
             354 End data with <CR><LF>.<CR><LF>\r\n250 2.0.0 Kept\r\n221 2.0.0 Bye\r\n"
        )
    };
    dialogue("EHLO", &[], &want("ESMTP"), "smtp");
    dialogue("LHLO", &["--lmtp"], &want("LMTP"), "lmtp");
}

#[test]
fn a_place_that_cannot_be_taken_is_told() {
    for args in [
        &[
            "--listen",
            "unix:/no/such/folder/socket",
            "--next-hop",
            "tcp:127.0.0.1:1",
        ][..],
        &["--listen", "nonsense", "--next-hop", "tcp:127.0.0.1:1"],
        &["--listen", "tcp:127.0.0.1:0"],
    ] {
        let out = Command::new(env!("CARGO_BIN_EXE_mailglot"))
            .args(["proxy", "--allow-root"])
            .args(args)
            .output()
            .unwrap();
        assert!(!out.status.success() && !out.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn a_proxy_is_not_its_own_next_hop() {
    let folder = tempfile::tempdir().unwrap();
    let socket = format!("unix:{}", folder.path().join("socket").display());
    let ended = Command::new(env!("CARGO_BIN_EXE_mailglot"))
        .args([
            "proxy",
            "--allow-root",
            "--listen",
            &socket,
            "--next-hop",
            &socket,
        ])
        .output()
        .unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(
        !ended.status.success() && said.contains("mail would come back here"),
        "{said}"
    );
    assert!(!folder.path().join("socket").exists());
}
