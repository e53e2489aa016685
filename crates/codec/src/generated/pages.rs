// Made from data/charsets.tsv, data/tables/pages.tsv and data/tables/web/pages.tsv by `cargo xtask generate`. Do not edit.
//! Single-byte tables.

/// A packed character (`mailglot_kernel::Packed`) for each byte of each page.
pub(crate) static CELLS: &[u8; 220 * 0x400] = include_bytes!("pages.bin");
/// The number of pages in which the bytes below 80 are ASCII.
pub(crate) const ASCII_PAGES: u16 = 84;
/// The bytes 80 to FF of WHATWG's encodings: two bytes a cell, little-endian, FFFF for none.
pub(crate) static WEB_CODES: &[u8; Web::COUNT * 0x100] = include_bytes!("web-pages.bin");

pub(crate) const IBM437: u16 = 0;
pub(crate) const IBM850: u16 = 1;
pub(crate) const IBM852: u16 = 2;
pub(crate) const IBM00858: u16 = 3;
pub(crate) const ECMA_CYRILLIC: u16 = 4;
pub(crate) const IEC_P27_1: u16 = 5;
pub(crate) const GOST_19768_74: u16 = 6;
pub(crate) const ISO_10367_BOX: u16 = 7;
pub(crate) const KZ_1048: u16 = 8;
pub(crate) const HP_ROMAN8: u16 = 9;
pub(crate) const DEC_MCS: u16 = 10;
pub(crate) const IBM862: u16 = 11;
pub(crate) const IBM851: u16 = 12;
pub(crate) const IBM855: u16 = 13;
pub(crate) const IBM857: u16 = 14;
pub(crate) const IBM860: u16 = 15;
pub(crate) const IBM861: u16 = 16;
pub(crate) const IBM863: u16 = 17;
pub(crate) const IBM865: u16 = 18;
pub(crate) const IBM868: u16 = 19;
pub(crate) const IBM869: u16 = 20;
pub(crate) const IBM891: u16 = 21;
pub(crate) const IBM903: u16 = 22;
pub(crate) const IBM904: u16 = 23;
pub(crate) const IBM775: u16 = 24;
pub(crate) const PTCP154: u16 = 25;
pub(crate) const X_MAC_CE: u16 = 26;
pub(crate) const X_MAC_GREEK: u16 = 27;
pub(crate) const X_MAC_TURKISH: u16 = 28;
pub(crate) const X_MAC_ICELANDIC: u16 = 29;
pub(crate) const X_MAC_CROATIAN: u16 = 30;
pub(crate) const X_MAC_ROMANIAN: u16 = 31;
pub(crate) const X_MAC_HEBREW: u16 = 32;
pub(crate) const X_MAC_ARABIC: u16 = 33;
pub(crate) const X_MAC_FARSI: u16 = 34;
pub(crate) const X_MAC_THAI: u16 = 35;
pub(crate) const X_MAC_SAMI: u16 = 36;
pub(crate) const KOI8_T: u16 = 37;
pub(crate) const KOI8_F: u16 = 38;
pub(crate) const ARMSCII_8: u16 = 39;
pub(crate) const GEORGIAN_ACADEMY: u16 = 40;
pub(crate) const GEORGIAN_PS: u16 = 41;
pub(crate) const NEXTSTEP: u16 = 42;
pub(crate) const MULELAO_1: u16 = 43;
pub(crate) const CP1133: u16 = 44;
pub(crate) const CP1125: u16 = 45;
pub(crate) const CP1131: u16 = 46;
pub(crate) const CP720: u16 = 47;
pub(crate) const CP737: u16 = 48;
pub(crate) const CP853: u16 = 49;
pub(crate) const CP856: u16 = 50;
pub(crate) const CP922: u16 = 51;
pub(crate) const CP867: u16 = 52;
pub(crate) const CP1046: u16 = 53;
pub(crate) const CP1124: u16 = 54;
pub(crate) const CP1129: u16 = 55;
pub(crate) const CP1161: u16 = 56;
pub(crate) const CP1162: u16 = 57;
pub(crate) const CP1163: u16 = 58;
pub(crate) const CP1006: u16 = 59;
pub(crate) const CP1098: u16 = 60;
pub(crate) const MIK: u16 = 61;
pub(crate) const CWI: u16 = 62;
pub(crate) const RISCOS_LATIN1: u16 = 63;
pub(crate) const ATARIST: u16 = 64;
pub(crate) const ISO_IR_197: u16 = 65;
pub(crate) const ISO_IR_209: u16 = 66;
pub(crate) const WIN_SAMI_2: u16 = 67;
pub(crate) const HP_GREEK8: u16 = 68;
pub(crate) const HP_ROMAN9: u16 = 69;
pub(crate) const HP_THAI8: u16 = 70;
pub(crate) const HP_TURKISH8: u16 = 71;
pub(crate) const CSA_Z243_4_1985_GR: u16 = 72;
pub(crate) const ISO_8859_SUPP: u16 = 73;
pub(crate) const LATIN_LAP: u16 = 74;
pub(crate) const CP770: u16 = 75;
pub(crate) const CP771: u16 = 76;
pub(crate) const CP772: u16 = 77;
pub(crate) const CP773: u16 = 78;
pub(crate) const CP774: u16 = 79;
pub(crate) const ISIRI_3342: u16 = 80;
pub(crate) const IBM1004: u16 = 81;
pub(crate) const IBM866NAV: u16 = 82;
pub(crate) const MAZOVIA: u16 = 83;
pub(crate) const JIS_X0201: u16 = 84;
pub(crate) const BS_4730: u16 = 85;
pub(crate) const SEN_850200_C: u16 = 86;
pub(crate) const IT: u16 = 87;
pub(crate) const ES: u16 = 88;
pub(crate) const DIN_66003: u16 = 89;
pub(crate) const NS_4551_1: u16 = 90;
pub(crate) const NF_Z_62_010: u16 = 91;
pub(crate) const ISO_646_IRV_1983: u16 = 92;
pub(crate) const NATS_SEFI: u16 = 93;
pub(crate) const NATS_DANO: u16 = 94;
pub(crate) const SEN_850200_B: u16 = 95;
pub(crate) const JIS_C6220_1969_RO: u16 = 96;
pub(crate) const PT: u16 = 97;
pub(crate) const GREEK7_OLD: u16 = 98;
pub(crate) const LATIN_GREEK: u16 = 99;
pub(crate) const NF_Z_62_010__1973_: u16 = 100;
pub(crate) const LATIN_GREEK_1: u16 = 101;
pub(crate) const ISO_5427: u16 = 102;
pub(crate) const INIS: u16 = 103;
pub(crate) const INIS_CYRILLIC: u16 = 104;
pub(crate) const ISO_5428_1980: u16 = 105;
pub(crate) const GB_1988_80: u16 = 106;
pub(crate) const NS_4551_2: u16 = 107;
pub(crate) const PT2: u16 = 108;
pub(crate) const ES2: u16 = 109;
pub(crate) const MSZ_7795_3: u16 = 110;
pub(crate) const GREEK7: u16 = 111;
pub(crate) const ASMO_449: u16 = 112;
pub(crate) const JIS_C6229_1984_B: u16 = 113;
pub(crate) const CSA_Z243_4_1985_1: u16 = 114;
pub(crate) const CSA_Z243_4_1985_2: u16 = 115;
pub(crate) const CSN_369103: u16 = 116;
pub(crate) const JUS_I_B1_002: u16 = 117;
pub(crate) const GREEK_CCITT: u16 = 118;
pub(crate) const NC_NC00_10_81: u16 = 119;
pub(crate) const DS_2089: u16 = 120;
pub(crate) const KSC5636: u16 = 121;
pub(crate) const ISO_11548_1: u16 = 122;
pub(crate) const ADOBE_STANDARD_ENCODING: u16 = 123;
pub(crate) const IBM_THAI: u16 = 124;
pub(crate) const IBM037: u16 = 125;
pub(crate) const IBM038: u16 = 126;
pub(crate) const IBM273: u16 = 127;
pub(crate) const IBM274: u16 = 128;
pub(crate) const IBM275: u16 = 129;
pub(crate) const IBM277: u16 = 130;
pub(crate) const IBM278: u16 = 131;
pub(crate) const IBM280: u16 = 132;
pub(crate) const IBM281: u16 = 133;
pub(crate) const IBM284: u16 = 134;
pub(crate) const IBM285: u16 = 135;
pub(crate) const IBM290: u16 = 136;
pub(crate) const IBM297: u16 = 137;
pub(crate) const IBM420: u16 = 138;
pub(crate) const IBM423: u16 = 139;
pub(crate) const IBM424: u16 = 140;
pub(crate) const IBM500: u16 = 141;
pub(crate) const IBM864: u16 = 142;
pub(crate) const IBM870: u16 = 143;
pub(crate) const IBM871: u16 = 144;
pub(crate) const IBM880: u16 = 145;
pub(crate) const IBM905: u16 = 146;
pub(crate) const IBM918: u16 = 147;
pub(crate) const IBM1026: u16 = 148;
pub(crate) const EBCDIC_AT_DE: u16 = 149;
pub(crate) const EBCDIC_AT_DE_A: u16 = 150;
pub(crate) const EBCDIC_CA_FR: u16 = 151;
pub(crate) const EBCDIC_DK_NO: u16 = 152;
pub(crate) const EBCDIC_DK_NO_A: u16 = 153;
pub(crate) const EBCDIC_FI_SE: u16 = 154;
pub(crate) const EBCDIC_FI_SE_A: u16 = 155;
pub(crate) const EBCDIC_FR: u16 = 156;
pub(crate) const EBCDIC_IT: u16 = 157;
pub(crate) const EBCDIC_PT: u16 = 158;
pub(crate) const EBCDIC_ES: u16 = 159;
pub(crate) const EBCDIC_ES_A: u16 = 160;
pub(crate) const EBCDIC_ES_S: u16 = 161;
pub(crate) const EBCDIC_UK: u16 = 162;
pub(crate) const EBCDIC_US: u16 = 163;
pub(crate) const VISCII: u16 = 164;
pub(crate) const IBM00924: u16 = 165;
pub(crate) const IBM01140: u16 = 166;
pub(crate) const IBM01141: u16 = 167;
pub(crate) const IBM01142: u16 = 168;
pub(crate) const IBM01143: u16 = 169;
pub(crate) const IBM01144: u16 = 170;
pub(crate) const IBM01145: u16 = 171;
pub(crate) const IBM01146: u16 = 172;
pub(crate) const IBM01147: u16 = 173;
pub(crate) const IBM01148: u16 = 174;
pub(crate) const IBM01149: u16 = 175;
pub(crate) const IBM1047: u16 = 176;
pub(crate) const BRF: u16 = 177;
pub(crate) const TCVN5712_1: u16 = 178;
pub(crate) const CP1112: u16 = 179;
pub(crate) const CP1025: u16 = 180;
pub(crate) const CP1097: u16 = 181;
pub(crate) const CP1122: u16 = 182;
pub(crate) const CP1123: u16 = 183;
pub(crate) const CP1137: u16 = 184;
pub(crate) const CP1153: u16 = 185;
pub(crate) const CP1155: u16 = 186;
pub(crate) const CP1156: u16 = 187;
pub(crate) const CP1157: u16 = 188;
pub(crate) const CP1158: u16 = 189;
pub(crate) const CP1160: u16 = 190;
pub(crate) const CP875: u16 = 191;
pub(crate) const ISO_646_BASIC_1983: u16 = 192;
pub(crate) const INVARIANT: u16 = 193;
pub(crate) const NATS_SEFI_ADD: u16 = 194;
pub(crate) const NATS_DANO_ADD: u16 = 195;
pub(crate) const JIS_C6220_1969_JP: u16 = 196;
pub(crate) const BS_VIEWDATA: u16 = 197;
pub(crate) const INIS_8: u16 = 198;
pub(crate) const ISO_5427_1981: u16 = 199;
pub(crate) const JIS_C6229_1984_A: u16 = 200;
pub(crate) const JIS_C6229_1984_B_ADD: u16 = 201;
pub(crate) const JIS_C6229_1984_HAND: u16 = 202;
pub(crate) const JIS_C6229_1984_HAND_ADD: u16 = 203;
pub(crate) const JIS_C6229_1984_KANA: u16 = 204;
pub(crate) const ISO_2033_1983: u16 = 205;
pub(crate) const T_61_7BIT: u16 = 206;
pub(crate) const JUS_I_B1_003_SERB: u16 = 207;
pub(crate) const JUS_I_B1_003_MAC: u16 = 208;
pub(crate) const ISO_6937_2_25: u16 = 209;
pub(crate) const OSD_EBCDIC_DF04_1: u16 = 210;
pub(crate) const ADOBE_SYMBOL_ENCODING: u16 = 211;
pub(crate) const IBM256: u16 = 212;
pub(crate) const IBM1132: u16 = 213;
pub(crate) const IBM1164: u16 = 214;
pub(crate) const EBCDIC_IS_FRISS: u16 = 215;
pub(crate) const VPS: u16 = 216;
pub(crate) const OSD_EBCDIC_DF04_15: u16 = 217;
pub(crate) const OSD_EBCDIC_DF03_IRV: u16 = 218;
pub(crate) const IBM_SYMBOLS: u16 = 219;

/// A single-byte encoding of WHATWG.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Web {
    Ibm866,
    Iso8859_2,
    Iso8859_3,
    Iso8859_4,
    Iso8859_5,
    Iso8859_6,
    Iso8859_7,
    Iso8859_8,
    Iso8859_10,
    Iso8859_13,
    Iso8859_14,
    Iso8859_15,
    Iso8859_16,
    Koi8R,
    Koi8U,
    Macintosh,
    Windows874,
    Windows1250,
    Windows1251,
    Windows1252,
    Windows1253,
    Windows1254,
    Windows1255,
    Windows1256,
    Windows1257,
    Windows1258,
    XMacCyrillic,
}

impl Web {
    /// The number of encodings.
    pub(crate) const COUNT: usize = 27;
    /// Every encoding.
    pub(crate) const ALL: [Self; Self::COUNT] = [
        Self::Ibm866,
        Self::Iso8859_2,
        Self::Iso8859_3,
        Self::Iso8859_4,
        Self::Iso8859_5,
        Self::Iso8859_6,
        Self::Iso8859_7,
        Self::Iso8859_8,
        Self::Iso8859_10,
        Self::Iso8859_13,
        Self::Iso8859_14,
        Self::Iso8859_15,
        Self::Iso8859_16,
        Self::Koi8R,
        Self::Koi8U,
        Self::Macintosh,
        Self::Windows874,
        Self::Windows1250,
        Self::Windows1251,
        Self::Windows1252,
        Self::Windows1253,
        Self::Windows1254,
        Self::Windows1255,
        Self::Windows1256,
        Self::Windows1257,
        Self::Windows1258,
        Self::XMacCyrillic,
    ];
}
