//! The ways in which mail passes through the gateway and a Postfix.

use super::filter::Program;
use super::free_port;
use super::postfix::{Postfix, Settings};
use super::sink::Offer;
use std::fs;
use std::path::{Path, PathBuf};

/// The position of the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatewayPosition {
    /// Beside the server, as a milter at a Unix socket.
    Milter,
    /// Before its queue (`smtpd_proxy_filter`).
    BeforeQueue,
    /// After its queue, and back into it (`content_filter`).
    AfterQueue,
    /// Between the server and a mail store, over LMTP.
    Lmtp,
}

impl GatewayPosition {
    /// All ways.
    pub const ALL: [Self; 4] = [
        Self::Milter,
        Self::BeforeQueue,
        Self::AfterQueue,
        Self::Lmtp,
    ];
    /// The ways of the proxy.
    pub const PROXIES: [Self; 3] = [Self::BeforeQueue, Self::AfterQueue, Self::Lmtp];

    /// Returns a configuration file for the gateway.
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

/// A server and the gateway, connected in one of the ways.
#[derive(Debug)]
pub struct Chain {
    /// The server, with a sink as next hop.
    pub postfix: Postfix,
    /// The gateway. None while it is down.
    pub gateway: Option<Program>,
    way: GatewayPosition,
    /// Addresses at which the gateway listens and to which it sends.
    listen: String,
    next_hop: String,
    /// Its configuration file. None for the defaults.
    file: Option<PathBuf>,
}

impl Chain {
    /// Starts both.
    ///
    /// # Panics
    /// If one of them does not start.
    pub fn start(way: GatewayPosition) -> Self {
        Self::prepare(way, None)
    }

    /// Starts a proxy before the queue from lines of master.cf, for the smtpd that accepts mail and the one after the proxy.
    ///
    /// The lines name ports 10026 and 10027.
    ///
    /// # Panics
    /// If one of them does not start.
    pub fn of_lines(front: &str, back: &str) -> Self {
        Self::prepare_with(GatewayPosition::BeforeQueue, None, Some((front, back)))
    }

    /// Starts both, the gateway with a policy of these lines (TOML, as in `[policy.NAME]`).
    ///
    /// # Panics
    /// If one of them does not start.
    pub fn with_policy(way: GatewayPosition, policy: &str) -> Self {
        Self::prepare(way, Some(policy))
    }

    fn prepare(way: GatewayPosition, policy: Option<&str>) -> Self {
        Self::prepare_with(way, policy, None)
    }

    fn prepare_with(
        way: GatewayPosition,
        policy: Option<&str>,
        lines: Option<(&str, &str)>,
    ) -> Self {
        let (front, back) = (free_port(), free_port());
        let local = |port: u16| format!("tcp:127.0.0.1:{port}");
        // Mail that returns to the server is neither sent out nor filtered again (FILTER_README of Postfix).
        let back_door = |options: &str| {
            format!(
                "127.0.0.1:{back} inet n - n - 200 smtpd -o smtpd_authorized_xforward_hosts=127.0.0.0/8{options}"
            )
        };
        let mut settings = Settings::default();
        let mut offer = Offer::default();
        match way {
            GatewayPosition::Milter => (),
            GatewayPosition::BeforeQueue if lines.is_some() => {
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
            GatewayPosition::BeforeQueue => {
                settings
                    .smtpd
                    .push(format!("smtpd_proxy_filter=127.0.0.1:{front}"));
                settings.services.push(back_door(" -o smtpd_proxy_filter="));
            }
            GatewayPosition::AfterQueue => {
                settings = settings.with("content_filter", &format!("scan:[127.0.0.1]:{front}"));
                settings.services.push(
                    "scan unix - - n - 10 smtp -o smtp_send_xforward_command=yes -o disable_mime_output_conversion=yes -o smtp_fallback_relay="
                        .to_owned(),
                );
                settings.services.push(back_door(
                    " -o content_filter= -o smtpd_milters= -o receive_override_options=no_unknown_recipient_checks,no_header_body_checks,no_milters",
                ));
            }
            GatewayPosition::Lmtp => {
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
            GatewayPosition::Milter => {
                listen = format!("unix:{}", postfix.socket("milter").display());
                postfix.restart(&settings.milter(&listen));
            }
            GatewayPosition::Lmtp => next_hop = local(postfix.sink.port()),
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

    /// Starts the gateway, if it is down.
    ///
    /// # Panics
    /// If it does not start.
    pub fn bring_up(&mut self) {
        let log = self.log();
        self.gateway
            .get_or_insert_with(|| match (&self.file, self.way) {
                (Some(file), _) => Program::configured(&self.listen, &log, file),
                (None, GatewayPosition::Milter) => Program::milter::<&str>(&self.listen, &log, []),
                (None, GatewayPosition::Lmtp) => {
                    Program::proxy(&self.listen, &self.next_hop, &log, &["--lmtp"])
                }
                (None, _) => Program::proxy(&self.listen, &self.next_hop, &log, &[]),
            });
    }

    /// Returns the gateway's log.
    pub fn told(&self) -> String {
        fs::read_to_string(self.log()).unwrap_or_default()
    }

    fn log(&self) -> PathBuf {
        Path::join(self.postfix.folder(), "gateway.log")
    }
}
