//! Rejects a daemon that would run as root without `--allow-root`.
//!
//! # Limits
//! Root is user 0. Capabilities of other users are ignored.

use super::supervisor::effective_user;
use crate::exit::Failure;
use mailglot_gateway::config;

/// Fails if the daemon would run as root and this is not `allowed`.
pub(super) fn check(user: Option<&str>, allowed: bool) -> Result<(), Failure> {
    refusal(user, allowed).map_or(Ok(()), |why| Err(Failure::usage(why)))
}

/// Returns the error of a daemon that would stay root; `None` if it may run.
pub(super) fn refusal(user: Option<&str>, allowed: bool) -> Option<String> {
    let stays = user.is_none_or(|name| config::user(name).is_ok_and(|(user, _)| user == 0));
    (!allowed && stays && effective_user() == 0).then(|| {
        "refusing to run as root: set user = \"mailglot\" in the configuration file, start mailglot as another user, or use --allow-root"
            .to_owned()
    })
}
