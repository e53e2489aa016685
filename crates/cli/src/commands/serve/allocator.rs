//! Gives the memory of a burst back to the system.
//!
//! The allocator of glibc gives buffers above a size mappings of their own. It raises this size, up to 32 MiB, as soon as such a buffer was
//! freed. Buffers below it stay in the process. After 200 messages of 4 MB that came at once, it kept 120 to 210 MiB. With a fixed size of 1
//! MiB, it kept 16 MiB (`cargo nextest run -p mailglot-tests --test milter_memory --no-capture`). The size is read once, when a program starts.
//!
//! # Limits
//! Linux with glibc only. If the program cannot restart itself, it continues without the setting.

/// The variable that fixes the size (mallopt(3)).
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const VARIABLE: &str = "MALLOC_MMAP_THRESHOLD_";

/// Restarts the program in this process (execve) with a fixed size, unless the size is fixed already.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn fix_mapping_size() {
    use std::os::unix::process::CommandExt;
    if std::env::var_os(VARIABLE).is_some() {
        return;
    }
    let mut arguments = std::env::args_os();
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let mut command = std::process::Command::new(program);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    // Returns only if it failed.
    let _ = command.args(arguments).env(VARIABLE, "1048576").exec();
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn fix_mapping_size() {}
