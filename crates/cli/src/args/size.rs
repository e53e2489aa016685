//! Sizes on the command line: `4096`, `64K`, `25M`, `1G`.

/// Parses a number of bytes of at least 1, with a unit of 1024, 1024², 1024³ or 1024⁴ bytes (`K`, `M`, `G`, `T`).
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size such as 4096, 64K, 25M or 1G");
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match &*text[digits.len()..].to_ascii_uppercase() {
        "" | "B" => 0,
        "K" | "KIB" => 10,
        "M" | "MIB" => 20,
        "G" | "GIB" => 30,
        "T" | "TIB" => 40,
        _ => return Err(wrong()),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = is_number
        .then(|| digits.parse().ok())
        .flatten()
        .filter(|number| *number > 0)
        .ok_or_else(wrong)?;
    number.checked_mul(1 << shift).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("1", Some(1)),
            ("4096B", Some(4096)),
            ("64k", Some(65_536)),
            ("25M", Some(25 << 20)),
            ("1GiB", Some(1 << 30)),
            ("2T", Some(2 << 40)),
            ("0", None),
            ("", None),
            ("M", None),
            ("-1", None),
            ("1.5G", None),
            ("1X", None),
            ("1 M", None),
            ("ü", None),
            ("99999999999999999999", None),
            ("99999999T", None),
        ] {
            assert_eq!(size(text).ok(), bytes, "{text}");
        }
    }
}
