//! Tables of settings, and what the checks say of them. `tests/tests/check_mta/main.rs` asks a real Postfix.

mod chains;
mod coverage;
mod exposure;
mod global;
mod location;
mod proxies;

use super::*;

const RIGHT: &str = "milter_default_action = tempfail\nsmtpd_forbid_bare_newline = normalize\n";

/// Notes about input without entries of master.cf.
const INCOMPLETE: [&str; 2] = [
    "the input has no entries of master.cf",
    "where smtpd runs with chroot",
];

fn check(addresses: &[&str], sockets: &[&str], text: &str) -> (Vec<Problem>, Vec<String>) {
    let addresses: Vec<String> = addresses
        .iter()
        .map(|address| (*address).to_owned())
        .collect();
    let settings = Settings::parse(text);
    let filter = FilterAddresses::new(&addresses, &settings);
    let is_socket = |path: &Path| sockets.iter().any(|socket| Path::new(socket) == path);
    let check = Check {
        settings: &settings,
        filter: &filter,
        is_socket: &is_socket,
    };
    (check.problems(), check.notes())
}

/// Checks `text` beside a configuration with these listeners.
fn check_with_listeners(listeners: &str, text: &str) -> (Vec<Problem>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mailglot.toml");
    std::fs::write(&file, format!("listen = [{listeners}]\n")).unwrap();
    let settings = Settings::parse(text);
    let filter = FilterAddresses::from_config(&file, &settings)
        .map_err(|failure| failure.message)
        .unwrap();
    let check = Check {
        settings: &settings,
        filter: &filter,
        is_socket: &|_| false,
    };
    (check.problems(), check.notes())
}

/// Texts of problems, and notes but for those about incomplete input. Mail of local programs has the filter unless `text` says otherwise.
fn with(addresses: &[&str], text: &str) -> (Vec<String>, Vec<String>) {
    let local = match addresses.first() {
        _ if !text.contains("smtpd_milters") => String::new(),
        None => "non_smtpd_milters = unix:/run/mailglot/local\n".to_owned(),
        Some(path) if path.contains('/') => {
            format!(
                "non_smtpd_milters = unix:{}\n",
                path.trim_start_matches("unix:")
            )
        }
        Some(place) => {
            let place = place.trim_start_matches("tcp:").trim_start_matches("inet:");
            format!("non_smtpd_milters = inet:{place}\n")
        }
    };
    let (problems, mut notes) = check(addresses, &[], &format!("{local}{text}"));
    notes.retain(|note| !INCOMPLETE.iter().any(|about| note.contains(about)));
    (
        problems.into_iter().map(|problem| problem.text).collect(),
        notes,
    )
}

fn problems(text: &str) -> Vec<String> {
    with(&[], text).0
}
