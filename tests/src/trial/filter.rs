//! Runs a program beside a trial, and ends it with the trial.

use super::wait_for;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Time limit for a program to listen, or to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program that listens. Killed on drop.
#[derive(Debug)]
pub struct Program {
    child: Child,
    address: String,
    log: PathBuf,
}

impl Program {
    /// Starts a command with its output in the file `log`, and waits until `address` (`unix:PATH` or `tcp:HOST:PORT`) accepts
    /// connections.
    ///
    /// # Panics
    /// If it cannot be started, ends, or does not listen in time.
    pub fn start(command: &mut Command, address: &str, log: &Path) -> Self {
        let file = File::options()
            .create(true)
            .append(true)
            .open(log)
            .expect("a file for what it prints");
        let twin = file.try_clone().expect("a second handle");
        command.stdin(Stdio::null()).stdout(file).stderr(twin);
        let child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let mut program = Self {
            child,
            address: address.to_owned(),
            log: log.to_owned(),
        };
        let listens = wait_for(PATIENCE, || program.answers() || program.ended().is_some());
        assert!(
            listens && program.ended().is_none(),
            "{command:?} does not listen:\n{}",
            program.log()
        );
        program
    }

    /// Starts the gateway as a milter at `address`, with these arguments. Postfix can use its socket. It ends with the trial in any
    /// case.
    ///
    /// # Panics
    /// As [`Program::start`].
    pub fn milter<S: AsRef<OsStr>>(
        address: &str,
        log: &Path,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        Self::start(&mut milter_under(&[], address, arguments), address, log)
    }

    /// Starts the gateway as a milter at `address` that keeps originals in `folder`. It ends with the trial in any case.
    ///
    /// # Panics
    /// As [`Program::start`].
    pub fn keeping(address: &str, folder: &Path, log: &Path) -> Self {
        let file = keeping_file(address, folder, log).expect("a configuration");
        let mut command = of_postfix_group();
        command
            .arg(crate::binary::path())
            .args(["milter", "--allow-root", "--config", &file]);
        Self::start(&mut command, address, log)
    }

    /// Starts the gateway as a proxy from `address` to `next_hop`. It ends with the trial in any case.
    ///
    /// # Panics
    /// As [`Program::start`].
    pub fn proxy(address: &str, next_hop: &str, log: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new("setpriv");
        command
            .args(["--pdeathsig", "KILL"])
            .arg(crate::binary::path());
        command
            .args([
                "proxy",
                "--allow-root",
                "--listen",
                address,
                "--next-hop",
                next_hop,
            ])
            .args(arguments);
        Self::start(&mut command, address, log)
    }

    /// Starts the gateway with a configuration file that listens at `address`, among others. It ends with the trial in any case.
    ///
    /// # Panics
    /// As [`Program::start`].
    pub fn configured(address: &str, log: &Path, file: &Path) -> Self {
        let mut command = Command::new("setpriv");
        command
            .args(["--pdeathsig", "KILL"])
            .arg(crate::binary::path())
            .args(["milter", "--allow-root", "--config"])
            .arg(file);
        Self::start(&mut command, address, log)
    }

    /// Returns true if its address accepts connections.
    pub fn answers(&self) -> bool {
        connects(&self.address)
    }

    /// Returns the process ID.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns its exit status if it has ended.
    ///
    /// # Panics
    /// If the system does not report it.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("a child of ours")
    }

    /// Sends a signal by its name.
    ///
    /// # Panics
    /// If kill(1) is not installed.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args(["-s", name, &self.id().to_string()])
            .status();
        assert!(
            sent.is_ok_and(|status| status.success()),
            "kill -s {name} {}",
            self.id()
        );
    }

    /// Ends it with SIGTERM, and returns its exit status.
    ///
    /// # Panics
    /// If it does not end in time.
    pub fn terminate(&mut self, time: Duration) -> ExitStatus {
        self.signal("TERM");
        let mut end = None;
        wait_for(time, || {
            end = self.ended();
            end.is_some()
        });
        end.unwrap_or_else(|| panic!("it does not end:\n{}", self.log()))
    }

    /// Returns its output.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Returns its current memory in bytes, as the sum over its mappings (`smaps_rollup`): exact, while `VmRSS` may lag behind.
    ///
    /// # Panics
    /// If the kernel does not report it.
    pub fn resident(&self) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.id()))
            .expect("mappings of a process");
        let rest = text
            .lines()
            .find_map(|line| line.strip_prefix("Rss:"))
            .expect("Rss");
        let number = rest
            .split_whitespace()
            .next()
            .and_then(|number| number.parse::<u64>().ok());
        number.expect("a number of kB") * 1024
    }

    /// Returns its current memory (`VmRSS`) and its peak (`VmHWM`) in bytes.
    ///
    /// # Panics
    /// If the kernel does not report them.
    pub fn memory(&self) -> (u64, u64) {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id()))
            .expect("the state of a process");
        let line = |name: &str| {
            let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
            rest.split_whitespace().next()?.parse::<u64>().ok()
        };
        let (now, most) = (line("VmRSS:"), line("VmHWM:"));
        (now.expect("VmRSS") * 1024, most.expect("VmHWM") * 1024)
    }
}

/// Returns the command of the gateway as a milter, run by `under` (a program and its arguments, such as prlimit).
///
/// Its group is that of Postfix, so that Postfix's daemons can use its socket.
pub fn milter_under<S: AsRef<OsStr>>(
    under: &[&str],
    address: &str,
    arguments: impl IntoIterator<Item = S>,
) -> Command {
    let mut command = of_postfix_group();
    command
        .args(under)
        .arg(crate::binary::path())
        .args(["milter", "--allow-root", "--listen", address])
        .args(arguments);
    command
}

fn of_postfix_group() -> Command {
    let mut command = Command::new("setpriv");
    let group = super::postfix::owner().1.to_string();
    command.args(["--pdeathsig", "KILL", "--clear-groups", "--regid", &group]);
    command
}

/// Writes a configuration beside `log`, and returns its path: a default milter at `address` that keeps originals in `folder`.
///
/// # Errors
/// The file cannot be written.
pub fn keeping_file(address: &str, folder: &Path, log: &Path) -> io::Result<String> {
    let file = log.with_extension("toml");
    let text = format!(
        "[[listen]]\nroute = \"milter\"\naddress = \"{address}\"\nmode = \"0666\"\npolicy = \"kept\"\n\n\
         [policy.kept]\nbase = \"default\"\nledger = \"{}\"\n",
        folder.display()
    );
    fs::write(&file, text)?;
    Ok(file.display().to_string())
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns true if `unix:PATH` or `tcp:HOST:PORT` accepts connections.
pub fn connects(address: &str) -> bool {
    match address.split_once(':') {
        Some(("unix", path)) => UnixStream::connect(path).is_ok(),
        Some(("tcp", place)) => TcpStream::connect(place).is_ok(),
        _ => false,
    }
}
