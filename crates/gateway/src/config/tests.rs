#![allow(clippy::unwrap_used)]
use super::*;
use crate::policy::{Action, Finding, Signed, TagSigned};
use mailglot_mime::{CharsetOut, Detection, OnLoss};

const MILTER: &str = "listen = [{ route = \"milter\", address = \"unix:/run/a.sock\" }]\n";

fn refused(text: &str) -> String {
    Config::parse(text).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn every_default_stands_where_nothing_is_said() {
    let config = Config::parse(MILTER).unwrap();
    let listener = &config.listeners[0];
    assert_eq!(
        (listener.route, listener.address.to_string()),
        (RouteKind::Milter, "unix:/run/a.sock".to_owned())
    );
    assert_eq!(listener.limits, Limits::default());
    let rules = &listener.engine.rules;
    assert_eq!(rules.name, "default");
    for finding in Finding::ALL {
        assert_eq!(rules.action(finding), finding.usual());
    }
    assert_eq!(rules.rewriting, Rules::usual_rewriting());
    assert_eq!(
        rules.findings_header.as_deref(),
        Some("MIME-Ambiguity-Results")
    );
    assert!(
        !listener.engine.fail_open && !listener.engine.defer_too_large && config.log == Form::Text
    );
    assert_eq!(
        (&config.user, config.metrics, &listener.ledger),
        (&None, None, &None)
    );
}

#[test]
fn what_is_said_arrives() {
    let text = r#"
user = "mailglot"
listen = [
  { route = "milter", address = "unix:/run/a.sock", mode = "0600", group = "0", policy = "own", on_error = "accept" },
  { route = "smtp", address = "tcp:127.0.0.1:10026", next_hop = "tcp:127.0.0.1:10027", policy = "strict" },
  { route = "lmtp", address = "tcp:127.0.0.1:24", next_hop = "unix:/run/store", policy = "last", after_verifier = true },
]
[policy.own]
base = "strict"
ledger = "/var/lib/mailglot/ledger"
ledger_days = 7
ledger_bytes = 1048576
actions = { bidi-control = "quarantine", message-partial = "tag" }
[policy.last]
signed = "rewrite-after-verify"
authserv_id = "mx.example.org"
monitor = true
[limits]
message_bytes = 1000
too_large = "tempfail"
message_seconds = 7
connections = 3
depth = 9
[report]
findings_header = ""
host = "gw.example"
log = "json"
metrics = "127.0.0.1:9180"
"#;
    let config = Config::parse(text).unwrap();
    assert_eq!(
        (config.user.as_deref(), config.log),
        (Some("mailglot"), Form::Json)
    );
    assert_eq!(config.metrics.unwrap().port(), 9180);
    let [own, strict, last] = &config.listeners[..] else {
        panic!()
    };
    assert_eq!(own.limits.socket_mode, 0o600);
    assert_eq!(own.limits.socket_group, Some(0));
    assert_eq!(
        (
            own.limits.message_bytes,
            own.limits.work.as_secs(),
            own.limits.connections
        ),
        (1000, 7, 3)
    );
    assert!(own.engine.fail_open && own.engine.defer_too_large && !strict.engine.fail_open);
    let ledger = own.ledger.as_ref().unwrap();
    assert_eq!(
        (ledger.age.unwrap().as_secs(), ledger.bytes),
        (7 * 86_400, Some(1 << 20))
    );
    let rules = &own.engine.rules;
    assert_eq!(rules.rewriting.on_loss, OnLoss::Replace);
    assert_eq!(rules.rewriting.limits.depth, 9);
    assert_eq!(rules.action(Finding::BidiControl), Action::Quarantine);
    assert_eq!(rules.action(Finding::MessagePartial), Action::Tag);
    assert_eq!(rules.action(Finding::DuplicateHeader), Action::Reject);
    assert_eq!(
        (&rules.findings_header, rules.host.as_str()),
        (&None, "gw.example")
    );
    assert_eq!(strict.engine.rules.rewriting.on_loss, OnLoss::Keep);
    assert!(last.engine.rules.monitor && !last.engine.rules.strips_results);
    assert_eq!(last.engine.rules.signed, Signed::RewriteAfterVerify);
}

#[test]
fn what_cannot_work_is_refused_with_its_place() {
    let with = |more: &str| format!("{MILTER}{more}");
    let listen = |keys: &str| format!("listen = [{{ address = \"tcp:127.0.0.1:1\", {keys} }}]");
    let unix =
        |keys: &str| format!("listen = [{{ route = \"milter\", address = \"unix:/a\", {keys} }}]");
    for (text, word) in [
        (String::new(), "at least one listener"),
        ("listen = 1".to_owned(), "listen"),
        (with("colour = 1"), "colour"),
        (with("[limits]\nmessages = 1"), "messages"),
        (with("[limits]\nmessage_bytes = 0"), "message_bytes"),
        (with("[limits]\nmessage_bytes = 99999999999"), "message_bytes"),
        (with("[limits]\nconnections = 2001"), "connections"),
        (with("[report]\nlog = \"xml\""), "xml"),
        (with("[report]\nmetrics = \"0.0.0.0:1\""), "loopback"),
        (with("[report]\nmetrics = \"here\""), "metrics"),
        (with("[report]\nfindings_header = \"A: b\""), "findings_header"),
        (with("[report]\nhost = \"a b\""), "host"),
        (with("[policy.default]\nbase = \"strict\""), "policy.default.base"),
        (with("[policy.own]\nbase = \"loose\""), "loose"),
        (with("[policy.own]\nactions = { no-such = \"pass\" }"), "no-such"),
        (with("[policy.own]\nactions = { bare-lf = \"drop\" }"), "drop"),
        (with("[policy.own]\nledger_days = 1"), "ledger"),
        (with("[policy.own]\non_loss = \"replace\""), "on_loss"),
        (with("[policy.own]\ndefault_charset = \"klingon\""), "klingon"),
        (with("[policy.own]\ncharset_out = \"koi8-r\""), "koi8-r"),
        (with("[policy.own]\ndetect = \"sometimes\""), "sometimes"),
        (with("[policy.own]\ncharset_out = \"iso-2022-jp\"\nheaders = \"raw-utf8\""), "charset_out"),
        (
            listen("route = \"lmtp\", next_hop = \"tcp:127.0.0.1:1\", policy = \"own\"")
                + "\n[policy.own]\nsigned = \"rewrite-after-verify\"\nauthserv_id = \"a\"",
            "after_verifier",
        ),
        (
            "listen = [{ route = \"milter\", address = \"tcp:127.0.0.1:1\", policy = \"a\" }, \
             { route = \"milter\", address = \"tcp:127.0.0.1:2\", policy = \"b\" }]\n\
             [policy.a]\nledger = \"/l\"\n[policy.b]\nledger = \"/l\"\nledger_days = 1"
                .to_owned(),
            "different limits",
        ),
        (with("[policy.own]\nledger = \"\""), "ledger: name a folder"),
        (listen("route = \"milter\", outbound = true, after_verifier = true, final = true"), "outbound"),
        (listen("route = \"milter\", mode = \"0600\""), "Unix socket"),
        (listen("route = \"milter\", group = \"0\""), "Unix socket"),
        (listen("route = \"pop\""), "pop"),
        (listen("route = \"smtp\""), "next_hop"),
        (listen("route = \"smtp\", next_hop = \"tcp:127.0.0.1:1\""), "come back"),
        (listen("route = \"smtp\", next_hop = \"tcp:0.0.0.0:1\""), "come back"),
        (
            "listen = [{ route = \"smtp\", address = \"tcp:0.0.0.0:1\", next_hop = \"tcp:127.0.0.1:2\", \
             allow_remote = true, client_networks = [\"192.0.2.0/24\"] },\n\
             { route = \"lmtp\", address = \"tcp:127.0.0.1:2\", next_hop = \"unix:/run/a\" },\n\
             { route = \"smtp\", address = \"unix:/run/a\", next_hop = \"tcp:[::ffff:127.0.0.1]:1\" }]"
                .to_owned(),
            "listen tcp:0.0.0.0:1: next_hop: mail would come back here, by tcp:127.0.0.1:2, unix:/run/a",
        ),
        (
            // From the first it goes into a circle of the others.
            "listen = [{ route = \"smtp\", address = \"tcp:127.0.0.1:9\", next_hop = \"tcp:127.0.0.1:2\" },\n\
             { route = \"smtp\", address = \"tcp:127.0.0.1:2\", next_hop = \"tcp:127.0.0.1:3\" },\n\
             { route = \"smtp\", address = \"tcp:127.0.0.1:3\", next_hop = \"tcp:127.0.0.1:2\" }]"
                .to_owned(),
            "listen tcp:127.0.0.1:2: next_hop: mail would come back here, by tcp:127.0.0.1:3",
        ),
        (listen("route = \"milter\", next_hop = \"tcp:127.0.0.1:2\""), "next_hop"),
        (listen("route = \"milter\", policy = \"none\""), "no policy `none`; policies are default, monitor, strict"),
        (unix("mode = \"999\""), "octal number"),
        (unix("group = \"no such group\""), "no group"),
        (listen("route = \"milter\", on_error = \"drop\""), "drop"),
        ("listen = [{ route = \"milter\", address = \"/run/a\" }]".to_owned(), "unix:PATH"),
        (
            "listen = [{ route = \"milter\", address = \"tcp:127.0.0.1:1\" }, { route = \"milter\", address = \"tcp:127.0.0.1:1\" }]".to_owned(),
            "two listeners have this address",
        ),
        (
            listen("route = \"smtp\", next_hop = \"tcp:127.0.0.1:1\", policy = \"own\"")
                + "\n[policy.own]\nactions = { bare-lf = \"quarantine\" }",
            "quarantine",
        ),
        (
            listen("route = \"milter\", policy = \"own\"") + "\n[policy.own]\nsigned = \"rewrite-after-verify\"",
            "final",
        ),
        (
            listen("route = \"milter\", final = true, after_verifier = true, policy = \"own\"")
                + "\n[policy.own]\nsigned = \"rewrite-after-verify\"",
            "authserv_id",
        ),
    ] {
        let said = refused(&text);
        assert!(said.contains(word), "`{word}` not in `{said}` of\n{text}");
    }
}

#[test]
fn fields_of_reports_have_names_of_our_own() {
    let with = |key: &str, name: &str| format!("{MILTER}[report]\n{key} = \"{name}\"");
    // RFC 5322 3.6, RFC 2045, RFC 6376 3.5, RFC 8601, RFC 8617 4, RFC 2369, RFC 8058, RFC 3834, RFC 8098.
    let others = "Subject From to CC Bcc Date Sender Reply-To Message-ID In-Reply-To References Comments Keywords \
        Resent-From Resent-Date Return-Path Received MIME-Version Content-Type content-transfer-encoding Content-ID \
        Content-Disposition DKIM-Signature Authentication-Results ARC-Seal ARC-Message-Signature \
        ARC-Authentication-Results Received-SPF List-Id List-Unsubscribe-Post Delivered-To Auto-Submitted Precedence \
        Disposition-Notification-To MIME-Ambiguity MIME-Ambiguity-Results-2 X X- - Xantippe";
    for key in ["findings_header", "original_header"] {
        for name in others.split_ascii_whitespace() {
            let said = refused(&with(key, name));
            assert!(
                said.starts_with(&format!("report.{key}: mail may have a field `{name}`")),
                "{said}"
            );
        }
        for name in [
            "",
            "MIME-Ambiguity-Results",
            "mime-ambiguity-results",
            "X-Mailglot-Original",
            "x-o",
        ] {
            // The other one has its usual name, or none.
            let none = if key == "original_header" {
                "\nfindings_header = \"\""
            } else {
                ""
            };
            Config::parse(&(with(key, name) + none)).unwrap();
        }
    }
}

/// Where there is a ledger, bytes of no text may be lost from what is delivered.
#[test]
fn a_ledger_holds_what_it_is_for() {
    let with = |keys: &str, limit: u64| {
        format!("{MILTER}[policy.own]\nledger = \"/l\"\n{keys}\n[limits]\nmessage_bytes = {limit}")
    };
    let usual = Limits::default().message_bytes;
    for (keys, limit, word) in [
        (
            "ledger_days = 0",
            usual,
            "policy.own.ledger_days: must be at least 1",
        ),
        (
            "ledger_days = 0\non_loss = \"replace\"",
            usual,
            "ledger_days",
        ),
        ("ledger_bytes = 0", usual, "at least 134217728 ("),
        (
            "ledger_bytes = 134217727",
            usual,
            "ledger_bytes: 134217727 may be too small for one message",
        ),
        ("ledger_bytes = 1048575", 7, "at least 1048576 ("),
        (
            "ledger_bytes = 4294967295",
            2 << 30,
            "at least 4294967296 (",
        ),
    ] {
        let said = refused(&with(keys, limit));
        assert!(said.contains(word), "`{word}` not in `{said}`");
    }
    for (keys, limit) in [
        ("", usual),
        ("ledger_days = 1", usual),
        ("ledger_bytes = 134217728", usual),
        ("ledger_bytes = 1048576", 7),
        ("ledger_bytes = 4294967296", 2 << 30),
    ] {
        Config::parse(&with(keys, limit)).unwrap();
    }
}

#[test]
fn policies_of_a_folder_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "own.toml",
        "base = \"monitor\"\nactions = { bare-lf = \"reject\" }",
    );
    write("notes.txt", "no policy");
    let text = format!(
        "policy_dir = \"{}\"\nlisten = [{{ route = \"milter\", address = \"tcp:127.0.0.1:1\", policy = \"own\" }}]",
        folder.path().display()
    );
    let config = Config::parse(&text).unwrap();
    let rules = &config.listeners[0].engine.rules;
    assert_eq!((rules.name.as_str(), rules.monitor), ("own", true));
    assert_eq!(rules.action(Finding::BareLf), Action::Reject);
    write("bad.toml", "nonsense = 1");
    assert!(refused(&text).contains("bad.toml"));
    let path = folder.path().join("file");
    fs::write(&path, MILTER).unwrap();
    assert_eq!(Config::read(&path).unwrap().listeners.len(), 1);
    assert!(
        Config::read(&folder.path().join("none"))
            .unwrap_err()
            .to_string()
            .contains("none")
    );
}

#[test]
fn sockets_have_one_path_each_and_none_too_long() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display().to_string();
    std::os::unix::fs::symlink(&at, folder.path().join("link")).unwrap();
    let two = |one: &str, other: &str| {
        format!(
            "listen = [{{ route = \"milter\", address = \"unix:{at}/{one}\" }}, {{ route = \"milter\", address = \"unix:{at}/{other}\" }}]"
        )
    };
    for (one, other) in [
        ("s", "./s"),
        ("s", "a/../s"),
        ("s", "/s"),
        ("s", "link/s"),
        ("s", "link/link/../s"),
    ] {
        // `..` behind a link leads to where that points.
        let same = other != "link/link/../s";
        let said = Config::parse(&two(one, other))
            .map(|_| ())
            .map_err(|error| error.to_string());
        assert_eq!(
            said.is_err_and(|said| said.contains("two listeners have this address")),
            same,
            "{one} {other}"
        );
    }
    let of_length = |length: usize| {
        format!(
            "listen = [{{ route = \"milter\", address = \"unix:/{}\" }}]",
            "a".repeat(length - 1)
        )
    };
    Config::parse(&of_length(107)).unwrap();
    let said = refused(&of_length(108));
    assert!(
        said.contains("108 bytes") && said.contains("at most 107"),
        "{said}"
    );
}

#[test]
fn two_fields_of_ours_have_two_names() {
    let names = |findings: &str, original: &str| {
        format!(
            "{MILTER}[report]\nfindings_header = \"{findings}\"\noriginal_header = \"{original}\""
        )
    };
    for (findings, original) in [
        ("X-A", "X-A"),
        ("X-A", "x-a"),
        ("MIME-Ambiguity-Results", "mime-ambiguity-results"),
    ] {
        assert!(
            refused(&names(findings, original)).contains("must differ from report.findings_header"),
            "{findings} {original}"
        );
    }
    assert!(
        refused(&format!(
            "{MILTER}[report]\noriginal_header = \"MIME-Ambiguity-Results\""
        ))
        .contains("must differ from report.findings_header")
    );
    for (findings, original) in [("X-A", "X-B"), ("", ""), ("X-A", ""), ("", "X-A")] {
        Config::parse(&names(findings, original)).unwrap();
    }
}

#[test]
fn users_have_numbers() {
    assert_eq!(user("root").unwrap(), (0, 0));
    assert!(user("no such user").is_err());
}

#[test]
fn each_policy_has_its_charset() {
    let text = "listen = [{ route = \"milter\", address = \"tcp:127.0.0.1:1\", policy = \"docomo\" }, \
        { route = \"lmtp\", address = \"tcp:127.0.0.1:2\", next_hop = \"tcp:127.0.0.1:3\" }]\n\
        [policy.docomo]\ncharset_out = \"iso-2022-jp\"\n[policy.default]\ncharset_out = \"utf-8\"";
    let config = Config::parse(text).unwrap();
    let charsets: Vec<CharsetOut> = config
        .listeners
        .iter()
        .map(|listener| listener.engine.rules.rewriting.charset_out)
        .collect();
    assert_eq!(charsets, [CharsetOut::Iso2022Jp, CharsetOut::Utf8]);
}

#[test]
fn each_policy_has_its_detection() {
    let text = "listen = [{ route = \"milter\", address = \"tcp:127.0.0.1:1\", policy = \"a\" }, \
        { route = \"milter\", address = \"tcp:127.0.0.1:2\", policy = \"b\" }, \
        { route = \"milter\", address = \"tcp:127.0.0.1:3\", policy = \"c\" }, { route = \"milter\", address = \"tcp:127.0.0.1:4\" }, \
        { route = \"milter\", address = \"tcp:127.0.0.1:5\", policy = \"d\" }]\n\
        [policy.a]\ndetect = \"off\"\n[policy.b]\ndetect = \"unlabelled\"\n[policy.c]\ndetect = \"contradiction\"\n\
        [policy.d]\ndetect = \"always\"";
    let config = Config::parse(text).unwrap();
    let detections: Vec<Detection> = config
        .listeners
        .iter()
        .map(|listener| listener.engine.rules.rewriting.detection)
        .collect();
    let (off, unlabelled, usual) = (
        Detection::Off,
        Detection::Unlabelled,
        Detection::Contradiction,
    );
    assert_eq!(
        detections,
        [off, unlabelled, usual, usual, Detection::Always]
    );
    // Right bytes contradict a wrong label: Cyrillic letters would stand within Latin words.
    let raw = b"Content-Type: text/plain; charset=koi8-r\n\nf\xFCr Frau M\xFCller\n";
    for (listener, text) in config.listeners.iter().zip([
        "fЭr Frau MЭller\n",
        "fЭr Frau MЭller\n",
        "für Frau Müller\n",
        "für Frau Müller\n",
        "für Frau Müller\n",
    ]) {
        let outcome = mailglot_mime::process(raw, &listener.engine.rules.rewriting);
        assert!(outcome.bytes.ends_with(text.as_bytes()), "{text}");
    }
}

/// The sample that the package installs reports only, keeps originals, and writes for journald.
#[test]
fn the_sample_begins_with_the_policy_monitor() {
    let Some(text) = crate::repository_file::read("packaging/mailglot.toml") else {
        return;
    };
    let config = Config::parse(&text).unwrap();
    assert_eq!(
        (config.log, config.metrics.is_some()),
        (Form::Journald, true)
    );
    for listener in &config.listeners {
        let rules = &listener.engine.rules;
        assert!(
            rules.monitor && listener.ledger.is_some(),
            "{}",
            listener.address
        );
        assert_eq!(
            (rules.signed, rules.tag_signed),
            (Signed::Pass, TagSigned::Ambiguous)
        );
    }
    // What stands behind `#` is the default, or an example: each works.
    for key in ["tag_signed = ", "detect = ", "actions = "] {
        let text = text.replace(&format!("# {key}"), key);
        Config::parse(&text).unwrap();
        assert!(text.lines().any(|line| line.starts_with(key)), "{key}");
    }
}

#[test]
fn forms_of_the_log_and_tags_have_names() {
    for (name, form) in [
        ("logfmt", Form::Text),
        ("text", Form::Text),
        ("json", Form::Json),
        ("journald", Form::Journald),
    ] {
        let text = format!(
            "listen = [{{ route = \"milter\", address = \"tcp:127.0.0.1:1\" }}]\n[report]\nlog = \"{name}\"\n"
        );
        assert_eq!(Config::parse(&text).unwrap().log, form);
    }
    for (name, tags) in [
        ("never", TagSigned::Never),
        ("ambiguous", TagSigned::Ambiguous),
        ("always", TagSigned::Always),
    ] {
        let text = format!(
            "listen = [{{ route = \"milter\", address = \"tcp:127.0.0.1:1\" }}]\n[policy.default]\ntag_signed = \"{name}\"\n"
        );
        assert_eq!(
            Config::parse(&text).unwrap().listeners[0]
                .engine
                .rules
                .tag_signed,
            tags
        );
    }
    assert!(Config::parse("[policy.default]\ntag_signed = \"often\"\n").is_err());
}

/// A dry run takes nothing from a message and adds nothing to it, whatever the file says.
#[test]
fn a_dry_run_has_no_effect_of_its_own() {
    let mut config = Config::parse(
        "listen = [{ route = \"milter\", address = \"tcp:127.0.0.1:1\", policy = \"strict\" }]\n\
         [limits]\ntoo_large = \"tempfail\"\n[policy.strict]\nauthserv_id = \"mx.example.org\"\n\
         [report]\noriginal_header = \"X-Original\"\n",
    )
    .unwrap();
    config.dry_run();
    let engine = &config.listeners[0].engine;
    let rules = &engine.rules;
    assert!(rules.monitor && engine.fail_open && !engine.defer_too_large && !rules.strips_results);
    assert_eq!(
        (&rules.findings_header, &rules.original_header),
        (&None, &None)
    );
    assert_eq!(rules.name, "strict");
}

/// `normalize` is refused for a finding that no rewriting corrects. Otherwise it would act as `tag`.
#[test]
fn normalize_needs_a_finding_that_can_be_corrected() {
    for finding in Finding::ALL {
        for &action in Action::ALL {
            let (id, name) = (finding.id(), action.name());
            let text = format!("{MILTER}[policy.own]\nactions = {{ {id} = \"{name}\" }}\n");
            if action == Action::Normalize && !finding.can_be_normalized() {
                let want = format!("policy.own.actions.{id}: no rewriting corrects this finding");
                assert!(refused(&text).starts_with(&want), "{id}");
            } else {
                Config::parse(&text).unwrap();
            }
        }
    }
    assert!(!Finding::UndeclaredEscape.can_be_normalized());
    assert!(!Finding::Utf7Lookalike.can_be_normalized());
}
