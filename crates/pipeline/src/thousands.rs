//! Writes counts for people, with commas between their thousands.
//!
//! # Limits
//! Positions have no commas: offsets, numbers of messages in an archive. JSON, log lines and event details have none either.

/// Returns a count with commas between its thousands.
///
/// ```
/// assert_eq!(mailglot_pipeline::with_thousands(41_835), "41,835");
/// ```
pub fn with_thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_commas() {
        for (count, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(with_thousands(count), text);
        }
    }
}
