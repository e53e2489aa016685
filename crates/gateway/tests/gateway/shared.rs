//! A milter and proxies of one process that share their resources.

use crate::rig::{Manner, Mta, RunningNextHop, Served, Told, letters};
use mailglot_gateway::proxy::Route;
use mailglot_gateway::{Address, Engine, Limits, Resources, Server};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

/// A client of a proxy that has begun its text.
fn begun(path: &std::path::Path) -> (UnixStream, BufReader<UnixStream>) {
    let mut stream = UnixStream::connect(path).unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    stream
        .write_all(b"EHLO c\r\nMAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n")
        .unwrap();
    while !line(&mut lines).starts_with("354 ") {}
    (stream, lines)
}

fn line(lines: &mut BufReader<UnixStream>) -> String {
    let mut line = String::new();
    assert!(lines.read_line(&mut line).unwrap() > 0);
    line
}

/// What one server has in its files is room that the other one does not have; what shares nothing has its own.
#[test]
fn servers_share_the_room_for_messages() {
    let part = b"text\r\n".repeat(600_000);
    for shared in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let hop = RunningNextHop::start(vec![Manner::default()]);
        let spool = folder.path().to_owned();
        let limits = Limits {
            memory_bytes: 0,
            spool_bytes: 5_000_000,
            spool,
            ..Limits::default()
        };
        let resources = Resources::of(&limits);
        let bounds = || {
            if shared {
                limits.clone().sharing(&resources)
            } else {
                limits.clone().into()
            }
        };
        let address = |name: &str| Address::Unix(folder.path().join(name));
        let told = Told::default();
        let proxy = Server::proxy(
            address("proxy"),
            Route::to(hop.address.clone()),
            Engine::default(),
            bounds(),
            told.ear(),
        );
        let proxy = Served::run(proxy.unwrap());
        let milter = Server::milter(address("milter"), Engine::default(), bounds(), told.ear());
        let milter = Served::run(milter.unwrap());
        let (mut client, mut lines) = begun(&folder.path().join("proxy"));
        client
            .write_all(&[b"Subject: x\r\n\r\n", &part[..]].concat())
            .unwrap();
        while proxy.stop.spool_bytes() < 2_000_000 {
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(milter.stop.spool_bytes() > 0, shared);
        let mut mta = Mta::connect(&milter.address);
        let said = letters(&mta.message(&[("Subject", " x")], &part));
        assert_eq!(said.ends_with('t'), shared, "{said}");
        mta.send(b'A', b"");
        client.write_all(b".\r\n").unwrap();
        assert!(line(&mut lines).starts_with("250 "));
        let said = letters(&mta.message(&[("Subject", " x")], &part));
        assert!(said.ends_with('c'), "{said}");
        assert_eq!((proxy.stop.spool_bytes(), hop.kept().len()), (0, 1));
        assert_eq!(told.faults(usize::from(shared)).len(), usize::from(shared));
    }
}
