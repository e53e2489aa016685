//! The ways on which mail goes through the gateway beside a Postfix.

use super::filter::Program;
use super::free_port;
use super::postfix::{Postfix, Settings};
use super::sink::Offer;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the gateway stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Beside the server, as a milter at a Unix socket.
    Milter,
    /// Before its queue (`smtpd_proxy_filter`).
    BeforeQueue,
    /// Behind its queue, and back into it (`content_filter`).
    AfterQueue,
    /// Between the server and a mail store, over LMTP.
    Lmtp,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Milter,
        Self::BeforeQueue,
        Self::AfterQueue,
        Self::Lmtp,
    ];
    /// Those of the proxy.
    pub const PROXIES: [Self; 3] = [Self::BeforeQueue, Self::AfterQueue, Self::Lmtp];

    /// A file for the gateway on this way.
    fn configuration(self, listen: &str, next_hop: &str, policy: &str) -> String {
        let keys = match self {
            Self::Milter => "route = \"milter\"\ngroup = \"postfix\"".to_owned(),
            Self::BeforeQueue | Self::AfterQueue => {
                format!("route = \"smtp\"\nnext_hop = \"{next_hop}\"")
            }
            Self::Lmtp => format!("route = \"lmtp\"\nnext_hop = \"{next_hop}\""),
        };
        format!(
            "[[listen]]\naddress = \"{listen}\"\n{keys}\npolicy = \"own\"\n\n[policy.own]\n{policy}\n"
        )
    }
}

/// A server and the gateway, on one of the ways.
#[derive(Debug)]
pub struct Chain {
    /// The server, with a sink behind it.
    pub postfix: Postfix,
    /// The gateway; none while it is down.
    pub gateway: Option<Program>,
    way: Way,
    /// Where the gateway listens, and where it sends to.
    listen: String,
    next_hop: String,
    /// What it is configured with; none where the defaults are meant.
    file: Option<PathBuf>,
}

impl Chain {
    /// Starts both.
    ///
    /// # Panics
    /// When one of them does not start.
    pub fn start(way: Way) -> Self {
        Self::prepare(way, None)
    }

    /// Starts a proxy before the queue as lines of master.cf have it, those of the smtpd that takes mail and of the one behind the proxy, which
    /// stand at ports 10026 and 10027 there.
    ///
    /// # Panics
    /// When one of them does not start.
    pub fn of_lines(front: &str, back: &str) -> Self {
        Self::prepare_with(Way::BeforeQueue, None, Some((front, back)))
    }

    /// Starts both, the gateway with a policy of these lines (TOML, as in `[policy.NAME]`).
    ///
    /// # Panics
    /// When one of them does not start.
    pub fn with_policy(way: Way, policy: &str) -> Self {
        Self::prepare(way, Some(policy))
    }

    fn prepare(way: Way, policy: Option<&str>) -> Self {
        Self::prepare_with(way, policy, None)
    }

    fn prepare_with(way: Way, policy: Option<&str>, lines: Option<(&str, &str)>) -> Self {
        let (front, back) = (free_port(), free_port());
        let local = |port: u16| format!("tcp:127.0.0.1:{port}");
        // What comes back into the server is neither sent out again nor looked at again (FILTER_README of Postfix).
        let back_door = |options: &str| {
            format!(
                "127.0.0.1:{back} inet n - n - 200 smtpd -o smtpd_authorized_xforward_hosts=127.0.0.0/8{options}"
            )
        };
        let mut settings = Settings::default();
        let mut offer = Offer::default();
        match way {
            Way::Milter => (),
            Way::BeforeQueue if lines.is_some() => {
                let (public, inner) = lines.unwrap_or_default();
                let options = public
                    .split(" -o ")
                    .skip(1)
                    .map(|option| option.replace(":10026", &format!(":{front}")));
                settings.smtpd.extend(options);
                settings
                    .services
                    .push(inner.replace(":10027", &format!(":{back}")));
            }
            Way::BeforeQueue => {
                settings
                    .smtpd
                    .push(format!("smtpd_proxy_filter=127.0.0.1:{front}"));
                settings.services.push(back_door(" -o smtpd_proxy_filter="));
            }
            Way::AfterQueue => {
                settings = settings.with("content_filter", &format!("scan:[127.0.0.1]:{front}"));
                settings.services.push(
                    "scan unix - - n - 10 smtp -o smtp_send_xforward_command=yes -o disable_mime_output_conversion=yes"
                        .to_owned(),
                );
                settings.services.push(back_door(
                    " -o content_filter= -o smtpd_milters= -o receive_override_options=no_unknown_recipient_checks,no_header_body_checks,no_milters",
                ));
            }
            Way::Lmtp => {
                offer.lmtp = true;
                let to = format!("lmtp:inet:127.0.0.1:{front}");
                settings = settings
                    .with("relayhost", "")
                    .with("default_transport", &to);
            }
        }
        let mut postfix = Postfix::before(&settings, offer);
        let (mut listen, mut next_hop) = (local(front), local(back));
        match way {
            Way::Milter => {
                listen = format!("unix:{}", postfix.socket("milter").display());
                postfix.restart(&settings.milter(&listen));
            }
            Way::Lmtp => next_hop = local(postfix.sink.port()),
            _ => (),
        }
        let file = policy.map(|policy| {
            let file = postfix.folder().join("mailglot.toml");
            fs::write(&file, way.configuration(&listen, &next_hop, policy))
                .expect("a file of ours");
            file
        });
        let mut chain = Self {
            postfix,
            gateway: None,
            way,
            listen,
            next_hop,
            file,
        };
        chain.bring_up();
        chain
    }

    /// Starts the gateway, where it is down.
    ///
    /// # Panics
    /// When it does not start.
    pub fn bring_up(&mut self) {
        let log = self.log();
        self.gateway
            .get_or_insert_with(|| match (&self.file, self.way) {
                (Some(file), _) => Program::configured(&self.listen, &log, file),
                (None, Way::Milter) => Program::milter::<&str>(&self.listen, &log, []),
                (None, Way::Lmtp) => {
                    Program::proxy(&self.listen, &self.next_hop, &log, &["--lmtp"])
                }
                (None, _) => Program::proxy(&self.listen, &self.next_hop, &log, &[]),
            });
    }

    /// What the gateway said.
    pub fn told(&self) -> String {
        fs::read_to_string(self.log()).unwrap_or_default()
    }

    fn log(&self) -> PathBuf {
        Path::join(self.postfix.folder(), "gateway.log")
    }
}
