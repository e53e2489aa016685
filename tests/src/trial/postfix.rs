//! Runs a separate Postfix: private configuration and queue in a temporary folder, on the loopback, with a [`Sink`] as next hop.
//!
//! Does not touch the system's Postfix, if there is one. The master runs as a child in the foreground and is ended by its process
//! ID. If the trial itself is killed, the kernel ends the master.

use super::sink::{Offer, Sink};
use super::smtp::Client;
use super::{free_port, wait_for};
use std::fmt::Write as _;
use std::fs::{self, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

const MASTER: &str = "/usr/lib/postfix/sbin/master";

/// File of the master's standard error.
const ERRORS: &str = "errors";

/// Time limit for starting and for ending.
const PATIENCE: Duration = Duration::from_secs(30);

/// Settings of `main.cf` in every trial.
const SETTINGS: &[(&str, &str)] = &[
    ("compatibility_level", "3.6"),
    ("maillog_file_prefixes", "/"),
    ("myhostname", "mx.test.invalid"),
    ("mydestination", ""),
    ("local_recipient_maps", ""),
    ("alias_maps", ""),
    ("alias_database", ""),
    ("inet_interfaces", "127.0.0.1"),
    ("inet_protocols", "ipv4"),
    ("mynetworks", "127.0.0.0/8"),
    ("smtp_dns_support_level", "disabled"),
    ("smtp_host_lookup", "native"),
    ("smtpd_peername_lookup", "no"),
    ("smtpd_recipient_restrictions", "permit_mynetworks, reject"),
    ("smtpd_relay_restrictions", "permit_mynetworks, reject"),
    ("smtpd_client_connection_count_limit", "0"),
    ("smtpd_forbid_bare_newline", "normalize"),
    // Otherwise clients of this machine are excluded.
    ("smtpd_forbid_bare_newline_exclusions", ""),
    ("message_size_limit", "1500000000"),
    ("mailbox_size_limit", "0"),
    ("default_destination_concurrency_limit", "50"),
    ("hopcount_limit", "80"),
    ("header_size_limit", "1024000"),
    ("minimal_backoff_time", "1s"),
    ("maximal_backoff_time", "2s"),
    ("queue_run_delay", "1s"),
    // On a busy machine a delivery agent may be too slow for the queue manager, or end at once. Neither should delay mail by a
    // minute.
    ("transport_retry_time", "1s"),
    ("service_throttle_time", "1s"),
    // The postmaster's mail would arrive as well.
    ("notify_classes", ""),
    ("milter_default_action", "tempfail"),
    ("milter_protocol", "6"),
];

/// Services of `master.cf`, after the listening smtpd.
///
/// On a busy machine the queue manager may miss the notification about a new message. It only checks the queue itself when it is
/// woken, by default every 300 seconds.
const SERVICES: &str = "\
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 5 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - 100 smtp
relay unix - - n - 100 smtp
lmtp unix - - n - 100 lmtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
";

/// Settings of a trial's server.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Lines of `main.cf`: name and value.
    pub main: Vec<(String, String)>,
    /// Options of the listening smtpd, `-o name=value` each.
    pub smtpd: Vec<String>,
    /// More services of `master.cf`, whole lines.
    pub services: Vec<String>,
    /// Mounts the configuration at the system's path for its own processes, because sendmail(1) reads no other there.
    pub as_the_system: bool,
}

impl Settings {
    /// Adds a setting.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.main.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a milter at `address`, in the form of [`Program`](super::filter::Program).
    #[must_use]
    pub fn milter(self, address: &str) -> Self {
        self.with("smtpd_milters", &milter(address))
    }
}

/// Formats an address for Postfix.
pub fn milter(address: &str) -> String {
    address
        .strip_prefix("tcp:")
        .map_or_else(|| address.to_owned(), |place| format!("inet:{place}"))
}

/// A running server.
#[derive(Debug)]
pub struct Postfix {
    folder: tempfile::TempDir,
    port: u16,
    /// The destination of its mail.
    pub sink: Sink,
    master: Option<Child>,
}

impl Postfix {
    /// Starts a server whose mail goes to a [`Sink`] with the default offer.
    ///
    /// # Panics
    /// If Postfix is not installed, the process is not root's, or the server does not start.
    pub fn start(settings: &Settings) -> Self {
        Self::before(settings, Offer::default())
    }

    /// Starts a server whose mail goes to a [`Sink`] with this offer.
    ///
    /// # Panics
    /// As [`Postfix::start`].
    pub fn before(settings: &Settings, offer: Offer) -> Self {
        assert!(
            Path::new(MASTER).exists(),
            "Postfix is not installed; `cargo xtask test` brings it"
        );
        let folder = folder();
        let at = folder.path();
        for name in ["etc", "spool", "data", "sockets"] {
            fs::create_dir(at.join(name)).expect("a folder");
            open(&at.join(name));
        }
        let (user, group) = owner();
        chown(at.join("data"), Some(user), Some(group))
            .expect("Postfix's own folders need root: run the trials as root");
        File::create(at.join("log")).expect("a file for its log");
        let sink = Sink::start(offer);
        let mut postfix = Self {
            folder,
            port: free_port(),
            sink,
            master: None,
        };
        postfix.configure(settings);
        postfix.tool("postfix", &["check"]);
        postfix.begin(settings.as_the_system);
        postfix
    }

    /// Restarts with new settings and the same queue, port and sink.
    ///
    /// # Panics
    /// As [`Postfix::start`].
    pub fn restart(&mut self, settings: &Settings) {
        self.end();
        self.configure(settings);
        self.begin(settings.as_the_system);
    }

    /// Returns the port of its SMTP server.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns its folder, which everybody can list.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns a path for a socket that it can connect to.
    pub fn socket(&self, name: &str) -> PathBuf {
        self.folder.path().join("sockets").join(name)
    }

    /// Connects a client.
    ///
    /// # Panics
    /// If the server does not reply.
    pub fn client(&self) -> Client {
        Client::connect(self.port).unwrap_or_else(|error| panic!("{error}\n{}", self.log()))
    }

    /// Returns the number of messages in each queue, and the end of its log.
    pub fn log(&self) -> String {
        let log = fs::read(self.folder.path().join("log")).unwrap_or_default();
        let text = String::from_utf8_lossy(&log);
        // The end of the log is the most useful.
        let queues = ["maildrop", "incoming", "active", "deferred"];
        let counts = queues
            .map(|name| format!("{name}: {}", self.queued(&[name])))
            .join(", ");
        text.lines()
            .rev()
            .take(60)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .fold(format!("{counts}\n"), |mut all, line| {
                let _ = writeln!(all, "{line}");
                all
            })
    }

    /// Returns the number of files in these queues.
    pub fn queued(&self, queues: &[&str]) -> usize {
        queues
            .iter()
            .map(|name| files(&self.folder.path().join("spool").join(name)))
            .sum()
    }

    /// Waits until everything is delivered.
    pub fn drain(&self, time: Duration) -> bool {
        wait_for(time, || {
            self.queued(&["maildrop", "incoming", "active", "deferred"]) == 0
        })
    }

    /// Runs one of Postfix's tools on this server, and returns its output.
    ///
    /// # Panics
    /// If it fails.
    pub fn tool(&self, name: &str, arguments: &[&str]) -> String {
        let output = Command::new(name)
            .env("MAIL_CONFIG", self.folder.path().join("etc"))
            .arg("-c")
            .arg(self.folder.path().join("etc"))
            .args(arguments)
            .output()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            output.status.success(),
            "{name} {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Submits a message through sendmail(1) with these arguments, as a local program does. Returns success and standard error.
    ///
    /// # Panics
    /// If it cannot be run.
    pub fn submit(&self, arguments: &[&str], message: &[u8]) -> (bool, String) {
        // postdrop(1) only reads the system's configuration. The mount is visible to no other process.
        let mount = "mount --bind \"$0\" /etc/postfix && exec sendmail \"$@\"";
        let mut child = Command::new("unshare")
            .args(["--mount", "sh", "-c", mount])
            .arg(self.folder.path().join("etc"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("unshare can be started");
        // A program that ends early reports the reason.
        let _ = child.stdin.take().expect("a pipe").write_all(message);
        let output = child.wait_with_output().expect("an end");
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    }

    fn configure(&self, settings: &Settings) {
        let at = self.folder.path();
        let mut main = String::new();
        for (name, value) in SETTINGS {
            let _ = writeln!(main, "{name} = {value}");
        }
        for (name, place) in [
            ("queue_directory", "spool"),
            ("data_directory", "data"),
            ("maillog_file", "log"),
        ] {
            let _ = writeln!(main, "{name} = {}", at.join(place).display());
        }
        let _ = writeln!(main, "relayhost = [127.0.0.1]:{}", self.sink.port());
        for (name, value) in &settings.main {
            let _ = writeln!(main, "{name} = {value}");
        }
        let _ = writeln!(
            main,
            "alternate_config_directories = {}",
            at.join("etc").display()
        );
        let mut master = format!("127.0.0.1:{} inet n - n - 200 smtpd", self.port);
        for option in &settings.smtpd {
            let _ = write!(master, " -o {option}");
        }
        master.push('\n');
        master.push_str(SERVICES);
        for line in &settings.services {
            let _ = writeln!(master, "{line}");
        }
        // Postfix's programs wait until a file has not changed for a second or two.
        let old = SystemTime::now() - Duration::from_mins(1);
        for (name, text) in [("etc/main.cf", main), ("etc/master.cf", master)] {
            let mut file = File::create(at.join(name)).expect(name);
            file.write_all(text.as_bytes())
                .and_then(|()| file.set_modified(old))
                .expect(name);
        }
    }

    fn begin(&mut self, as_the_system: bool) {
        let start = Instant::now();
        let mut failed = String::new();
        while start.elapsed() < PATIENCE {
            self.master = Some(self.spawn(as_the_system));
            let mut exit = None;
            let answers = wait_for(PATIENCE, || {
                exit = self.exit();
                exit.is_some() || Client::connect(self.port).is_ok()
            });
            let Some(status) = exit else {
                assert!(answers, "Postfix does not answer:\n{}", self.log());
                return;
            };
            // It may find its port or a lock still taken by processes of the server before.
            let _ = writeln!(failed, "{status}: {}", self.errors());
            thread::sleep(Duration::from_millis(100));
        }
        panic!("Postfix does not start:\n{failed}{}", self.log());
    }

    fn spawn(&self, as_the_system: bool) -> Child {
        let etc = self.folder.path().join("etc");
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "TERM"]);
        if as_the_system {
            // The mount is visible to no other process.
            let mount = "mount --bind \"$0\" /etc/postfix && exec \"$@\"";
            command
                .args(["unshare", "--mount", "sh", "-c", mount])
                .arg(&etc);
        }
        // Its own process group, because the master ends its group when it ends.
        command.args([MASTER, "-c"]).arg(&etc).arg("-d");
        command.env("MAIL_CONFIG", etc).process_group(0);
        let errors = File::create(self.folder.path().join(ERRORS)).expect("a file for its errors");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors);
        command.spawn().expect("setpriv can be started")
    }

    /// Returns the exit status of the master, if it has ended.
    fn exit(&mut self) -> Option<ExitStatus> {
        let master = self.master.as_mut()?;
        master.try_wait().expect("a child of this process")
    }

    /// Returns what the master wrote to standard error. Errors at its start are in no log.
    fn errors(&self) -> String {
        fs::read_to_string(self.folder.path().join(ERRORS)).unwrap_or_default()
    }

    fn end(&mut self) {
        let Some(mut master) = self.master.take() else {
            return;
        };
        let number = master.id().to_string();
        // Without kill(1), the master is killed below.
        let _ = Command::new("kill").args(["-s", "TERM", &number]).status();
        if !wait_for(PATIENCE, || matches!(master.try_wait(), Ok(Some(_)))) {
            let _ = master.kill();
            let _ = master.wait();
        }
    }
}

impl Drop for Postfix {
    fn drop(&mut self) {
        self.end();
    }
}

/// Creates a temporary folder that everybody can list.
///
/// # Panics
/// If it cannot be created.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::Builder::new()
        .prefix("mailglot-trial.")
        .tempdir()
        .expect("a temporary folder");
    open(folder.path());
    folder
}

fn open(folder: &Path) {
    fs::set_permissions(folder, Permissions::from_mode(0o755)).expect("a folder of ours");
}

/// Returns the IDs of the user `postfix` and its group.
///
/// # Panics
/// If there is no such user.
pub fn owner() -> (u32, u32) {
    let users = fs::read_to_string("/etc/passwd").expect("a list of users");
    let line = users
        .lines()
        .find_map(|line| line.strip_prefix("postfix:"))
        .expect("a user called postfix");
    let mut numbers = line
        .split(':')
        .skip(1)
        .map(|number| number.parse().expect("a number"));
    (
        numbers.next().expect("a user's number"),
        numbers.next().expect("a group's number"),
    )
}

/// Counts the files below a folder. Queues may change meanwhile.
fn files(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let count = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => files(&entry.path()),
        Ok(_) => 1,
        Err(_) => 0,
    };
    entries.flatten().map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_server_starts_when_its_port_becomes_free() {
        let mut postfix = Postfix::start(&Settings::default());
        postfix.end();
        // Connections of the old server may hold the port for a moment.
        let bind = |_| {
            thread::sleep(Duration::from_millis(100));
            TcpListener::bind(("127.0.0.1", postfix.port)).ok()
        };
        let taken = (0..100).find_map(bind).expect("a port that becomes free");
        let holder = thread::spawn(move || {
            thread::sleep(Duration::from_secs(1));
            drop(taken);
        });
        postfix.begin(false);
        holder.join().expect("a thread that ends");
        assert!(postfix.errors().is_empty(), "{}", postfix.errors());
        drop(postfix.client());
    }
}
