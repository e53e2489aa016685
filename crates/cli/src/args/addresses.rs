//! The arguments that name messages, for `cat` and `inspect`.

use clap::Args as Group;
use std::ffi::OsString;

/// Addresses of messages.
#[derive(Debug, Group)]
pub(crate) struct AddressArgs {
    /// Messages, mailboxes or folders, with or without `:N`, `@OFFSET` or `#<ID>`; `-` is standard input.
    #[arg(value_name = "ADDRESS", required_unless_present_any = ["number_in_stdin", "offset_in_stdin", "id_in_stdin"])]
    addresses: Vec<OsString>,
    /// A message of standard input: `-:N` is parsed as an option.
    #[arg(short = ':', value_name = "N", hide = true)]
    number_in_stdin: Vec<u64>,
    /// Like `number_in_stdin`, for `-@OFFSET`.
    #[arg(short = '@', value_name = "OFFSET", hide = true)]
    offset_in_stdin: Vec<u64>,
    /// Like `number_in_stdin`, for `-#<ID>`.
    #[arg(short = '#', value_name = "ID", hide = true)]
    id_in_stdin: Vec<String>,
}

impl AddressArgs {
    /// Returns all addresses.
    pub(crate) fn all(&self) -> Vec<OsString> {
        let numbers = self.number_in_stdin.iter().map(|n| format!("-:{n}"));
        let offsets = self.offset_in_stdin.iter().map(|n| format!("-@{n}"));
        let ids = self.id_in_stdin.iter().map(|id| format!("-#{id}"));
        let of_stdin = numbers.chain(offsets).chain(ids).map(OsString::from);
        self.addresses.iter().cloned().chain(of_stdin).collect()
    }
}
