//! The arguments that let a daemon accept other machines or run as root.

use clap::Args as Group;
use mailglot_gateway::Network;
use mailglot_gateway::config::OneListener;

/// Who may reach a daemon, and as whom it runs.
#[derive(Clone, Debug, Group)]
pub(crate) struct AccessArgs {
    /// Listen at an address that other machines can reach, or hand mail to another machine. A TCP address needs --client-network too.
    #[arg(long, requires = "listen")]
    pub(crate) allow_remote: bool,
    /// A network whose clients are served, such as 192.0.2.0/24; may be given more than once. Connections from elsewhere are closed.
    #[arg(long, value_name = "NETWORK", requires = "listen")]
    pub(crate) client_network: Vec<Network>,
    /// Run as root, even if no other user is named. By default the program refuses.
    #[arg(long)]
    pub(crate) allow_root: bool,
}

impl AccessArgs {
    /// Adds them to the options of the listener that `--listen` names.
    pub(crate) fn open(&self, listener: &mut OneListener) {
        listener.allow_remote = self.allow_remote;
        listener.client_networks.clone_from(&self.client_network);
    }
}
