//! Whether a daemon may run as root.
//!
//! # Limits
//! Root is user 0; capabilities of other users are not looked at.

use super::supervisor::effective_user;
use crate::exit::{Exit, Failure};
use mailglot_gateway::config;

/// Refuses to run as root where nobody asked for that.
pub(super) fn check(user: Option<&str>, allowed: bool) -> Result<(), Failure> {
    refusal(user, allowed).map_or(Ok(()), |why| Err(Failure::new(Exit::Usage, why)))
}

/// Says why a daemon of `user` may not run: it would stay root. None where it may.
pub(super) fn refusal(user: Option<&str>, allowed: bool) -> Option<String> {
    let stays = user.is_none_or(|name| config::user(name).is_ok_and(|(user, _)| user == 0));
    (!allowed && stays && effective_user() == 0).then(|| {
        "root may not run this: name another `user` in the file, start it as another user, or give --allow-root"
            .to_owned()
    })
}
