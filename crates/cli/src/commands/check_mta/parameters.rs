//! Parameters of Postfix that name a proxy or pipe.

/// Parameters that send all mail of a service to one proxy or pipe.
pub(super) const PROXIES: [&str; 2] = ["content_filter", "smtpd_proxy_filter"];

/// Parameters that name a proxy before a mailbox store or before the next server.
pub(super) const DELIVERIES: [&str; 6] = [
    "mailbox_transport",
    "local_transport",
    "virtual_transport",
    "relay_transport",
    "default_transport",
    "relayhost",
];
