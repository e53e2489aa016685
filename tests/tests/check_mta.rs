//! `mailglot check-mta` beside a real Postfix: what it says of settings, and what clients meet with these while the filter is not there.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_tests::binary;
use mailglot_tests::trial::free_port;
use mailglot_tests::trial::postfix::{Postfix, Settings};
use mailglot_tests::trial::smtp::{Client, Letter};
use std::io::Write;
use std::process::{Command, Stdio};

/// What a client meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Met {
    /// Its message passes unread.
    Taken,
    /// It is to come back.
    Deferred,
    /// It is refused.
    Refused,
    /// Nobody answers.
    Nothing,
}

/// Settings, and what Postfix 3.7 makes of them.
struct Row {
    /// Lines of main.cf: name and value, in which SOCKET is a filter that is not there.
    main: &'static [(&'static str, &'static str)],
    /// Options of the smtpd, as master.cf has them.
    options: &'static str,
    met: Met,
}

const fn row(main: &'static [(&'static str, &'static str)], met: Met) -> Row {
    Row { main, options: "", met }
}

const fn service(options: &'static str, met: Met) -> Row {
    Row { main: &[("smtpd_milters", "SOCKET")], options, met }
}

const ROWS: &[Row] = &[
    row(&[("smtpd_milters", "SOCKET")], Met::Deferred),
    row(&[("smtpd_milters", "SOCKET"), ("milter_default_action", "accept")], Met::Taken),
    row(&[("smtpd_milters", "SOCKET"), ("milter_default_action", "ACCEPT")], Met::Taken),
    row(&[("smtpd_milters", "SOCKET"), ("milter_default_action", "quarantine")], Met::Taken),
    row(&[("smtpd_milters", "SOCKET"), ("milter_default_action", "reject")], Met::Refused),
    row(&[("smtpd_milters", "{ SOCKET, default_action=Reject }")], Met::Refused),
    row(&[("act", "accept"), ("smtpd_milters", "SOCKET"), ("milter_default_action", "$act")], Met::Taken),
    row(&[("smtpd_milters", "{ SOCKET, connect_timeout=1s, default_action=accept }")], Met::Taken),
    row(&[("smtpd_milters", "{ SOCKET connect_timeout=1s default_action=tempfail }")], Met::Deferred),
    row(&[("smtpd_milters", "{SOCKET,default_action=Accept}")], Met::Taken),
    row(&[("smtpd_milters", "{ SOCKET,\n\t{ default_action = accept } }")], Met::Taken),
    row(&[("smtpd_milters", "{SOCKET{default_action=accept}}")], Met::Deferred),
    row(&[("smtpd_milters", "{ SOCKET, default_action = accept }")], Met::Nothing),
    row(&[("smtpd_milters", "{ SOCKET, { default_action = tempfail }, protocol=6 }")], Met::Deferred),
    row(&[("smtpd_milters", "{ SOCKET, default_action=accept, default_action=tempfail }")], Met::Deferred),
    row(&[("smtpd_milters", "{ SOCKET, default_action=tempfail, default_action=accept }")], Met::Taken),
    row(&[("smtpd_milters", "{ SOCKET, colour=red }")], Met::Nothing),
    row(&[("smtpd_milters", "{ SOCKET, {} }")], Met::Nothing),
    row(&[("smtpd_milters", "{ SOCKET, default_action=tempfail")], Met::Nothing),
    row(&[("own", "SOCKET"), ("smtpd_milters", "$own")], Met::Deferred),
    row(&[("own", "{ SOCKET, default_action=accept }"), ("smtpd_milters", "${own}")], Met::Taken),
    row(&[("own", "{ SOCKET, default_action=accept }"), ("smtpd_milters", "$(own)")], Met::Taken),
    row(&[("act", "accept"), ("smtpd_milters", "{ SOCKET, default_action=$act }")], Met::Taken),
    row(
        &[("act", "x"), ("smtpd_milters", "{ SOCKET, default_action=${act?{accept}:{tempfail}} }")],
        Met::Taken,
    ),
    row(
        &[("act", ""), ("smtpd_milters", "{ SOCKET, default_action=${act?{accept}:{tempfail}} }")],
        Met::Deferred,
    ),
    row(&[("smtpd_milters", "SOCKET"), ("smtpd_milter_maps", "inline:{{127.0.0.1=DISABLE}}")], Met::Taken),
    service(" -o smtpd_milters=", Met::Taken),
    service(" -o milter_default_action=accept", Met::Taken),
    service(" -o { smtpd_milters = { SOCKET, default_action=accept } }", Met::Taken),
    service(" -o { smtpd_milters = { SOCKET, default_action=tempfail } }", Met::Deferred),
];

fn meet(port: u16) -> Met {
    let mut client = match Client::connect(port) {
        Ok(client) => client,
        // It may be said at once.
        Err(error) if error.to_string().starts_with('4') => return Met::Deferred,
        Err(error) if error.to_string().starts_with('5') => return Met::Refused,
        Err(_) => return Met::Nothing,
    };
    match client.send(&Letter::new(&b"Subject: x\r\n\r\nx\r\n"[..])) {
        Ok(reply) if reply.is_good() => Met::Taken,
        Ok(reply) if reply.is_temporary() => Met::Deferred,
        Ok(_) => Met::Refused,
        Err(_) => Met::Nothing,
    }
}

/// Whether the settings are called safe, and what is said.
fn check(printed: &str) -> (bool, String) {
    let mut child = Command::new(binary::path())
        .arg("check-mta")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(printed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    match output.status.code() {
        Some(0) => (true, said),
        Some(1) => (false, said),
        code => panic!("{code:?} {said}"),
    }
}

#[test]
fn what_is_called_safe_passes_nothing_while_the_filter_is_away() {
    let port = free_port();
    let mut postfix = Postfix::start(&Settings::default());
    let socket = format!("unix:{}", postfix.socket("mailglot-none").display());
    let mut wrong = Vec::new();
    for row in ROWS {
        let mut settings = Settings { smtpd: vec!["smtpd_milters=".to_owned()], ..Settings::default() };
        let mut told = String::new();
        for (name, value) in row.main {
            let value = value.replace("SOCKET", &socket);
            told.extend([name, " = ", &value, "\n"]);
            settings = settings.with(name, &value);
        }
        let options = row.options.replace("SOCKET", &socket);
        told.push_str(&options);
        settings.services.push(format!("127.0.0.1:{port} inet n - n - 20 smtpd{options}"));
        postfix.restart(&settings);
        let met = meet(port);
        let mut expect = |is: bool, why: &str| {
            if !is {
                wrong.push(format!("{met:?}, not {:?}, {why}: {told}", row.met));
            }
        };
        expect(met == row.met, "");
        // What the trial's own smtpd says otherwise is no concern of this.
        let own = format!("127.0.0.1:{}/", postfix.port());
        let services = postfix.tool("postconf", &["-Px"]);
        let services: String =
            services.split_inclusive('\n').filter(|line| !line.starts_with(&own)).collect();
        let (safe, said) = check(&[postfix.tool("postconf", &["-x"]), services.clone()].concat());
        // Who is refused for want of a filter sends nothing again.
        let right = met == Met::Deferred;
        let off = row.options == " -o smtpd_milters=";
        expect(safe == (right || off), &said);
        // Without the server's help either the same is said, or that it cannot be.
        let (plain, said) = check(&[postfix.tool("postconf", &[]), services].concat());
        expect(plain == safe || said.contains("cannot be followed"), &said);
        println!("{met:?}: {told}");
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), postfix.log());
}
