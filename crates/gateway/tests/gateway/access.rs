//! Who is served, and who goes first where there are too many: over real sockets.

use crate::rig::{Manner, Mta, ProxyClient, RunningFilter, RunningNextHop, RunningProxy, letters};
use mailglot_gateway::{Address, Engine, Limits, Server};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;
use std::time::{Duration, Instant};

/// A message that is rewritten.
const LATIN: &[(&str, &str)] = &[
    ("Subject", " a"),
    ("Content-Type", " text/plain; charset=iso-8859-1"),
];

fn networks(texts: &[&str]) -> Vec<mailglot_gateway::Network> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn open(address: &Address) -> Box<dyn ReadWrite + Send> {
    match address {
        Address::Unix(path) => Box::new(UnixStream::connect(path).unwrap()),
        Address::Tcp(place) => Box::new(TcpStream::connect(place).unwrap()),
    }
}

trait ReadWrite: Read + Write {}
impl<T: Read + Write> ReadWrite for T {}

#[test]
fn clients_of_other_networks_are_closed_and_told() {
    let filter = RunningFilter::start(true, |limits| {
        limits.client_networks = networks(&["192.0.2.0/24", "::1"]);
    });
    let mut stream = open(&filter.served.address);
    assert_eq!(stream.read(&mut [0]).unwrap_or(0), 0);
    assert_eq!(filter.told.faults(1), ["client-network"]);
    let filter = RunningFilter::start(true, |limits| {
        limits.client_networks = networks(&["127.0.0.0/8"]);
    });
    assert_eq!(
        letters(&filter.connect().message(LATIN, b"Gr\xfc\xdfe\r\n")),
        "mhbc"
    );
    assert_eq!(filter.told.faults(0), [] as [&str; 0]);
}

#[test]
fn a_server_beyond_this_machine_needs_the_networks_of_its_clients() {
    let start = |address: &str, allow_remote: bool, list: &[&str]| {
        let limits = Limits {
            allow_remote,
            client_networks: networks(list),
            ..Limits::default()
        };
        Server::milter(
            address.parse::<Address>().unwrap(),
            Engine::default(),
            limits,
            |_| (),
        )
        .map(drop)
    };
    for address in ["tcp:0.0.0.0:0", "tcp:[::]:0"] {
        assert!(
            start(address, false, &[]).is_err()
                && start(address, false, &["192.0.2.0/24"]).is_err()
        );
        assert!(start(address, true, &[]).is_err());
    }
    start("tcp:0.0.0.0:0", true, &["192.0.2.0/24"]).unwrap();
    start("tcp:127.0.0.1:0", false, &[]).unwrap();
}

/// Opens silent connections, as many as there may be and some more; a client that was served before is served again.
fn silent_connections_stop_nobody(tcp: bool, speaks_first: bool) {
    let filter = RunningFilter::start(tcp, |_| ());
    assert_eq!(
        letters(&filter.connect().message(LATIN, b"Gr\xfc\xdfe\r\n")),
        "mhbc"
    );
    let mut silent = Vec::new();
    let address = filter.served.address.clone();
    // Those beyond the places wait until a place is free, and so does whoever opens them.
    let opening = thread::spawn(move || {
        for _ in 0..1_050 {
            let mut stream = open(&address);
            if speaks_first {
                let mut bytes = Vec::new();
                let data = [6_u32, 0x1ff, 0x1f_ffff].map(u32::to_be_bytes).concat();
                mailglot_gateway::milter::put(&mut bytes, b'O', &[&data]);
                // One that was closed for another takes no more.
                let _ = stream.write_all(&bytes);
            }
            silent.push(stream);
        }
        silent
    });
    let _silent = opening.join().unwrap();
    let start = Instant::now();
    assert_eq!(
        letters(&filter.connect().message(LATIN, b"Gr\xfc\xdfe\r\n")),
        "mhbc"
    );
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
    let faults = filter.told.faults(1);
    assert!(!faults.is_empty());
    assert!(
        faults
            .iter()
            .all(|fault| fault == "idle-closed" || fault == "connections")
    );
    assert!(filter.served.stop.connections() <= 1_000);
}

#[test]
fn silent_connections_to_a_socket_file_stop_nobody() {
    silent_connections_stop_nobody(false, false);
}

#[test]
fn silent_connections_over_tcp_stop_nobody() {
    silent_connections_stop_nobody(true, false);
}

#[test]
fn connections_that_only_negotiated_stop_nobody() {
    silent_connections_stop_nobody(false, true);
}

#[test]
fn silent_clients_of_a_proxy_stop_nobody() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, limits, _| limits.connections = 20);
    let clients: Vec<ProxyClient> = (0..30).map(|_| proxy.connect()).collect();
    let mut late = proxy.connect();
    late.send("EHLO c\r\nMAIL FROM:<a@b.invalid>\r\n");
    assert_eq!(late.codes(3), [220, 250, 250]);
    drop(clients);
}

/// A next hop that accepts nobody: each connection waits in `connect`, and keeps its place meanwhile.
#[test]
fn clients_that_wait_for_a_full_next_hop_keep_their_places() {
    const PLACES: usize = 3;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hop");
    let listener = UnixListener::bind(&path).unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    let in_queue = UnixStream::connect(&path).unwrap();
    let proxy = RunningProxy::start(&Address::Unix(path), |route, limits, _| {
        limits.connections = PLACES;
        limits.client_connections = Some(PLACES);
        route.times.connect = Duration::from_mins(5);
    });
    let mut first: Vec<ProxyClient> = (0..PLACES).map(|_| proxy.connect()).collect();
    // By then, each of them has been silent long enough to be closed for another one.
    thread::sleep(Duration::from_millis(1_500));
    for _ in 0..5 {
        assert_eq!(proxy.connect().codes(2), [421, 0]);
    }
    assert_eq!(proxy.served.stop.connections(), PLACES);
    assert_eq!(proxy.told.faults(5), ["connections"; 5]);
    // Those that waited are served when the next hop accepts.
    let accepting = thread::spawn(move || {
        for _ in 0..=PLACES {
            let (mut stream, _) = listener.accept().unwrap();
            // The connection that filled the queue is closed.
            let _ = stream.write_all(b"421 4.3.2 Full\r\n");
        }
    });
    drop(in_queue);
    for client in &mut first {
        assert_eq!(client.codes(2), [421, 0]);
    }
    accepting.join().unwrap();
}

/// A client that has begun a message keeps its place, and one that speaks for another client goes after those of the greedy one.
#[test]
fn the_client_with_most_idle_connections_loses_one_first() {
    let filter = RunningFilter::start(false, |limits| limits.connections = 4);
    let connect = |address: [u8; 1]| {
        let mut mta = filter.connect();
        let data = [&b"host\x004\0\x19192.0.2."[..], &address, b"\0"].concat();
        mta.send(b'C', &data);
        mta
    };
    let mut rare = connect(*b"1");
    // Pauses, so that the filter reads their commands in this order.
    let mut greedy: Vec<Mta> = (0..3)
        .map(|_| {
            thread::sleep(Duration::from_millis(200));
            connect(*b"2")
        })
        .collect();
    // Nobody answers these commands: the filter has read them by then.
    thread::sleep(Duration::from_secs(1));
    let mut next = connect(*b"3");
    next.send(b'Q', b"");
    assert_eq!(letters(&rare.message(LATIN, b"Gr\xfc\xdfe\r\n")), "mhbc");
    assert_eq!(filter.told.faults(1), ["idle-closed"]);
    assert_eq!(greedy[0].packet(), None, "the longest silent of them went");
    assert_eq!(
        letters(&greedy[1].message(LATIN, b"Gr\xfc\xdfe\r\n")),
        "mhbc"
    );
}

#[test]
fn a_client_address_has_a_share_of_the_connections() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, limits, _| limits.connections = 8);
    let mut clients = Vec::new();
    for _ in 0..6 {
        let mut client = proxy.connect();
        client.send("EHLO c\r\nMAIL FROM:<a@b.invalid>\r\n");
        assert_eq!(client.codes(3), [220, 250, 250]);
        clients.push(client);
    }
    // Two places are left, for others.
    assert_eq!(proxy.connect().codes(2), [421, 0]);
    assert_eq!(proxy.told.faults(1), ["connections"]);
}

/// Clients that talk all the time, and never begin a message, are not silent: most of those beyond the places are deferred at once.
#[test]
fn talkative_clients_hold_up_nobody() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, limits, _| limits.connections = 4);
    let mut talkative: Vec<ProxyClient> = (0..3).map(|_| proxy.connect()).collect();
    for client in &mut talkative {
        client.greet();
    }
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let talking = thread::spawn(move || {
        while stopped.recv_timeout(Duration::from_millis(50)).is_err() {
            for client in &mut talkative {
                client.send("NOOP\r\n");
                assert_eq!(client.code(), 250);
            }
        }
    });
    let start = Instant::now();
    // A wait for each of them would take a minute.
    for _ in 0..60 {
        assert_eq!(proxy.connect().codes(2), [421, 0]);
    }
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
    stop.send(()).unwrap();
    talking.join().unwrap();
}
