//! Reads named policies, from the file and from the folder of policies.

use super::file::{
    CharsetOutWay, DetectionWay, File, HeaderForm, LossWay, PolicyTable, TransferForm,
};
use super::invalid::Invalid;
use super::ledger::Ledger;
use super::toml_error;
use crate::policy::{Action, Finding, Rules};
use mailglot_codec::{Charset, View};
use mailglot_mime::{CharsetOut, Detection, Headers, OnLoss, Policy, Transfer};
use std::collections::BTreeMap;
use std::fs;

/// A policy with all defaults filled in.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) rules: Rules,
    pub(super) ledger: Option<Ledger>,
}

/// All policies by name, including the built-in ones.
pub(super) type Policies = BTreeMap<String, Named>;

/// Collects all policies.
pub(super) fn read(file: &File) -> Result<Policies, Invalid> {
    let mut tables = file.policy.clone();
    if let Some(folder) = &file.policy_dir {
        for entry in fs::read_dir(folder).map_err(|error| Invalid::unreadable(folder, &error))? {
            let path = entry
                .map_err(|error| Invalid::unreadable(folder, &error))?
                .path();
            if path.extension().is_none_or(|kind| kind != "toml") {
                continue;
            }
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let text =
                fs::read_to_string(&path).map_err(|error| Invalid::unreadable(&path, &error))?;
            let table = toml::from_str(&text).map_err(|error| {
                toml_error::invalid_policy(&text, &error).within(&format!("{}: ", path.display()))
            })?;
            if tables.insert(name.clone(), table).is_some() {
                return Err(Invalid::of_content(format!(
                    "{}: the configuration file has a policy `{name}`, too",
                    path.display()
                )));
            }
        }
    }
    let mut policies = Policies::new();
    for name in ["default", "strict", "monitor"] {
        tables.entry(name.to_owned()).or_default();
    }
    for (name, table) in &tables {
        let at = |error: Invalid| error.within(&format!("policy.{name}."));
        policies.insert(
            name.clone(),
            named(name, table, file.limits.message_bytes).map_err(at)?,
        );
    }
    Ok(policies)
}

fn named(name: &str, table: &PolicyTable, largest: u64) -> Result<Named, Invalid> {
    let base = table.base.as_deref();
    let mut rules = match (Rules::named(name), base) {
        (Some(_), Some(_)) => {
            return Err(Invalid::of_content(
                "base: remove it; a built-in policy has no base".to_owned(),
            ));
        }
        (Some(rules), None) => rules,
        (None, base) => {
            let base = base.unwrap_or("default");
            Rules::named(base).ok_or_else(|| {
                Invalid::of_content(format!(
                    "base: `{base}` is none of default, strict and monitor"
                ))
            })?
        }
    };
    name.clone_into(&mut rules.name);
    rules.monitor = table.monitor.unwrap_or(rules.monitor);
    rules.signed = table.signed.unwrap_or(rules.signed);
    rules.tag_signed = table.tag_signed.unwrap_or(rules.tag_signed);
    for (id, action) in &table.actions {
        let finding = Finding::named(id).ok_or_else(|| {
            let known = listed(Finding::ALL.iter().map(|finding| finding.id()));
            Invalid::of_content(format!("actions: no finding `{id}`; findings are {known}"))
        })?;
        let action = Action::named(action).ok_or_else(|| {
            let known = listed(Action::ALL.iter().map(|action| action.name()));
            Invalid::of_content(format!(
                "actions.{id}: no action `{action}`; actions are {known}"
            ))
        })?;
        if action == Action::Normalize && !finding.can_be_normalized() {
            return Err(Invalid::of_content(format!(
                "actions.{id}: no rewriting corrects this finding; use `tag` instead of `normalize`"
            )));
        }
        rules.set(finding, action);
    }
    rules.authserv_id.clone_from(&table.authserv_id);
    let ledger = Ledger::read(table, largest)?;
    set_rewriting(&mut rules.rewriting, table, ledger.is_some())?;
    Ok(Named { rules, ledger })
}

/// Lists names for an error.
pub(super) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// Sets how messages of a policy are rewritten.
fn set_rewriting(
    rewriting: &mut Policy,
    table: &PolicyTable,
    has_ledger: bool,
) -> Result<(), Invalid> {
    rewriting.on_loss = match (table.on_loss, has_ledger) {
        (Some(LossWay::Replace), false) => {
            return Err(Invalid::of_content(
                "on_loss: `replace` needs a ledger, because the replaced bytes would be lost"
                    .to_owned(),
            ));
        }
        (Some(LossWay::Keep), _) | (None, false) => OnLoss::Keep,
        (Some(LossWay::Replace) | None, true) => OnLoss::Replace,
    };
    match table.headers {
        Some(HeaderForm::Words) | None => rewriting.headers = Headers::Words,
        Some(HeaderForm::RawUtf8) => rewriting.headers = Headers::RawUtf8,
        Some(HeaderForm::Keep) => rewriting.headers = Headers::Keep,
    }
    match table.transfer {
        Some(TransferForm::Auto) | None => rewriting.transfer = Transfer::Clean,
        Some(TransferForm::SevenBit) => rewriting.transfer = Transfer::SevenBit,
        Some(TransferForm::EightBit) => rewriting.transfer = Transfer::EightBit,
    }
    match table.charset_out {
        Some(CharsetOutWay::Iso2022Jp) if rewriting.headers == Headers::RawUtf8 => {
            return Err(Invalid::of_content(
                "charset_out: `iso-2022-jp` excludes raw UTF-8 in header fields (headers = \"raw-utf8\")".to_owned(),
            ));
        }
        Some(CharsetOutWay::Iso2022Jp) => rewriting.charset_out = CharsetOut::Iso2022Jp,
        Some(CharsetOutWay::Utf8) | None => rewriting.charset_out = CharsetOut::Utf8,
    }
    rewriting.detection = match table.detect {
        Some(DetectionWay::Off) => Detection::Off,
        Some(DetectionWay::Unlabelled) => Detection::Unlabelled,
        Some(DetectionWay::Contradiction) | None => Detection::Contradiction,
        Some(DetectionWay::Always) => Detection::Always,
    };
    if let Some(label) = &table.default_charset {
        let charset = Charset::for_label(label.as_bytes(), View::Mail).charset();
        rewriting.default_charset = Some(charset.ok_or_else(|| {
            Invalid::of_content(format!("default_charset: no charset `{label}`"))
        })?);
    }
    Ok(())
}
