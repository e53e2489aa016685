//! Parses the OpenMetrics 1.0 text format strictly, for tests: rejects what the specification does not allow.
//!
//! # Limits
//! Rejects exemplars and timestamps, which the gateway does not write.

use std::collections::{BTreeMap, BTreeSet};

/// One family of metrics.
#[derive(Debug, Default)]
pub(super) struct Family {
    /// The type after `# TYPE`.
    pub(super) kind: String,
    /// Suffix, labels as written, value.
    samples: Vec<(String, String, f64)>,
}

impl Family {
    /// Returns the value of the sample with this suffix and these labels.
    pub(super) fn value(&self, suffix: &str, labels: &str) -> Option<f64> {
        let found = self
            .samples
            .iter()
            .find(|(own, with, _)| own == suffix && with == labels);
        found.map(|(.., value)| *value)
    }
}

/// Parses a whole exposition.
pub(super) fn parse(text: &str) -> Result<BTreeMap<String, Family>, String> {
    let body = text.strip_suffix("# EOF\n").ok_or("no # EOF at the end")?;
    let mut families = BTreeMap::<String, Family>::new();
    let mut current = String::new();
    let mut series = BTreeSet::new();
    for line in body.lines() {
        let wrong = |what: &str| Err(format!("{what}: {line}"));
        if let Some(rest) = line.strip_prefix("# ") {
            let mut words = rest.splitn(3, ' ');
            let (Some(keyword), Some(name), Some(value)) =
                (words.next(), words.next(), words.next())
            else {
                return wrong("no metadata");
            };
            if !is_name(name) {
                return wrong("no name");
            }
            if current != name {
                if families.contains_key(name) {
                    return wrong("the family stands in two places");
                }
                families.insert(name.to_owned(), Family::default());
                name.clone_into(&mut current);
            }
            let Some(family) = families.get_mut(name) else {
                return wrong("no family");
            };
            match keyword {
                _ if !family.samples.is_empty() => return wrong("metadata behind samples"),
                "HELP" if !value.is_empty() => (),
                "TYPE" if family.kind.is_empty() => value.clone_into(&mut family.kind),
                "UNIT" if name.ends_with(&format!("_{value}")) => (),
                _ => return wrong("unknown or repeated metadata"),
            }
            continue;
        }
        let Some((left, value)) = line.rsplit_once(' ') else {
            return wrong("no value");
        };
        let Ok(value) = value.parse::<f64>() else {
            return wrong("no number");
        };
        let (name, labels) = match left.split_once('{') {
            Some((name, rest)) => {
                let Some(labels) = rest.strip_suffix('}') else {
                    return wrong("labels do not end");
                };
                (name, labels)
            }
            None => (left, ""),
        };
        if !labels_are_right(labels) {
            return wrong("labels");
        }
        if !series.insert(left.to_owned()) {
            return wrong("the series stands in two places");
        }
        let Some(suffix) = name.strip_prefix(current.as_str()) else {
            return wrong("below another family");
        };
        let Some(family) = families.get_mut(&current) else {
            return wrong("no family");
        };
        let allowed: &[&str] = match family.kind.as_str() {
            "counter" => &["_total", "_created"],
            "gauge" => &[""],
            "info" => &["_info"],
            "histogram" => &["_bucket", "_count", "_sum", "_created"],
            _ => return wrong("unknown type"),
        };
        if !allowed.contains(&suffix)
            || family.kind != "gauge" && !(value.is_finite() && value >= 0.0)
        {
            return wrong("not a sample of this type");
        }
        family
            .samples
            .push((suffix.to_owned(), labels.to_owned(), value));
    }
    for (name, family) in families
        .iter()
        .filter(|(_, family)| family.kind == "histogram")
    {
        check_histogram(name, family)?;
    }
    Ok(families)
}

/// Checks that bucket bounds ascend, counts do not descend, and the last bucket counts everything.
fn check_histogram(name: &str, family: &Family) -> Result<(), String> {
    let mut last = (f64::NEG_INFINITY, 0.0);
    for (_, labels, value) in family
        .samples
        .iter()
        .filter(|(suffix, ..)| suffix == "_bucket")
    {
        let end = labels
            .strip_prefix("le=\"")
            .and_then(|rest| rest.strip_suffix('"'));
        let end: f64 = end
            .and_then(|end| end.parse().ok())
            .ok_or(format!("{name}: {labels}"))?;
        if end <= last.0 || *value < last.1 {
            return Err(format!("{name}: buckets out of order at {labels}"));
        }
        last = (end, *value);
    }
    if last.0.is_finite()
        || family.value("_count", "") != Some(last.1)
        || family.value("_sum", "").is_none()
    {
        return Err(format!(
            "{name}: the last bucket, the count and the sum do not agree"
        ));
    }
    Ok(())
}

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_' || byte == b':')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b':')
}

/// Parses `name="value"` pairs separated by commas. No value of the gateway needs an escape.
fn labels_are_right(labels: &str) -> bool {
    labels.is_empty()
        || labels.split(',').all(|pair| {
            pair.split_once('=').is_some_and(|(name, value)| {
                let inner = value
                    .strip_prefix('"')
                    .and_then(|value| value.strip_suffix('"'));
                is_name(name) && inner.is_some_and(|inner| !inner.contains(['"', '\\']))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn invalid_text_is_rejected() {
        assert!(parse("# EOF\n").is_ok());
        assert!(parse("# TYPE a counter\na_total 1\n# EOF\n").is_ok());
        for text in [
            "",
            "# TYPE a counter\na_total 1\n",
            "# TYPE a counter\na 1\n# EOF\n",
            "# TYPE a counter\na_total -1\n# EOF\n",
            "# TYPE a counter\na_total x\n# EOF\n",
            "# TYPE a counter\na_total 1\na_total 1\n# EOF\n",
            "# TYPE a counter\na_total{b=c} 1\n# EOF\n",
            "# TYPE a counter\na_total 1\n# TYPE b gauge\nb 1\n# TYPE a counter\n# EOF\n",
            "# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_count 1\na_sum 1\n# EOF\n",
            "# TYPE a histogram\na_bucket{le=\"1\"} 1\na_count 1\na_sum 1\n# EOF\n",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
