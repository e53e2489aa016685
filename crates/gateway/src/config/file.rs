//! Defines the keys of the configuration file and their defaults.

use super::invalid::Invalid;
use crate::address::Address;
use crate::limits::Limits;
use crate::policy::{Signed, TagSigned};
use crate::record::Form;
use serde::{Deserialize, Deserializer, de};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) user: Option<String>,
    pub(super) policy_dir: Option<PathBuf>,
    #[serde(default)]
    pub(super) listen: Vec<Listen>,
    #[serde(default)]
    pub(super) policy: BTreeMap<String, PolicyTable>,
    #[serde(default)]
    pub(super) limits: LimitsTable,
    #[serde(default)]
    pub(super) report: ReportTable,
}

/// The protocol of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouteKind {
    /// A milter of a mail server.
    Milter,
    /// An SMTP proxy before or behind a mail server.
    Smtp,
    /// An LMTP proxy before a mail store.
    Lmtp,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Listen {
    pub(super) route: RouteKind,
    #[serde(deserialize_with = "address")]
    pub(super) address: Address,
    #[serde(default, deserialize_with = "some_address")]
    pub(super) next_hop: Option<Address>,
    pub(super) mode: Option<String>,
    pub(super) group: Option<String>,
    /// True if listener and next hop may be on other machines.
    #[serde(default)]
    pub(super) allow_remote: bool,
    /// Networks of the clients that are served.
    #[serde(default)]
    pub(super) client_networks: Vec<String>,
    #[serde(default = "default_policy")]
    pub(super) policy: String,
    #[serde(default)]
    pub(super) on_error: OnError,
    /// True if no server behind the gateway verifies signatures.
    #[serde(default, rename = "final")]
    pub(super) last: bool,
    /// True if the program that verifies signatures is before the gateway.
    #[serde(default)]
    pub(super) after_verifier: bool,
    /// Mail of the own users.
    #[serde(default)]
    pub(super) outbound: bool,
}

/// What happens to a message after a fault of the gateway.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum OnError {
    #[default]
    Tempfail,
    Accept,
}

/// A named policy. Missing keys have the values of its base.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PolicyTable {
    pub(super) base: Option<String>,
    pub(super) monitor: Option<bool>,
    pub(super) signed: Option<Signed>,
    pub(super) tag_signed: Option<TagSigned>,
    #[serde(default)]
    pub(super) actions: BTreeMap<String, String>,
    pub(super) ledger: Option<String>,
    pub(super) ledger_days: Option<u32>,
    pub(super) ledger_bytes: Option<u64>,
    pub(super) on_loss: Option<LossWay>,
    pub(super) headers: Option<HeaderForm>,
    pub(super) transfer: Option<TransferForm>,
    pub(super) default_charset: Option<String>,
    pub(super) charset_out: Option<CharsetOutWay>,
    pub(super) detect: Option<DetectionWay>,
    pub(super) authserv_id: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LossWay {
    Keep,
    Replace,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum HeaderForm {
    Words,
    RawUtf8,
    Keep,
}

/// The output charset.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) enum CharsetOutWay {
    #[serde(rename = "utf-8")]
    Utf8,
    #[serde(rename = "iso-2022-jp")]
    Iso2022Jp,
}

/// How far charsets are guessed.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DetectionWay {
    Off,
    Unlabelled,
    Contradiction,
    Always,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) enum TransferForm {
    /// As the extensions in the envelope allow.
    #[serde(rename = "auto")]
    Auto,
    #[serde(rename = "7bit")]
    SevenBit,
    #[serde(rename = "8bit")]
    EightBit,
}

/// The limits, with the key names of the documentation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LimitsTable {
    pub(super) connections: usize,
    client_connections: Option<usize>,
    pub(super) message_bytes: u64,
    pub(super) too_large: TooLarge,
    header_bytes: usize,
    field_bytes: usize,
    fields: usize,
    parts: usize,
    depth: usize,
    memory_bytes: u64,
    pub(super) spool_dir: PathBuf,
    spool_bytes: u64,
    disk_reserve: u64,
    message_seconds: u64,
    progress_seconds: u64,
    idle_seconds: u64,
    negotiation_seconds: u64,
    stall_seconds: u64,
    drain_seconds: u64,
}

impl Default for LimitsTable {
    fn default() -> Self {
        let limits = Limits::default();
        let mime = crate::policy::Rules::usual_rewriting().limits;
        Self {
            connections: limits.connections,
            client_connections: limits.client_connections,
            message_bytes: limits.message_bytes,
            too_large: TooLarge::Pass,
            header_bytes: limits.header_bytes,
            field_bytes: mime.field,
            fields: mime.fields,
            parts: mime.parts,
            depth: mime.depth,
            memory_bytes: limits.memory_bytes,
            spool_dir: limits.spool,
            spool_bytes: limits.spool_bytes,
            disk_reserve: limits.disk_reserve,
            message_seconds: limits.work.as_secs(),
            progress_seconds: limits.progress.as_secs(),
            idle_seconds: limits.idle.as_secs(),
            negotiation_seconds: limits.negotiation.as_secs(),
            stall_seconds: limits.stall.as_secs(),
            drain_seconds: limits.drain.as_secs(),
        }
    }
}

/// What happens to a message beyond the limits.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum TooLarge {
    Pass,
    Tempfail,
}

impl LimitsTable {
    /// Returns the limits of a server.
    pub(super) fn limits(&self) -> Result<Limits, Invalid> {
        /// Maximum number of connections with a thread each.
        const MOST: usize = 2_000;
        if self.connections == 0 || self.connections > MOST {
            return Err(Invalid::of_content(format!(
                "limits.connections: must be from 1 to {MOST}"
            )));
        }
        if self.client_connections == Some(0) || self.client_connections > Some(self.connections) {
            return Err(Invalid::of_content(
                "limits.client_connections: must be from 1 to limits.connections".to_owned(),
            ));
        }
        let numbers = [
            ("message_bytes", self.message_bytes),
            ("header_bytes", self.header_bytes as u64),
            ("field_bytes", self.field_bytes as u64),
            ("fields", self.fields as u64),
            ("parts", self.parts as u64),
            ("depth", self.depth as u64),
            ("message_seconds", self.message_seconds),
            ("progress_seconds", self.progress_seconds),
            ("idle_seconds", self.idle_seconds),
            ("negotiation_seconds", self.negotiation_seconds),
            ("stall_seconds", self.stall_seconds),
        ];
        if let Some((key, _)) = numbers.iter().find(|(_, number)| *number == 0) {
            return Err(Invalid::of_content(format!(
                "limits.{key}: must be greater than 0"
            )));
        }
        // Some tables store offsets in 32 bits.
        if self.message_bytes > 2 << 30 {
            return Err(Invalid::of_content(
                "limits.message_bytes: must be at most 2147483648".to_owned(),
            ));
        }
        Ok(Limits {
            connections: self.connections,
            client_connections: self.client_connections,
            message_bytes: self.message_bytes,
            header_bytes: self.header_bytes,
            fields: self.fields,
            idle: Duration::from_secs(self.idle_seconds),
            negotiation: Duration::from_secs(self.negotiation_seconds),
            stall: Duration::from_secs(self.stall_seconds),
            progress: Duration::from_secs(self.progress_seconds),
            work: Duration::from_secs(self.message_seconds),
            drain: Duration::from_secs(self.drain_seconds),
            memory_bytes: self.memory_bytes,
            spool: self.spool_dir.clone(),
            spool_bytes: self.spool_bytes,
            disk_reserve: self.disk_reserve,
            ..Limits::default()
        })
    }

    /// Sets the limits for reading a message.
    pub(super) fn bound(&self, limits: &mut mailglot_mime::Limits) {
        limits.field = self.field_bytes;
        limits.fields = self.fields;
        limits.parts = self.parts;
        limits.depth = self.depth;
    }
}

/// Default name of the field that lists findings.
const FINDINGS: &str = "MIME-Ambiguity-Results";

/// Log, metrics and added fields.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportTable {
    findings_header: Option<String>,
    original_header: Option<String>,
    host: Option<String>,
    #[serde(default)]
    pub(super) log: Form,
    pub(super) metrics: Option<String>,
}

impl ReportTable {
    /// Returns the name of the field that lists findings. An empty key adds no field.
    pub(super) fn findings_header(&self) -> Option<String> {
        let name = self.findings_header.as_deref().unwrap_or(FINDINGS);
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// Returns the name of the field about the original. Without the key no field is added.
    pub(super) fn original_header(&self) -> Option<String> {
        self.original_header.clone().filter(|name| !name.is_empty())
    }

    /// Rejects names that other programs use, because the gateway deletes received fields with its own names.
    pub(super) fn check_names(&self) -> Result<(), Invalid> {
        let names = [
            ("findings_header", &self.findings_header),
            ("original_header", &self.original_header),
        ];
        let findings = self.findings_header.as_deref().unwrap_or(FINDINGS);
        if !findings.is_empty()
            && self
                .original_header
                .as_ref()
                .is_some_and(|name| name.eq_ignore_ascii_case(findings))
        {
            return Err(Invalid::of_content(
                "report.original_header: must differ from report.findings_header".to_owned(),
            ));
        }
        for (key, name) in names {
            let name = name.as_deref().unwrap_or_default();
            if !name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            {
                return Err(Invalid::of_content(format!(
                    "report.{key}: the name of a field has letters, digits and hyphens only"
                )));
            }
            let (start, rest) = name.split_at_checked(2).unwrap_or((name, ""));
            let private = start.eq_ignore_ascii_case("X-") && !rest.is_empty();
            if !(name.is_empty() || private || name.eq_ignore_ascii_case(FINDINGS)) {
                return Err(Invalid::of_content(format!(
                    "report.{key}: mail may have a field `{name}` of its own, and would lose it; `{FINDINGS}` \
                     and names that begin with `X-` can be ours"
                )));
            }
        }
        Ok(())
    }

    /// Returns the name of this gateway; by default that of the machine.
    pub(super) fn host(&self) -> Result<String, Invalid> {
        let host = match &self.host {
            Some(host) => host.clone(),
            None => rustix::system::uname()
                .nodename()
                .to_string_lossy()
                .into_owned(),
        };
        let stands = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        if host.is_empty() || !host.bytes().all(stands) {
            let text = format!("report.host: `{host}` is no name of a host");
            return Err(if self.host.is_some() {
                Invalid::of_content(text)
            } else {
                Invalid::of_system(text)
            });
        }
        Ok(host)
    }
}

fn address<'de, D: Deserializer<'de>>(from: D) -> Result<Address, D::Error> {
    String::deserialize(from)?
        .parse()
        .map_err(de::Error::custom)
}

fn some_address<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Address>, D::Error> {
    address(from).map(Some)
}

fn default_policy() -> String {
    "default".to_owned()
}
