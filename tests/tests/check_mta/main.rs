//! `mailglot check-mta` beside a real Postfix: what it says of settings, and what clients meet with these while the filter is not there.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod debian_settings;

use mailglot_tests::binary;
use mailglot_tests::trial::free_port;
use mailglot_tests::trial::postfix::{Postfix, Settings};
use mailglot_tests::trial::smtp::{Client, Letter};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What a client meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClientResult {
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
struct SettingsCase {
    /// Lines of main.cf: name and value, in which SOCKET is a filter that is not there.
    main: &'static [(&'static str, &'static str)],
    /// Options of the smtpd, as master.cf has them.
    options: &'static str,
    met: ClientResult,
}

const fn row(main: &'static [(&'static str, &'static str)], met: ClientResult) -> SettingsCase {
    SettingsCase {
        main,
        options: "",
        met,
    }
}

const fn service(options: &'static str, met: ClientResult) -> SettingsCase {
    SettingsCase {
        main: &[("smtpd_milters", "SOCKET")],
        options,
        met,
    }
}

const ROWS: &[SettingsCase] = &[
    row(&[("smtpd_milters", "SOCKET")], ClientResult::Deferred),
    row(
        &[
            ("smtpd_milters", "SOCKET"),
            ("milter_default_action", "accept"),
        ],
        ClientResult::Taken,
    ),
    row(
        &[
            ("smtpd_milters", "SOCKET"),
            ("milter_default_action", "ACCEPT"),
        ],
        ClientResult::Taken,
    ),
    row(
        &[
            ("smtpd_milters", "SOCKET"),
            ("milter_default_action", "quarantine"),
        ],
        ClientResult::Taken,
    ),
    row(
        &[
            ("smtpd_milters", "SOCKET"),
            ("milter_default_action", "reject"),
        ],
        ClientResult::Refused,
    ),
    row(
        &[("smtpd_milters", "{ SOCKET, default_action=Reject }")],
        ClientResult::Refused,
    ),
    row(
        &[
            ("act", "accept"),
            ("smtpd_milters", "SOCKET"),
            ("milter_default_action", "$act"),
        ],
        ClientResult::Taken,
    ),
    row(
        &[(
            "smtpd_milters",
            "{ SOCKET, connect_timeout=1s, default_action=accept }",
        )],
        ClientResult::Taken,
    ),
    row(
        &[(
            "smtpd_milters",
            "{ SOCKET connect_timeout=1s default_action=tempfail }",
        )],
        ClientResult::Deferred,
    ),
    row(
        &[("smtpd_milters", "{SOCKET,default_action=Accept}")],
        ClientResult::Taken,
    ),
    row(
        &[(
            "smtpd_milters",
            "{ SOCKET,\n\t{ default_action = accept } }",
        )],
        ClientResult::Taken,
    ),
    row(
        &[("smtpd_milters", "{SOCKET{default_action=accept}}")],
        ClientResult::Deferred,
    ),
    row(
        &[("smtpd_milters", "{ SOCKET, default_action = accept }")],
        ClientResult::Nothing,
    ),
    row(
        &[(
            "smtpd_milters",
            "{ SOCKET, { default_action = tempfail }, protocol=6 }",
        )],
        ClientResult::Deferred,
    ),
    row(
        &[(
            "smtpd_milters",
            "{ SOCKET, default_action=accept, default_action=tempfail }",
        )],
        ClientResult::Deferred,
    ),
    row(
        &[(
            "smtpd_milters",
            "{ SOCKET, default_action=tempfail, default_action=accept }",
        )],
        ClientResult::Taken,
    ),
    // Other milters may be away: the filter is asked all the same.
    row(
        &[
            (
                "smtpd_milters",
                "inet:127.0.0.1:1, { SOCKET, default_action=tempfail }",
            ),
            ("milter_default_action", "accept"),
        ],
        ClientResult::Deferred,
    ),
    row(
        &[
            (
                "smtpd_milters",
                "{ SOCKET, default_action=tempfail }, inet:127.0.0.1:1",
            ),
            ("milter_default_action", "accept"),
        ],
        ClientResult::Deferred,
    ),
    row(
        &[(
            "smtpd_milters",
            "{ inet:127.0.0.1:1, default_action=accept }, { SOCKET, default_action=tempfail }",
        )],
        ClientResult::Deferred,
    ),
    row(
        &[("smtpd_milters", "{ SOCKET, colour=red }")],
        ClientResult::Nothing,
    ),
    row(
        &[("smtpd_milters", "{ SOCKET, {} }")],
        ClientResult::Nothing,
    ),
    row(
        &[("smtpd_milters", "{ SOCKET, default_action=tempfail")],
        ClientResult::Nothing,
    ),
    row(
        &[("own", "SOCKET"), ("smtpd_milters", "$own")],
        ClientResult::Deferred,
    ),
    row(
        &[
            ("own", "{ SOCKET, default_action=accept }"),
            ("smtpd_milters", "${own}"),
        ],
        ClientResult::Taken,
    ),
    row(
        &[
            ("own", "{ SOCKET, default_action=accept }"),
            ("smtpd_milters", "$(own)"),
        ],
        ClientResult::Taken,
    ),
    row(
        &[
            ("act", "accept"),
            ("smtpd_milters", "{ SOCKET, default_action=$act }"),
        ],
        ClientResult::Taken,
    ),
    row(
        &[
            ("act", "x"),
            (
                "smtpd_milters",
                "{ SOCKET, default_action=${act?{accept}:{tempfail}} }",
            ),
        ],
        ClientResult::Taken,
    ),
    row(
        &[
            ("act", ""),
            (
                "smtpd_milters",
                "{ SOCKET, default_action=${act?{accept}:{tempfail}} }",
            ),
        ],
        ClientResult::Deferred,
    ),
    row(
        &[
            ("smtpd_milters", "SOCKET"),
            ("smtpd_milter_maps", "inline:{{127.0.0.1=DISABLE}}"),
        ],
        ClientResult::Taken,
    ),
    service(" -o smtpd_milters=", ClientResult::Taken),
    service(" -o milter_default_action=accept", ClientResult::Taken),
    service(
        " -o { smtpd_milters = { SOCKET, default_action=accept } }",
        ClientResult::Taken,
    ),
    service(
        " -o { smtpd_milters = { SOCKET, default_action=tempfail } }",
        ClientResult::Deferred,
    ),
];

fn meet(port: u16) -> ClientResult {
    let mut client = match Client::connect(port) {
        Ok(client) => client,
        // It may be said at once.
        Err(error) if error.to_string().starts_with('4') => return ClientResult::Deferred,
        Err(error) if error.to_string().starts_with('5') => return ClientResult::Refused,
        Err(_) => return ClientResult::Nothing,
    };
    match client.send(&Letter::new(&b"Subject: x\r\n\r\nx\r\n"[..])) {
        Ok(reply) if reply.is_good() => ClientResult::Taken,
        Ok(reply) if reply.is_temporary() => ClientResult::Deferred,
        Ok(_) => ClientResult::Refused,
        Err(_) => ClientResult::Nothing,
    }
}

/// Whether the settings are called safe, and what is said.
fn check(printed: &str) -> (bool, String) {
    check_with(&[], printed)
}

fn check_with(arguments: &[&str], printed: &str) -> (bool, String) {
    let mut child = Command::new(binary::path())
        .arg("check-mta")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(printed.as_bytes())
        .unwrap();
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
        let mut settings = Settings {
            smtpd: vec!["smtpd_milters=".to_owned()],
            ..Settings::default()
        };
        // Mail of local programs has the filter in each row.
        let local = ("non_smtpd_milters", "{ SOCKET, default_action=tempfail }");
        let mut told = String::new();
        for (name, value) in std::iter::once(&local).chain(row.main) {
            let value = value.replace("SOCKET", &socket);
            told.extend([name, " = ", &value, "\n"]);
            settings = settings.with(name, &value);
        }
        let options = row.options.replace("SOCKET", &socket);
        told.push_str(&options);
        settings
            .services
            .push(format!("127.0.0.1:{port} inet n - n - 20 smtpd{options}"));
        postfix.restart(&settings);
        let mut met = meet(port);
        if met == ClientResult::Nothing && row.met != met {
            // The start waits for the trial's own port only. The other one may still be that of the server before.
            postfix.restart(&settings);
            met = meet(port);
        }
        let mut expect = |is: bool, why: &str| {
            if !is {
                wrong.push(format!("{met:?}, not {:?}, {why}: {told}", row.met));
            }
        };
        expect(met == row.met, "");
        // What the trial's own smtpd says otherwise is no concern of this.
        let own = format!("127.0.0.1:{}/", postfix.port());
        let services = postfix.tool("postconf", &["-Px"]);
        let services: String = services
            .split_inclusive('\n')
            .filter(|line| !line.starts_with(&own))
            .collect();
        let entries = postfix.tool("postconf", &["-Fx"]);
        let entries: String = entries
            .split_inclusive('\n')
            .filter(|line| !line.starts_with(&own))
            .collect();
        let services = entries + &services;
        let (safe, said) = check(&[postfix.tool("postconf", &["-x"]), services.clone()].concat());
        // Who is refused for want of a filter sends nothing again.
        let right = met == ClientResult::Deferred;
        let off = row.options == " -o smtpd_milters=";
        expect(safe == (right || off), &said);
        // Without the server's help either the same is said, or that it cannot be.
        let (plain, said) = check(&[postfix.tool("postconf", &[]), services].concat());
        expect(plain == safe || said.contains("cannot be followed"), &said);
        println!("{met:?}: {told}");
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), postfix.log());
}

/// With a fallback, mail passes a proxy that is stopped. Without it, mail waits.
#[test]
fn a_fallback_relay_passes_a_stopped_proxy() {
    let mut postfix = Postfix::start(&Settings::default());
    let stopped = free_port();
    let fallback = format!("[127.0.0.1]:{}", postfix.sink.port());
    for option in ["", " -o smtp_fallback_relay="] {
        let settings = Settings {
            services: vec![format!("scan unix - - n - 10 smtp{option}")],
            ..Settings::default()
        };
        let settings = settings
            .with("content_filter", &format!("scan:[127.0.0.1]:{stopped}"))
            .with("smtp_fallback_relay", &fallback);
        postfix.restart(&settings);
        let letter = Letter::new(&b"Subject: x\r\n\r\nx\r\n"[..]);
        assert!(postfix.client().send(&letter).unwrap().is_good());
        let passes = option.is_empty();
        let time = Duration::from_secs(if passes { 30 } else { 3 });
        assert_eq!(
            postfix.sink.wait(1, time),
            passes,
            "{option}: {}",
            postfix.log()
        );
        let arguments = ["--address", &format!("127.0.0.1:{stopped}")];
        let fields = ["-x", "-Fx", "-Px"].map(|form| postfix.tool("postconf", &[form]));
        let (_, said) = check_with(&arguments, &fields.concat());
        let words = "scan/unix: smtp_fallback_relay";
        assert_eq!(said.contains(words), passes, "{option}: {said}");
        postfix.sink.take();
    }
}
