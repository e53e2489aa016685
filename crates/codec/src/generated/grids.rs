// Made from data/tables/ by `cargo xtask generate`. Do not edit.
//! The tables of two-byte sets.

/// A table of `data/tables/`.
#[rustfmt::skip]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    /// Big5-2003.
    Big5Of2003,
    /// Big5-HKSCS:2008.
    Big5Hkscs,
    /// Big5-HKSCS:1999.
    Big5HkscsOf1999,
    /// Big5-HKSCS:2001.
    Big5HkscsOf2001,
    /// Big5-HKSCS:2004.
    Big5HkscsOf2004,
    /// CNS 11643, planes 1 to 7 and 15; rows are `plane << 8 | row`.
    Cns11643,
    /// eucJP-ms, EUC-JP with the rows of NEC and IBM and two user-defined areas.
    EucjpMs,
    /// GB/T 12345-90, the traditional forms of GB 2312.
    Gb12345,
    /// IBM1364, Korean with all syllables: code pages 833 and 4930.
    Ibm1364,
    /// IBM1371, traditional Chinese with the euro: code pages 1159 and 9027.
    Ibm1371,
    /// IBM1383, EUC-CN of IBM.
    Ibm1383,
    /// IBM1388, simplified Chinese after GBK and GB 18030: code pages 836 and 4933.
    Ibm1388,
    /// IBM1390, Japanese with the euro: code pages 8482 and 16684.
    Ibm1390,
    /// IBM1399, Japanese with the euro: code pages 5123 and 16684.
    Ibm1399,
    /// IBM33722, EUC-JP of IBM.
    Ibm33722,
    /// IBM930, Japanese: code pages 290 and 300.
    Ibm930,
    /// IBM933, Korean: code pages 833 and 834.
    Ibm933,
    /// IBM935, simplified Chinese: code pages 836 and 837.
    Ibm935,
    /// IBM937, traditional Chinese: code pages 37 and 835.
    Ibm937,
    /// IBM939, Japanese: code pages 1027 and 300.
    Ibm939,
    /// IBM942, Shift_JIS of IBM before 1990, with JIS X 0201.
    Ibm942,
    /// IBM942C, the same with ASCII.
    Ibm942c,
    /// IBM943, Shift_JIS of IBM, with JIS X 0201.
    Ibm943,
    /// IBM943C, the same with ASCII.
    Ibm943c,
    /// IBM949, Korean: KS X 1001 with IBM's and user-defined characters.
    Ibm949,
    /// IBM949C, the same with the backslash.
    Ibm949c,
    /// IBM950, Big5 of IBM.
    Ibm950,
    /// IBM964, EUC-TW of IBM.
    Ibm964,
    /// IBM970, EUC-KR of IBM.
    Ibm970,
    /// ISO-IR-165 (CCITT Chinese, with GB 6345.1 and GB 8565.2).
    Isoir165,
    /// JIS X 0212-1990.
    Jisx0212,
    /// JIS X 0213:2004, planes 1 and 2; rows are `plane << 8 | row`.
    Jisx0213,
    /// KS X 1001:1992 annex 3 (Johab).
    Johab,
    /// x-mac-chinesesimp.
    MacChinesesimp,
    /// x-mac-chinesetrad.
    MacChinesetrad,
    /// windows-950, Big5 of Microsoft.
    Windows950,
}

#[cfg(test)]
#[rustfmt::skip]
impl Set {
    pub(crate) const ALL: &[Self] = &[
        Self::Big5Of2003,
        Self::Big5Hkscs,
        Self::Big5HkscsOf1999,
        Self::Big5HkscsOf2001,
        Self::Big5HkscsOf2004,
        Self::Cns11643,
        Self::EucjpMs,
        Self::Gb12345,
        Self::Ibm1364,
        Self::Ibm1371,
        Self::Ibm1383,
        Self::Ibm1388,
        Self::Ibm1390,
        Self::Ibm1399,
        Self::Ibm33722,
        Self::Ibm930,
        Self::Ibm933,
        Self::Ibm935,
        Self::Ibm937,
        Self::Ibm939,
        Self::Ibm942,
        Self::Ibm942c,
        Self::Ibm943,
        Self::Ibm943c,
        Self::Ibm949,
        Self::Ibm949c,
        Self::Ibm950,
        Self::Ibm964,
        Self::Ibm970,
        Self::Isoir165,
        Self::Jisx0212,
        Self::Jisx0213,
        Self::Johab,
        Self::MacChinesesimp,
        Self::MacChinesetrad,
        Self::Windows950,
    ];
}

/// Number of the tables.
pub(crate) const COUNT: usize = 36;

/// The name of each table and the packed tables it consists of, the lowest first.
#[rustfmt::skip]
pub(crate) static LAYERS: [(&str, &[&[u8]]); COUNT] = [
    ("big5-2003", &[include_bytes!("windows-950.bin"), include_bytes!("big5-2003.bin")]),
    ("big5-hkscs", &[include_bytes!("windows-950.bin"), include_bytes!("big5-hkscs.bin")]),
    ("big5-hkscs-1999", &[include_bytes!("windows-950.bin"), include_bytes!("big5-hkscs.bin"), include_bytes!("big5-hkscs-1999.bin")]),
    ("big5-hkscs-2001", &[include_bytes!("windows-950.bin"), include_bytes!("big5-hkscs.bin"), include_bytes!("big5-hkscs-2001.bin")]),
    ("big5-hkscs-2004", &[include_bytes!("windows-950.bin"), include_bytes!("big5-hkscs.bin"), include_bytes!("big5-hkscs-2004.bin")]),
    ("cns11643", &[include_bytes!("cns11643.bin")]),
    ("eucjp-ms", &[include_bytes!("eucjp-ms.bin")]),
    ("gb12345", &[include_bytes!("gb12345.bin")]),
    ("ibm1364", &[include_bytes!("ibm933.bin"), include_bytes!("ibm1364.bin")]),
    ("ibm1371", &[include_bytes!("ibm937.bin"), include_bytes!("ibm1371.bin")]),
    ("ibm1383", &[include_bytes!("ibm1383.bin")]),
    ("ibm1388", &[include_bytes!("ibm935.bin"), include_bytes!("ibm1388.bin")]),
    ("ibm1390", &[include_bytes!("ibm930.bin"), include_bytes!("ibm1390.bin")]),
    ("ibm1399", &[include_bytes!("ibm930.bin"), include_bytes!("ibm1390.bin"), include_bytes!("ibm1399.bin")]),
    ("ibm33722", &[include_bytes!("eucjp-ms.bin"), include_bytes!("ibm33722.bin")]),
    ("ibm930", &[include_bytes!("ibm930.bin")]),
    ("ibm933", &[include_bytes!("ibm933.bin")]),
    ("ibm935", &[include_bytes!("ibm935.bin")]),
    ("ibm937", &[include_bytes!("ibm937.bin")]),
    ("ibm939", &[include_bytes!("ibm930.bin"), include_bytes!("ibm939.bin")]),
    ("ibm942", &[include_bytes!("ibm943.bin"), include_bytes!("ibm942.bin")]),
    ("ibm942c", &[include_bytes!("ibm943.bin"), include_bytes!("ibm942.bin"), include_bytes!("ibm942c.bin")]),
    ("ibm943", &[include_bytes!("ibm943.bin")]),
    ("ibm943c", &[include_bytes!("ibm943.bin"), include_bytes!("ibm943c.bin")]),
    ("ibm949", &[include_bytes!("ibm949.bin")]),
    ("ibm949c", &[include_bytes!("ibm949.bin"), include_bytes!("ibm949c.bin")]),
    ("ibm950", &[include_bytes!("windows-950.bin"), include_bytes!("ibm950.bin")]),
    ("ibm964", &[include_bytes!("ibm964.bin")]),
    ("ibm970", &[include_bytes!("ibm949.bin"), include_bytes!("ibm970.bin")]),
    ("isoir165", &[include_bytes!("isoir165.bin")]),
    ("jisx0212", &[include_bytes!("jisx0212.bin")]),
    ("jisx0213", &[include_bytes!("jisx0213.bin")]),
    ("johab", &[include_bytes!("johab.bin")]),
    ("mac-chinesesimp", &[include_bytes!("ibm1383.bin"), include_bytes!("mac-chinesesimp.bin")]),
    ("mac-chinesetrad", &[include_bytes!("windows-950.bin"), include_bytes!("mac-chinesetrad.bin")]),
    ("windows-950", &[include_bytes!("windows-950.bin")]),
];

/// Whether the bytes 00-7F of each table are ASCII.
#[rustfmt::skip]
pub(crate) static IS_ASCII: [bool; COUNT] = [
    true,
    true,
    true,
    true,
    true,
    false,
    true,
    false,
    false,
    false,
    true,
    false,
    false,
    false,
    false,
    false,
    false,
    false,
    false,
    false,
    false,
    true,
    false,
    true,
    false,
    true,
    true,
    true,
    true,
    false,
    false,
    false,
    false,
    true,
    true,
    true,
];
