// Made from data/charsets.tsv by `cargo xtask generate`. Do not edit.
//! The charsets.

use super::{pages, sequences};
use crate::charset::{Charset, Kind, Properties, Row};
use crate::double_byte::{Family, Subset};
use crate::grid::Set;
use crate::iso2022::{self, Flavor};
use crate::multi_byte::Layout;
use crate::single_byte::{Page, Web};
use crate::utf16::Order;

/// Number of charsets, for tables by charset.
pub(crate) const COUNT: usize = 368;

#[rustfmt::skip]
impl Charset {
    /// UTF-8 (RFC 3629).
    pub const UTF_8: Self = Self(0);
    /// US-ASCII (RFC 2046 4.1.2).
    pub const US_ASCII: Self = Self(1);
    /// windows-1252, Western European.
    pub const WINDOWS_1252: Self = Self(2);
    /// ISO-8859-1, Western European.
    pub const ISO_8859_1: Self = Self(3);
    /// ISO-2022-JP (RFC 1468) and its relatives.
    pub const ISO_2022_JP: Self = Self(4);
    /// UTF-16 with a byte order mark or by statistics (RFC 2781).
    pub const UTF_16: Self = Self(5);
    /// UTF-16, big-endian.
    pub const UTF_16BE: Self = Self(6);
    /// UTF-16, little-endian.
    pub const UTF_16LE: Self = Self(7);
    /// UTF-32 with a byte order mark or by validity.
    pub const UTF_32: Self = Self(8);
    /// UTF-7 (RFC 2152).
    pub const UTF_7: Self = Self(9);
    /// UTF-32, big-endian.
    pub const UTF_32BE: Self = Self(10);
    /// UTF-32, little-endian.
    pub const UTF_32LE: Self = Self(11);
    /// CESU-8 (UTR 26).
    pub const CESU_8: Self = Self(12);
    /// UCS-2.
    pub const ISO_10646_UCS_2: Self = Self(13);
    /// UCS-4.
    pub const ISO_10646_UCS_4: Self = Self(14);
    /// ISO-8859-2, Central European.
    pub const ISO_8859_2: Self = Self(15);
    /// ISO-8859-3, South European.
    pub const ISO_8859_3: Self = Self(16);
    /// ISO-8859-4, North European.
    pub const ISO_8859_4: Self = Self(17);
    /// ISO-8859-5, Cyrillic.
    pub const ISO_8859_5: Self = Self(18);
    /// ISO-8859-6, Arabic.
    pub const ISO_8859_6: Self = Self(19);
    /// ISO-8859-6-E, Arabic with explicit direction (RFC 1556).
    pub const ISO_8859_6_E: Self = Self(20);
    /// ISO-8859-6-I, Arabic with implicit direction (RFC 1556).
    pub const ISO_8859_6_I: Self = Self(21);
    /// ISO-8859-7, Greek.
    pub const ISO_8859_7: Self = Self(22);
    /// ISO-8859-8, Hebrew in visual order.
    pub const ISO_8859_8: Self = Self(23);
    /// ISO-8859-8-E, Hebrew with explicit direction (RFC 1556).
    pub const ISO_8859_8_E: Self = Self(24);
    /// ISO-8859-8-I, Hebrew in logical order (RFC 1556).
    pub const ISO_8859_8_I: Self = Self(25);
    /// ISO-8859-9, Turkish.
    pub const ISO_8859_9: Self = Self(26);
    /// ISO-8859-10, Nordic.
    pub const ISO_8859_10: Self = Self(27);
    /// ISO-8859-11, Thai.
    pub const ISO_8859_11: Self = Self(28);
    /// ISO-8859-13, Baltic.
    pub const ISO_8859_13: Self = Self(29);
    /// ISO-8859-14, Celtic.
    pub const ISO_8859_14: Self = Self(30);
    /// ISO-8859-15, Western European with the euro.
    pub const ISO_8859_15: Self = Self(31);
    /// ISO-8859-16, South-Eastern European.
    pub const ISO_8859_16: Self = Self(32);
    /// TIS-620, Thai.
    pub const TIS_620: Self = Self(33);
    /// windows-874, Thai.
    pub const WINDOWS_874: Self = Self(34);
    /// windows-1250, Central European.
    pub const WINDOWS_1250: Self = Self(35);
    /// windows-1251, Cyrillic.
    pub const WINDOWS_1251: Self = Self(36);
    /// windows-1253, Greek.
    pub const WINDOWS_1253: Self = Self(37);
    /// windows-1254, Turkish.
    pub const WINDOWS_1254: Self = Self(38);
    /// windows-1255, Hebrew.
    pub const WINDOWS_1255: Self = Self(39);
    /// windows-1256, Arabic.
    pub const WINDOWS_1256: Self = Self(40);
    /// windows-1257, Baltic.
    pub const WINDOWS_1257: Self = Self(41);
    /// windows-1258, Vietnamese.
    pub const WINDOWS_1258: Self = Self(42);
    /// KOI8-R, Russian (RFC 1489).
    pub const KOI8_R: Self = Self(43);
    /// KOI8-U, Ukrainian (RFC 2319).
    pub const KOI8_U: Self = Self(44);
    /// Mac Roman.
    pub const MACINTOSH: Self = Self(45);
    /// Mac Cyrillic.
    pub const X_MAC_CYRILLIC: Self = Self(46);
    /// IBM866, Cyrillic DOS.
    pub const IBM866: Self = Self(47);
    /// GB2312, simplified Chinese.
    pub const GB2312: Self = Self(48);
    /// GBK, simplified Chinese.
    pub const GBK: Self = Self(49);
    /// GB18030.
    pub const GB18030: Self = Self(50);
    /// Big5, traditional Chinese, with the characters of Hong Kong.
    pub const BIG5: Self = Self(51);
    /// Big5 with the characters of Hong Kong of 2008.
    pub const BIG5_HKSCS: Self = Self(52);
    /// EUC-JP, Japanese.
    pub const EUC_JP: Self = Self(53);
    /// EUC-KR, Korean (RFC 1557).
    pub const EUC_KR: Self = Self(54);
    /// KS_C_5601-1987, as mail uses the name.
    pub const KS_C_5601_1987: Self = Self(55);
    /// windows-949, Korean.
    pub const WINDOWS_949: Self = Self(56);
    /// Shift_JIS, Japanese.
    pub const SHIFT_JIS: Self = Self(57);
    /// Windows-31J, Japanese.
    pub const WINDOWS_31J: Self = Self(58);
    /// ISO-2022-JP-2 (RFC 1554); one machine reads both.
    pub const ISO_2022_JP_2: Self = Self(59);
    /// EUC-TW, traditional Chinese (CNS 11643).
    pub const EUC_TW: Self = Self(60);
    /// EUC-JIS-2004, Japanese (JIS X 0213).
    pub const EUC_JIS_2004: Self = Self(61);
    /// Shift_JIS-2004, Japanese (JIS X 0213); ASCII for the bytes below 80.
    pub const SHIFT_JIS_2004: Self = Self(62);
    /// JOHAB, Korean (KS X 1001:1992 annex 3).
    pub const JOHAB: Self = Self(63);
    /// GB12345, traditional Chinese in EUC form (RFC 1922: CN-GB-12345).
    pub const GB12345: Self = Self(64);
    /// CN-GB-ISOIR165, Chinese: ISO-IR-165 in EUC form (RFC 1922).
    pub const CN_GB_ISOIR165: Self = Self(65);
    /// ISO-IR-165 by itself, in seven bits.
    pub const ISO_IR_165: Self = Self(66);
    /// JIS_C6226-1978, two bytes, seven bits.
    pub const JIS_C6226_1978: Self = Self(67);
    /// JIS_C6226-1983, JIS X 0208 by itself, in seven bits.
    pub const JIS_C6226_1983: Self = Self(68);
    /// JIS_X0212-1990 by itself, in seven bits.
    pub const JIS_X0212_1990: Self = Self(69);
    /// EUC-JP in two octets a character.
    pub const EXTENDED_UNIX_CODE_FIXED_WIDTH_FOR_JAPANESE: Self = Self(70);
    /// ISO-2022-KR, Korean (RFC 1557).
    pub const ISO_2022_KR: Self = Self(71);
    /// HZ-GB-2312, simplified Chinese (RFC 1843).
    pub const HZ_GB_2312: Self = Self(72);
    /// IBM437, DOS in the United States.
    pub const IBM437: Self = Self(73);
    /// IBM850, DOS in Western Europe.
    pub const IBM850: Self = Self(74);
    /// IBM852, DOS in Central Europe.
    pub const IBM852: Self = Self(75);
    /// IBM00858, IBM850 with the euro.
    pub const IBM00858: Self = Self(76);
    /// UTF-7-IMAP, mailbox names (RFC 3501 5.1.3) as text.
    pub const UTF_7_IMAP: Self = Self(77);
    /// SCSU (UTS 6).
    pub const SCSU: Self = Self(78);
    /// BOCU-1 (UTN 6).
    pub const BOCU_1: Self = Self(79);
    /// UTF-1 (ISO 10646-1:1993 Annex G).
    pub const ISO_10646_UTF_1: Self = Self(80);
    /// UTF-EBCDIC (UTR 16).
    pub const UTF_EBCDIC: Self = Self(81);
    /// UTF-8 of decomposed file names; characters are carried as they are, neither composed nor decomposed.
    pub const UTF_8_MAC: Self = Self(82);
    /// UTF-7 of RFC 1642.
    pub const UNICODE_1_1_UTF_7: Self = Self(83);
    /// Unicode 1.1 in big-endian units (RFC 1641).
    pub const UNICODE_1_1: Self = Self(84);
    /// the Basic Latin part of UCS-2.
    pub const ISO_10646_UCS_BASIC: Self = Self(85);
    /// the Latin-1 part of UCS-2.
    pub const ISO_10646_UNICODE_LATIN1: Self = Self(86);
    /// the Japanese part of UCS-2 (RFC 1815).
    pub const ISO_10646_J_1: Self = Self(87);
    /// a part of UCS-2 named by IBM: Latin-2, -3, -5, Windows-1250.
    pub const ISO_UNICODE_IBM_1261: Self = Self(88);
    /// a part of UCS-2 named by IBM: Latin and Greek.
    pub const ISO_UNICODE_IBM_1268: Self = Self(89);
    /// a part of UCS-2 named by IBM: Cyrillic and Greek.
    pub const ISO_UNICODE_IBM_1276: Self = Self(90);
    /// a part of UCS-2 named by IBM: Arabic.
    pub const ISO_UNICODE_IBM_1264: Self = Self(91);
    /// a part of UCS-2 named by IBM: Hebrew.
    pub const ISO_UNICODE_IBM_1265: Self = Self(92);
    /// ISO-2022-JP-1 (RFC 2237), with JIS X 0212.
    pub const ISO_2022_JP_1: Self = Self(93);
    /// ISO-2022-JP-3 (JIS X 0213:2000).
    pub const ISO_2022_JP_3: Self = Self(94);
    /// ISO-2022-JP-2004 (JIS X 0213:2004).
    pub const ISO_2022_JP_2004: Self = Self(95);
    /// CP50220, ISO-2022-JP of Microsoft.
    pub const CP50220: Self = Self(96);
    /// CP50221, the same with half-width katakana.
    pub const CP50221: Self = Self(97);
    /// CP50222, the same with half-width katakana by SO.
    pub const CP50222: Self = Self(98);
    /// ISO-2022-CN, Chinese (RFC 1922).
    pub const ISO_2022_CN: Self = Self(99);
    /// ISO-2022-CN-EXT, Chinese (RFC 1922).
    pub const ISO_2022_CN_EXT: Self = Self(100);
    /// T.61, teletex with a non-spacing mark before its letter.
    pub const T_61_8BIT: Self = Self(101);
    /// T.101-G2, videotex with a non-spacing mark before its letter.
    pub const T_101_G2: Self = Self(102);
    /// ISO_6937-2-add, with a non-spacing mark before its letter.
    pub const ISO_6937_2_ADD: Self = Self(103);
    /// videotex-suppl (ISO-IR-70), with a non-spacing mark before its letter.
    pub const VIDEOTEX_SUPPL: Self = Self(104);
    /// ISO-IR-90, with a non-spacing mark before its letter.
    pub const ISO_IR_90: Self = Self(105);
    /// ANSI X3.110-1983 (NAPLPS), with a non-spacing mark before its letter.
    pub const ANSI_X3_110_1983: Self = Self(106);
    /// VIQR, Vietnamese in ASCII (RFC 1456).
    pub const VIQR: Self = Self(107);
    /// MNEMONIC, characters by name behind `&` (RFC 1345).
    pub const MNEMONIC: Self = Self(108);
    /// MNEM, characters by name behind SPACE BACKSPACE (RFC 1345).
    pub const MNEM: Self = Self(109);
    /// TSCII, Tamil in visual order.
    pub const TSCII: Self = Self(110);
    /// GSM 03.38, short messages in octets (3GPP TS 23.038).
    pub const GSM0338: Self = Self(111);
    /// KOI7-switched, Russian between SO and SI.
    pub const KOI7_SWITCHED: Self = Self(112);
    /// us-dk, ASCII where Danish letters may take the places of brackets (RFC 1345).
    pub const US_DK: Self = Self(113);
    /// dk-us, ASCII with Danish letters in place of brackets (RFC 1345).
    pub const DK_US: Self = Self(114);
    /// JIS X 0201: Roman letters below, half-width kana above.
    pub const JIS_X0201: Self = Self(115);
    /// ISO 646, United Kingdom (ISO-IR 4).
    pub const BS_4730: Self = Self(116);
    /// ISO 646, Sweden, for names (ISO-IR 11).
    pub const SEN_850200_C: Self = Self(117);
    /// ISO 646, Italy (ISO-IR 15).
    pub const IT: Self = Self(118);
    /// ISO 646, Spain (ISO-IR 17).
    pub const ES: Self = Self(119);
    /// ISO 646, Germany (ISO-IR 21).
    pub const DIN_66003: Self = Self(120);
    /// ISO 646, Norway (ISO-IR 60).
    pub const NS_4551_1: Self = Self(121);
    /// ISO 646, France (ISO-IR 69).
    pub const NF_Z_62_010: Self = Self(122);
    /// ISO 646, international version of 1983 (ISO-IR 2).
    pub const ISO_646_IRV_1983: Self = Self(123);
    /// ISO 646 for newspapers of Sweden and Finland (ISO-IR 8-1).
    pub const NATS_SEFI: Self = Self(124);
    /// ISO 646 for newspapers of Denmark and Norway (ISO-IR 9-1).
    pub const NATS_DANO: Self = Self(125);
    /// ISO 646, Sweden (ISO-IR 10).
    pub const SEN_850200_B: Self = Self(126);
    /// ISO 646, Japan (ISO-IR 14).
    pub const JIS_C6220_1969_RO: Self = Self(127);
    /// ISO 646, Portugal (ISO-IR 16).
    pub const PT: Self = Self(128);
    /// Greek capitals in seven bits (ISO-IR 18).
    pub const GREEK7_OLD: Self = Self(129);
    /// Latin and Greek capitals in seven bits (ISO-IR 19).
    pub const LATIN_GREEK: Self = Self(130);
    /// ISO 646, France, of 1973 (ISO-IR 25).
    pub const NF_Z_62_010__1973_: Self = Self(131);
    /// Greek capitals without the Latin look-alikes (ISO-IR 27).
    pub const LATIN_GREEK_1: Self = Self(132);
    /// Cyrillic in seven bits (ISO-IR 37).
    pub const ISO_5427: Self = Self(133);
    /// ISO 646 of the International Nuclear Information System (ISO-IR 49).
    pub const INIS: Self = Self(134);
    /// Cyrillic of the International Nuclear Information System (ISO-IR 51).
    pub const INIS_CYRILLIC: Self = Self(135);
    /// Greek for bibliographies in seven bits (ISO-IR 55).
    pub const ISO_5428_1980: Self = Self(136);
    /// ISO 646, China (ISO-IR 57).
    pub const GB_1988_80: Self = Self(137);
    /// ISO 646, Norway, second version (ISO-IR 61).
    pub const NS_4551_2: Self = Self(138);
    /// ISO 646, Portugal, second version (ISO-IR 84).
    pub const PT2: Self = Self(139);
    /// ISO 646, Spain, second version (ISO-IR 85).
    pub const ES2: Self = Self(140);
    /// ISO 646, Hungary (ISO-IR 86).
    pub const MSZ_7795_3: Self = Self(141);
    /// Greek in seven bits (ISO-IR 88).
    pub const GREEK7: Self = Self(142);
    /// Arabic in seven bits (ISO-IR 89).
    pub const ASMO_449: Self = Self(143);
    /// OCR-B of Japan (ISO-IR 92).
    pub const JIS_C6229_1984_B: Self = Self(144);
    /// Cyrillic of ECMA-113 (ISO-IR 111).
    pub const ECMA_CYRILLIC: Self = Self(145);
    /// ISO 646, Canada (ISO-IR 121).
    pub const CSA_Z243_4_1985_1: Self = Self(146);
    /// ISO 646, Canada, second version (ISO-IR 122).
    pub const CSA_Z243_4_1985_2: Self = Self(147);
    /// Czech and Slovak of CSN 36 91 03 (ISO-IR 139).
    pub const CSN_369103: Self = Self(148);
    /// ISO 646, Yugoslavia (ISO-IR 141).
    pub const JUS_I_B1_002: Self = Self(149);
    /// Signs of IEC P27-1 (ISO-IR 143).
    pub const IEC_P27_1: Self = Self(150);
    /// Greek of the CCITT in seven bits (ISO-IR 150).
    pub const GREEK_CCITT: Self = Self(151);
    /// ISO 646, Cuba (ISO-IR 151).
    pub const NC_NC00_10_81: Self = Self(152);
    /// Cyrillic of GOST 19768-74 (ISO-IR 153).
    pub const GOST_19768_74: Self = Self(153);
    /// Box drawing of ISO 10367 (ISO-IR 155).
    pub const ISO_10367_BOX: Self = Self(154);
    /// ISO 646, Denmark.
    pub const DS_2089: Self = Self(155);
    /// ISO 646, Korea.
    pub const KSC5636: Self = Self(156);
    /// Braille patterns, eight dots (ISO 11548-1).
    pub const ISO_11548_1: Self = Self(157);
    /// Kazakh (STRK1048-2002).
    pub const KZ_1048: Self = Self(158);
    /// HP Roman-8.
    pub const HP_ROMAN8: Self = Self(159);
    /// Adobe's encoding of PostScript fonts.
    pub const ADOBE_STANDARD_ENCODING: Self = Self(160);
    /// DEC Multinational.
    pub const DEC_MCS: Self = Self(161);
    /// IBM862, DOS Hebrew.
    pub const IBM862: Self = Self(162);
    /// IBM838, EBCDIC Thai.
    pub const IBM_THAI: Self = Self(163);
    /// IBM037, EBCDIC of the United States and Canada.
    pub const IBM037: Self = Self(164);
    /// IBM038, EBCDIC international.
    pub const IBM038: Self = Self(165);
    /// IBM273, EBCDIC of Germany and Austria.
    pub const IBM273: Self = Self(166);
    /// IBM274, EBCDIC of Belgium.
    pub const IBM274: Self = Self(167);
    /// IBM275, EBCDIC of Brazil.
    pub const IBM275: Self = Self(168);
    /// IBM277, EBCDIC of Denmark and Norway.
    pub const IBM277: Self = Self(169);
    /// IBM278, EBCDIC of Finland and Sweden.
    pub const IBM278: Self = Self(170);
    /// IBM280, EBCDIC of Italy.
    pub const IBM280: Self = Self(171);
    /// IBM281, EBCDIC of Japan, Latin.
    pub const IBM281: Self = Self(172);
    /// IBM284, EBCDIC of Spain.
    pub const IBM284: Self = Self(173);
    /// IBM285, EBCDIC of the United Kingdom.
    pub const IBM285: Self = Self(174);
    /// IBM290, EBCDIC of Japan, kana.
    pub const IBM290: Self = Self(175);
    /// IBM297, EBCDIC of France.
    pub const IBM297: Self = Self(176);
    /// IBM420, EBCDIC Arabic.
    pub const IBM420: Self = Self(177);
    /// IBM423, EBCDIC Greek.
    pub const IBM423: Self = Self(178);
    /// IBM424, EBCDIC Hebrew.
    pub const IBM424: Self = Self(179);
    /// IBM500, EBCDIC international.
    pub const IBM500: Self = Self(180);
    /// IBM851, DOS Greek.
    pub const IBM851: Self = Self(181);
    /// IBM855, DOS Cyrillic.
    pub const IBM855: Self = Self(182);
    /// IBM857, DOS Turkish.
    pub const IBM857: Self = Self(183);
    /// IBM860, DOS Portuguese.
    pub const IBM860: Self = Self(184);
    /// IBM861, DOS Icelandic.
    pub const IBM861: Self = Self(185);
    /// IBM863, DOS Canadian French.
    pub const IBM863: Self = Self(186);
    /// IBM864, DOS Arabic.
    pub const IBM864: Self = Self(187);
    /// IBM865, DOS Nordic.
    pub const IBM865: Self = Self(188);
    /// IBM868, DOS Urdu.
    pub const IBM868: Self = Self(189);
    /// IBM869, DOS Greek.
    pub const IBM869: Self = Self(190);
    /// IBM870, EBCDIC of Central Europe.
    pub const IBM870: Self = Self(191);
    /// IBM871, EBCDIC of Iceland.
    pub const IBM871: Self = Self(192);
    /// IBM880, EBCDIC Cyrillic.
    pub const IBM880: Self = Self(193);
    /// IBM891, DOS Korean, one byte.
    pub const IBM891: Self = Self(194);
    /// IBM903, DOS Chinese, one byte.
    pub const IBM903: Self = Self(195);
    /// IBM904, DOS Taiwan, one byte.
    pub const IBM904: Self = Self(196);
    /// IBM905, EBCDIC of Turkey, Latin-3.
    pub const IBM905: Self = Self(197);
    /// IBM918, EBCDIC Urdu.
    pub const IBM918: Self = Self(198);
    /// IBM1026, EBCDIC of Turkey.
    pub const IBM1026: Self = Self(199);
    /// EBCDIC of Austria and Germany.
    pub const EBCDIC_AT_DE: Self = Self(200);
    /// EBCDIC of Austria and Germany, alternate.
    pub const EBCDIC_AT_DE_A: Self = Self(201);
    /// EBCDIC of French Canada.
    pub const EBCDIC_CA_FR: Self = Self(202);
    /// EBCDIC of Denmark and Norway.
    pub const EBCDIC_DK_NO: Self = Self(203);
    /// EBCDIC of Denmark and Norway, alternate.
    pub const EBCDIC_DK_NO_A: Self = Self(204);
    /// EBCDIC of Finland and Sweden.
    pub const EBCDIC_FI_SE: Self = Self(205);
    /// EBCDIC of Finland and Sweden, alternate.
    pub const EBCDIC_FI_SE_A: Self = Self(206);
    /// EBCDIC of France.
    pub const EBCDIC_FR: Self = Self(207);
    /// EBCDIC of Italy.
    pub const EBCDIC_IT: Self = Self(208);
    /// EBCDIC of Portugal.
    pub const EBCDIC_PT: Self = Self(209);
    /// EBCDIC of Spain.
    pub const EBCDIC_ES: Self = Self(210);
    /// EBCDIC of Spain, alternate.
    pub const EBCDIC_ES_A: Self = Self(211);
    /// EBCDIC of Spain, for speaking countries.
    pub const EBCDIC_ES_S: Self = Self(212);
    /// EBCDIC of the United Kingdom.
    pub const EBCDIC_UK: Self = Self(213);
    /// EBCDIC of the United States.
    pub const EBCDIC_US: Self = Self(214);
    /// VISCII, Vietnamese (RFC 1456); letters in six places of controls.
    pub const VISCII: Self = Self(215);
    /// IBM775, DOS Baltic.
    pub const IBM775: Self = Self(216);
    /// IBM924, EBCDIC Latin-9.
    pub const IBM00924: Self = Self(217);
    /// IBM1140, IBM037 with the euro.
    pub const IBM01140: Self = Self(218);
    /// IBM1141, IBM273 with the euro.
    pub const IBM01141: Self = Self(219);
    /// IBM1142, IBM277 with the euro.
    pub const IBM01142: Self = Self(220);
    /// IBM1143, IBM278 with the euro.
    pub const IBM01143: Self = Self(221);
    /// IBM1144, IBM280 with the euro.
    pub const IBM01144: Self = Self(222);
    /// IBM1145, IBM284 with the euro.
    pub const IBM01145: Self = Self(223);
    /// IBM1146, IBM285 with the euro.
    pub const IBM01146: Self = Self(224);
    /// IBM1147, IBM297 with the euro.
    pub const IBM01147: Self = Self(225);
    /// IBM1148, IBM500 with the euro.
    pub const IBM01148: Self = Self(226);
    /// IBM1149, IBM871 with the euro.
    pub const IBM01149: Self = Self(227);
    /// IBM1047, EBCDIC Latin-1 of open systems.
    pub const IBM1047: Self = Self(228);
    /// Cyrillic of Asian languages (ParaType).
    pub const PTCP154: Self = Self(229);
    /// Braille in ASCII, as Braille patterns.
    pub const BRF: Self = Self(230);
    /// Mac Central European.
    pub const X_MAC_CE: Self = Self(231);
    /// Mac Greek.
    pub const X_MAC_GREEK: Self = Self(232);
    /// Mac Turkish.
    pub const X_MAC_TURKISH: Self = Self(233);
    /// Mac Icelandic.
    pub const X_MAC_ICELANDIC: Self = Self(234);
    /// Mac Croatian.
    pub const X_MAC_CROATIAN: Self = Self(235);
    /// Mac Romanian.
    pub const X_MAC_ROMANIAN: Self = Self(236);
    /// Mac Hebrew.
    pub const X_MAC_HEBREW: Self = Self(237);
    /// Mac Arabic.
    pub const X_MAC_ARABIC: Self = Self(238);
    /// Mac Farsi.
    pub const X_MAC_FARSI: Self = Self(239);
    /// Mac Thai.
    pub const X_MAC_THAI: Self = Self(240);
    /// Mac Sami.
    pub const X_MAC_SAMI: Self = Self(241);
    /// KOI8-T, Tajik.
    pub const KOI8_T: Self = Self(242);
    /// KOI8-F, Cyrillic of many languages.
    pub const KOI8_F: Self = Self(243);
    /// ARMSCII-8, Armenian.
    pub const ARMSCII_8: Self = Self(244);
    /// Georgian of the Academy.
    pub const GEORGIAN_ACADEMY: Self = Self(245);
    /// Georgian of Parliament.
    pub const GEORGIAN_PS: Self = Self(246);
    /// NeXTSTEP.
    pub const NEXTSTEP: Self = Self(247);
    /// TCVN 5712, Vietnamese; letters in places of controls.
    pub const TCVN5712_1: Self = Self(248);
    /// Lao of Mule.
    pub const MULELAO_1: Self = Self(249);
    /// IBM1133, Lao.
    pub const CP1133: Self = Self(250);
    /// IBM1125, DOS Ukrainian.
    pub const CP1125: Self = Self(251);
    /// IBM1131, DOS Belarusian.
    pub const CP1131: Self = Self(252);
    /// CP720, DOS Arabic.
    pub const CP720: Self = Self(253);
    /// CP737, DOS Greek.
    pub const CP737: Self = Self(254);
    /// CP853, DOS Latin-3.
    pub const CP853: Self = Self(255);
    /// IBM856, Hebrew.
    pub const CP856: Self = Self(256);
    /// IBM922, Estonian.
    pub const CP922: Self = Self(257);
    /// IBM867, DOS Hebrew with the new shekel.
    pub const CP867: Self = Self(258);
    /// IBM1046, Arabic.
    pub const CP1046: Self = Self(259);
    /// IBM1124, Ukrainian.
    pub const CP1124: Self = Self(260);
    /// IBM1129, Vietnamese.
    pub const CP1129: Self = Self(261);
    /// IBM1161, Thai with the euro.
    pub const CP1161: Self = Self(262);
    /// IBM1162, Thai of Windows.
    pub const CP1162: Self = Self(263);
    /// IBM1163, Vietnamese with the euro.
    pub const CP1163: Self = Self(264);
    /// IBM1006, Urdu.
    pub const CP1006: Self = Self(265);
    /// IBM1098, DOS Farsi.
    pub const CP1098: Self = Self(266);
    /// IBM1112, EBCDIC Baltic.
    pub const CP1112: Self = Self(267);
    /// MIK, DOS Bulgarian.
    pub const MIK: Self = Self(268);
    /// CWI-2, DOS Hungarian.
    pub const CWI: Self = Self(269);
    /// Latin-1 of RISC OS.
    pub const RISCOS_LATIN1: Self = Self(270);
    /// Atari ST.
    pub const ATARIST: Self = Self(271);
    /// Sami of ISO-IR 197.
    pub const ISO_IR_197: Self = Self(272);
    /// Sami of ISO-IR 209.
    pub const ISO_IR_209: Self = Self(273);
    /// IBM1025, EBCDIC Cyrillic.
    pub const CP1025: Self = Self(274);
    /// IBM1097, EBCDIC Farsi.
    pub const CP1097: Self = Self(275);
    /// IBM1122, EBCDIC Estonian.
    pub const CP1122: Self = Self(276);
    /// IBM1123, EBCDIC Ukrainian.
    pub const CP1123: Self = Self(277);
    /// IBM1137, EBCDIC Devanagari.
    pub const CP1137: Self = Self(278);
    /// IBM1153, IBM870 with the euro.
    pub const CP1153: Self = Self(279);
    /// IBM1155, IBM1026 with the euro.
    pub const CP1155: Self = Self(280);
    /// IBM1156, IBM1112 with the euro.
    pub const CP1156: Self = Self(281);
    /// IBM1157, IBM1122 with the euro.
    pub const CP1157: Self = Self(282);
    /// IBM1158, IBM1123 with the euro.
    pub const CP1158: Self = Self(283);
    /// IBM1160, EBCDIC Thai with the euro.
    pub const CP1160: Self = Self(284);
    /// IBM875, EBCDIC Greek.
    pub const CP875: Self = Self(285);
    /// Sami of Windows.
    pub const WIN_SAMI_2: Self = Self(286);
    /// HP Greek-8.
    pub const HP_GREEK8: Self = Self(287);
    /// HP Roman-9, Roman-8 with the euro.
    pub const HP_ROMAN9: Self = Self(288);
    /// HP Thai-8.
    pub const HP_THAI8: Self = Self(289);
    /// HP Turkish-8.
    pub const HP_TURKISH8: Self = Self(290);
    /// The letters that all variants of ISO 646 have.
    pub const ISO_646_BASIC_1983: Self = Self(291);
    /// The signs that all variants of ISO 646 have (ISO-IR 170).
    pub const INVARIANT: Self = Self(292);
    /// Further letters for newspapers of Sweden and Finland (ISO-IR 8-2).
    pub const NATS_SEFI_ADD: Self = Self(293);
    /// Further letters for newspapers of Denmark and Norway (ISO-IR 9-2).
    pub const NATS_DANO_ADD: Self = Self(294);
    /// Kana in seven bits (ISO-IR 13).
    pub const JIS_C6220_1969_JP: Self = Self(295);
    /// Viewdata of the United Kingdom (ISO-IR 47).
    pub const BS_VIEWDATA: Self = Self(296);
    /// Further signs of the International Nuclear Information System (ISO-IR 50).
    pub const INIS_8: Self = Self(297);
    /// Further Cyrillic letters in seven bits (ISO-IR 54).
    pub const ISO_5427_1981: Self = Self(298);
    /// OCR-A of Japan (ISO-IR 91).
    pub const JIS_C6229_1984_A: Self = Self(299);
    /// Further signs of OCR-B of Japan (ISO-IR 93).
    pub const JIS_C6229_1984_B_ADD: Self = Self(300);
    /// Hand-printed OCR of Japan (ISO-IR 94).
    pub const JIS_C6229_1984_HAND: Self = Self(301);
    /// Further signs of hand-printed OCR of Japan (ISO-IR 95).
    pub const JIS_C6229_1984_HAND_ADD: Self = Self(302);
    /// Hand-printed kana of Japan (ISO-IR 96).
    pub const JIS_C6229_1984_KANA: Self = Self(303);
    /// Signs of magnetic ink, E13B (ISO-IR 98).
    pub const ISO_2033_1983: Self = Self(304);
    /// Primary set of Teletex (ISO-IR 102).
    pub const T_61_7BIT: Self = Self(305);
    /// Upper half of the Canadian set (ISO-IR 123).
    pub const CSA_Z243_4_1985_GR: Self = Self(306);
    /// Serbian in seven bits (ISO-IR 146).
    pub const JUS_I_B1_003_SERB: Self = Self(307);
    /// Macedonian in seven bits (ISO-IR 147).
    pub const JUS_I_B1_003_MAC: Self = Self(308);
    /// Letters of ISO 6937-2, addendum 25 (ISO-IR 152).
    pub const ISO_6937_2_25: Self = Self(309);
    /// Letters that Latin-1, -2 and -5 lack (ISO-IR 154).
    pub const ISO_8859_SUPP: Self = Self(310);
    /// Sami supplement (ISO-IR 158).
    pub const LATIN_LAP: Self = Self(311);
    /// EBCDIC of Siemens OSD, Latin-1.
    pub const OSD_EBCDIC_DF04_1: Self = Self(312);
    /// Adobe's Symbol font.
    pub const ADOBE_SYMBOL_ENCODING: Self = Self(313);
    /// CP770, DOS Baltic.
    pub const CP770: Self = Self(314);
    /// CP771, DOS Lithuanian and Cyrillic.
    pub const CP771: Self = Self(315);
    /// CP772, DOS Lithuanian and Cyrillic.
    pub const CP772: Self = Self(316);
    /// CP773, DOS Baltic.
    pub const CP773: Self = Self(317);
    /// CP774, DOS Lithuanian.
    pub const CP774: Self = Self(318);
    /// ISIRI 3342, Farsi.
    pub const ISIRI_3342: Self = Self(319);
    /// IBM256, EBCDIC international.
    pub const IBM256: Self = Self(320);
    /// IBM1004, Latin-1 of desktop publishing.
    pub const IBM1004: Self = Self(321);
    /// IBM1132, EBCDIC Lao.
    pub const IBM1132: Self = Self(322);
    /// IBM1164, EBCDIC Vietnamese with the euro.
    pub const IBM1164: Self = Self(323);
    /// EBCDIC of Iceland (FRISS).
    pub const EBCDIC_IS_FRISS: Self = Self(324);
    /// IBM866 with letters of other languages.
    pub const IBM866NAV: Self = Self(325);
    /// VPS, Vietnamese; letters in places of controls.
    pub const VPS: Self = Self(326);
    /// Mazovia, DOS Polish.
    pub const MAZOVIA: Self = Self(327);
    /// EBCDIC of Siemens OSD, Latin-9.
    pub const OSD_EBCDIC_DF04_15: Self = Self(328);
    /// EBCDIC of Siemens OSD, international reference version.
    pub const OSD_EBCDIC_DF03_IRV: Self = Self(329);
    /// IBM259, EBCDIC symbols.
    pub const IBM_SYMBOLS: Self = Self(330);
    /// Windows 3.0 in Western Europe (PCL 9U).
    pub const ISO_8859_1_WINDOWS_3_0_LATIN_1: Self = Self(331);
    /// Windows 3.1 in Western Europe (PCL 19U).
    pub const ISO_8859_1_WINDOWS_3_1_LATIN_1: Self = Self(332);
    /// Windows 3.1 in Central Europe (PCL 9E).
    pub const ISO_8859_2_WINDOWS_LATIN_2: Self = Self(333);
    /// Windows 3.1 in Turkey (PCL 5T).
    pub const ISO_8859_9_WINDOWS_LATIN_5: Self = Self(334);
    /// CP51932, EUC-JP of Microsoft, without JIS X 0212.
    pub const CP51932: Self = Self(335);
    /// eucJP-ms, EUC-JP with the rows of NEC and IBM and two user-defined areas.
    pub const EUCJP_MS: Self = Self(336);
    /// IBM33722, EUC-JP of IBM.
    pub const IBM33722: Self = Self(337);
    /// IBM942, an older Shift_JIS of IBM with the yen sign at 5C.
    pub const IBM942: Self = Self(338);
    /// IBM942C, an older Shift_JIS of IBM with ASCII.
    pub const IBM942C: Self = Self(339);
    /// IBM943, Shift_JIS of IBM with the yen sign at 5C.
    pub const IBM943: Self = Self(340);
    /// IBM943C, Shift_JIS of IBM with ASCII.
    pub const IBM943C: Self = Self(341);
    /// IBM949, Korean of IBM with the won sign at 5C.
    pub const IBM949: Self = Self(342);
    /// IBM949C, Korean of IBM with ASCII.
    pub const IBM949C: Self = Self(343);
    /// IBM970, EUC-KR of IBM.
    pub const IBM970: Self = Self(344);
    /// IBM1383, EUC-CN of IBM.
    pub const IBM1383: Self = Self(345);
    /// IBM964, EUC-TW of IBM.
    pub const IBM964: Self = Self(346);
    /// MS950 (windows-950), Big5 of Microsoft with its private area.
    pub const MS950: Self = Self(347);
    /// IBM950, Big5 of IBM.
    pub const IBM950: Self = Self(348);
    /// Big5-2003.
    pub const BIG5_2003: Self = Self(349);
    /// Big5 with the characters of Hong Kong of 1999.
    pub const BIG5_HKSCS_1999: Self = Self(350);
    /// Big5 with the characters of Hong Kong of 2001.
    pub const BIG5_HKSCS_2001: Self = Self(351);
    /// Big5 with the characters of Hong Kong of 2004.
    pub const BIG5_HKSCS_2004: Self = Self(352);
    /// Mac, simplified Chinese.
    pub const X_MAC_CHINESESIMP: Self = Self(353);
    /// Mac, traditional Chinese.
    pub const X_MAC_CHINESETRAD: Self = Self(354);
    /// IBM930, Japanese mixed EBCDIC with katakana.
    pub const IBM930: Self = Self(355);
    /// IBM933, Korean mixed EBCDIC.
    pub const IBM933: Self = Self(356);
    /// IBM935, simplified Chinese mixed EBCDIC.
    pub const IBM935: Self = Self(357);
    /// IBM937, traditional Chinese mixed EBCDIC.
    pub const IBM937: Self = Self(358);
    /// IBM939, Japanese mixed EBCDIC with small Latin letters.
    pub const IBM939: Self = Self(359);
    /// IBM1364, Korean mixed EBCDIC with all syllables.
    pub const IBM1364: Self = Self(360);
    /// IBM1371, traditional Chinese mixed EBCDIC with the euro.
    pub const IBM1371: Self = Self(361);
    /// IBM1388, simplified Chinese mixed EBCDIC after GBK.
    pub const IBM1388: Self = Self(362);
    /// IBM1390, Japanese mixed EBCDIC with katakana, JIS X 0213 and the euro.
    pub const IBM1390: Self = Self(363);
    /// IBM1399, Japanese mixed EBCDIC with small Latin letters, JIS X 0213 and the euro.
    pub const IBM1399: Self = Self(364);
    /// Mac, Korean.
    pub const X_MAC_KOREAN: Self = Self(365);
    /// ISCII (IS 13194:1991) in its default script, Devanagari.
    pub const X_ISCII_DE: Self = Self(366);
    /// VNI for Windows, Vietnamese; marks behind their letters.
    pub const VNI: Self = Self(367);
}

#[rustfmt::skip]
pub(crate) static ROWS: &[Row; COUNT] = &[
    Row { name: "UTF-8", mib: 106, kind: Kind::Utf8, superset: Charset(0), windows_page: None, width: 1, properties: Properties::NONE.ascii().unicode(), description: "UTF-8 (RFC 3629)" },
    Row { name: "US-ASCII", mib: 3, kind: Kind::SingleByte(Page::Ascii), superset: Charset(1), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "US-ASCII (RFC 2046 4.1.2)" },
    Row { name: "windows-1252", mib: 2252, kind: Kind::SingleByte(Page::Windows(Web::Windows1252)), superset: Charset(2), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "windows-1252, Western European" },
    Row { name: "ISO-8859-1", mib: 4, kind: Kind::SingleByte(Page::Latin1), superset: Charset(2), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-1, Western European" },
    Row { name: "ISO-2022-JP", mib: 39, kind: Kind::Iso2022(Flavor::Jp), superset: Charset(4), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "ISO-2022-JP (RFC 1468) and its relatives" },
    Row { name: "UTF-16", mib: 1015, kind: Kind::Utf16(None), superset: Charset(5), windows_page: None, width: 2, properties: Properties::NONE.stateful().unicode(), description: "UTF-16 with a byte order mark or by statistics (RFC 2781)" },
    Row { name: "UTF-16BE", mib: 1013, kind: Kind::Utf16(Some(Order::Big)), superset: Charset(6), windows_page: None, width: 2, properties: Properties::NONE.stateful().unicode(), description: "UTF-16, big-endian" },
    Row { name: "UTF-16LE", mib: 1014, kind: Kind::Utf16(Some(Order::Little)), superset: Charset(7), windows_page: None, width: 2, properties: Properties::NONE.stateful().unicode(), description: "UTF-16, little-endian" },
    Row { name: "UTF-32", mib: 1017, kind: Kind::Utf32(None), superset: Charset(8), windows_page: None, width: 4, properties: Properties::NONE.stateful().unicode(), description: "UTF-32 with a byte order mark or by validity" },
    Row { name: "UTF-7", mib: 1012, kind: Kind::Utf7, superset: Charset(9), windows_page: None, width: 1, properties: Properties::NONE.stateful().unicode(), description: "UTF-7 (RFC 2152)" },
    Row { name: "UTF-32BE", mib: 1018, kind: Kind::Utf32(Some(Order::Big)), superset: Charset(10), windows_page: None, width: 4, properties: Properties::NONE.stateful().unicode(), description: "UTF-32, big-endian" },
    Row { name: "UTF-32LE", mib: 1019, kind: Kind::Utf32(Some(Order::Little)), superset: Charset(11), windows_page: None, width: 4, properties: Properties::NONE.stateful().unicode(), description: "UTF-32, little-endian" },
    Row { name: "CESU-8", mib: 1016, kind: Kind::Cesu8, superset: Charset(12), windows_page: None, width: 1, properties: Properties::NONE.ascii().unicode(), description: "CESU-8 (UTR 26)" },
    Row { name: "ISO-10646-UCS-2", mib: 1000, kind: Kind::Utf16(None), superset: Charset(5), windows_page: None, width: 2, properties: Properties::NONE.stateful().unicode(), description: "UCS-2" },
    Row { name: "ISO-10646-UCS-4", mib: 1001, kind: Kind::Utf32(None), superset: Charset(8), windows_page: None, width: 4, properties: Properties::NONE.stateful().unicode(), description: "UCS-4" },
    Row { name: "ISO-8859-2", mib: 5, kind: Kind::SingleByte(Page::Web(Web::Iso8859_2)), superset: Charset(15), windows_page: Some(Charset(35)), width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-2, Central European" },
    Row { name: "ISO-8859-3", mib: 6, kind: Kind::SingleByte(Page::Web(Web::Iso8859_3)), superset: Charset(16), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-3, South European" },
    Row { name: "ISO-8859-4", mib: 7, kind: Kind::SingleByte(Page::Web(Web::Iso8859_4)), superset: Charset(17), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-4, North European" },
    Row { name: "ISO-8859-5", mib: 8, kind: Kind::SingleByte(Page::Web(Web::Iso8859_5)), superset: Charset(18), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-5, Cyrillic" },
    Row { name: "ISO-8859-6", mib: 9, kind: Kind::SingleByte(Page::Web(Web::Iso8859_6)), superset: Charset(19), windows_page: Some(Charset(40)), width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-6, Arabic" },
    Row { name: "ISO-8859-6-E", mib: 81, kind: Kind::SingleByte(Page::Web(Web::Iso8859_6)), superset: Charset(19), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-6-E, Arabic with explicit direction (RFC 1556)" },
    Row { name: "ISO-8859-6-I", mib: 82, kind: Kind::SingleByte(Page::Web(Web::Iso8859_6)), superset: Charset(19), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-6-I, Arabic with implicit direction (RFC 1556)" },
    Row { name: "ISO-8859-7", mib: 10, kind: Kind::SingleByte(Page::Web(Web::Iso8859_7)), superset: Charset(22), windows_page: Some(Charset(37)), width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-7, Greek" },
    Row { name: "ISO-8859-8", mib: 11, kind: Kind::SingleByte(Page::Hebrew), superset: Charset(23), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-8, Hebrew in visual order" },
    Row { name: "ISO-8859-8-E", mib: 84, kind: Kind::SingleByte(Page::Hebrew), superset: Charset(23), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-8-E, Hebrew with explicit direction (RFC 1556)" },
    Row { name: "ISO-8859-8-I", mib: 85, kind: Kind::SingleByte(Page::Hebrew), superset: Charset(23), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-8-I, Hebrew in logical order (RFC 1556)" },
    Row { name: "ISO-8859-9", mib: 12, kind: Kind::SingleByte(Page::IsoInWindows(Web::Windows1254)), superset: Charset(38), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-9, Turkish" },
    Row { name: "ISO-8859-10", mib: 13, kind: Kind::SingleByte(Page::Web(Web::Iso8859_10)), superset: Charset(27), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-10, Nordic" },
    Row { name: "ISO-8859-11", mib: 0, kind: Kind::SingleByte(Page::IsoInWindows(Web::Windows874)), superset: Charset(34), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-11, Thai" },
    Row { name: "ISO-8859-13", mib: 109, kind: Kind::SingleByte(Page::Web(Web::Iso8859_13)), superset: Charset(29), windows_page: Some(Charset(41)), width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-13, Baltic" },
    Row { name: "ISO-8859-14", mib: 110, kind: Kind::SingleByte(Page::Web(Web::Iso8859_14)), superset: Charset(30), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-14, Celtic" },
    Row { name: "ISO-8859-15", mib: 111, kind: Kind::SingleByte(Page::Web(Web::Iso8859_15)), superset: Charset(31), windows_page: Some(Charset(2)), width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-15, Western European with the euro" },
    Row { name: "ISO-8859-16", mib: 112, kind: Kind::SingleByte(Page::Web(Web::Iso8859_16)), superset: Charset(32), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISO-8859-16, South-Eastern European" },
    Row { name: "TIS-620", mib: 2259, kind: Kind::SingleByte(Page::Tis620), superset: Charset(34), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "TIS-620, Thai" },
    Row { name: "windows-874", mib: 2109, kind: Kind::SingleByte(Page::Windows(Web::Windows874)), superset: Charset(34), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "windows-874, Thai" },
    Row { name: "windows-1250", mib: 2250, kind: Kind::SingleByte(Page::Windows(Web::Windows1250)), superset: Charset(35), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "windows-1250, Central European" },
    Row { name: "windows-1251", mib: 2251, kind: Kind::SingleByte(Page::Windows(Web::Windows1251)), superset: Charset(36), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "windows-1251, Cyrillic" },
    Row { name: "windows-1253", mib: 2253, kind: Kind::SingleByte(Page::Windows(Web::Windows1253)), superset: Charset(37), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "windows-1253, Greek" },
    Row { name: "windows-1254", mib: 2254, kind: Kind::SingleByte(Page::Windows(Web::Windows1254)), superset: Charset(38), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "windows-1254, Turkish" },
    Row { name: "windows-1255", mib: 2255, kind: Kind::SingleByte(Page::Windows(Web::Windows1255)), superset: Charset(39), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "windows-1255, Hebrew" },
    Row { name: "windows-1256", mib: 2256, kind: Kind::SingleByte(Page::Windows(Web::Windows1256)), superset: Charset(40), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "windows-1256, Arabic" },
    Row { name: "windows-1257", mib: 2257, kind: Kind::SingleByte(Page::Windows(Web::Windows1257)), superset: Charset(41), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "windows-1257, Baltic" },
    Row { name: "windows-1258", mib: 2258, kind: Kind::SingleByte(Page::Windows(Web::Windows1258)), superset: Charset(42), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "windows-1258, Vietnamese" },
    Row { name: "KOI8-R", mib: 2084, kind: Kind::SingleByte(Page::Web(Web::Koi8R)), superset: Charset(43), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "KOI8-R, Russian (RFC 1489)" },
    Row { name: "KOI8-U", mib: 2088, kind: Kind::SingleByte(Page::Koi8U), superset: Charset(44), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "KOI8-U, Ukrainian (RFC 2319)" },
    Row { name: "macintosh", mib: 2027, kind: Kind::SingleByte(Page::Web(Web::Macintosh)), superset: Charset(45), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac Roman" },
    Row { name: "x-mac-cyrillic", mib: 0, kind: Kind::SingleByte(Page::Web(Web::XMacCyrillic)), superset: Charset(46), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac Cyrillic" },
    Row { name: "IBM866", mib: 2086, kind: Kind::SingleByte(Page::Web(Web::Ibm866)), superset: Charset(47), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM866, Cyrillic DOS" },
    Row { name: "GB2312", mib: 2025, kind: Kind::DoubleByte(Family::Gb18030, Subset::Gb2312), superset: Charset(50), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "GB2312, simplified Chinese" },
    Row { name: "GBK", mib: 113, kind: Kind::DoubleByte(Family::Gb18030, Subset::Gbk), superset: Charset(50), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "GBK, simplified Chinese" },
    Row { name: "GB18030", mib: 114, kind: Kind::DoubleByte(Family::Gb18030, Subset::All), superset: Charset(50), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "GB18030" },
    Row { name: "Big5", mib: 2026, kind: Kind::DoubleByte(Family::Big5, Subset::All), superset: Charset(51), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Big5, traditional Chinese, with the characters of Hong Kong" },
    Row { name: "Big5-HKSCS", mib: 2101, kind: Kind::MultiByte(Layout::Stored, Set::Big5Hkscs), superset: Charset(51), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Big5 with the characters of Hong Kong of 2008" },
    Row { name: "EUC-JP", mib: 18, kind: Kind::DoubleByte(Family::EucJp, Subset::JisEuc), superset: Charset(53), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "EUC-JP, Japanese" },
    Row { name: "EUC-KR", mib: 38, kind: Kind::DoubleByte(Family::EucKr, Subset::Ksx1001), superset: Charset(56), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "EUC-KR, Korean (RFC 1557)" },
    Row { name: "KS_C_5601-1987", mib: 36, kind: Kind::DoubleByte(Family::EucKr, Subset::Ksx1001), superset: Charset(56), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "KS_C_5601-1987, as mail uses the name" },
    Row { name: "windows-949", mib: 0, kind: Kind::DoubleByte(Family::EucKr, Subset::All), superset: Charset(56), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "windows-949, Korean" },
    Row { name: "Shift_JIS", mib: 17, kind: Kind::DoubleByte(Family::ShiftJis, Subset::JisShifted), superset: Charset(58), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Shift_JIS, Japanese" },
    Row { name: "Windows-31J", mib: 2024, kind: Kind::DoubleByte(Family::ShiftJis, Subset::All), superset: Charset(58), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Windows-31J, Japanese" },
    Row { name: "ISO-2022-JP-2", mib: 40, kind: Kind::Iso2022(Flavor::Jp2), superset: Charset(4), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "ISO-2022-JP-2 (RFC 1554); one machine reads both" },
    Row { name: "EUC-TW", mib: 0, kind: Kind::MultiByte(Layout::EucPlanes, Set::Cns11643), superset: Charset(60), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "EUC-TW, traditional Chinese (CNS 11643)" },
    Row { name: "EUC-JIS-2004", mib: 0, kind: Kind::MultiByte(Layout::EucJisx0213, Set::Jisx0213), superset: Charset(61), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "EUC-JIS-2004, Japanese (JIS X 0213)" },
    Row { name: "Shift_JIS-2004", mib: 0, kind: Kind::MultiByte(Layout::ShiftJisx0213, Set::Jisx0213), superset: Charset(62), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Shift_JIS-2004, Japanese (JIS X 0213); ASCII for the bytes below 80" },
    Row { name: "JOHAB", mib: 0, kind: Kind::MultiByte(Layout::Pairs, Set::Johab), superset: Charset(63), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "JOHAB, Korean (KS X 1001:1992 annex 3)" },
    Row { name: "GB12345", mib: 0, kind: Kind::MultiByte(Layout::Euc, Set::Gb12345), superset: Charset(64), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "GB12345, traditional Chinese in EUC form (RFC 1922: CN-GB-12345)" },
    Row { name: "CN-GB-ISOIR165", mib: 0, kind: Kind::MultiByte(Layout::Euc, Set::Isoir165), superset: Charset(65), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "CN-GB-ISOIR165, Chinese: ISO-IR-165 in EUC form (RFC 1922)" },
    Row { name: "ISO-IR-165", mib: 0, kind: Kind::Iso2022(Flavor::Raw(iso2022::CodedSet::IsoIr165)), superset: Charset(66), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "ISO-IR-165 by itself, in seven bits" },
    Row { name: "JIS_C6226-1978", mib: 49, kind: Kind::Iso2022(Flavor::Raw(iso2022::CodedSet::Jis1978)), superset: Charset(67), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "JIS_C6226-1978, two bytes, seven bits" },
    Row { name: "JIS_C6226-1983", mib: 63, kind: Kind::Iso2022(Flavor::Raw(iso2022::CodedSet::Jisx0208)), superset: Charset(68), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "JIS_C6226-1983, JIS X 0208 by itself, in seven bits" },
    Row { name: "JIS_X0212-1990", mib: 98, kind: Kind::Iso2022(Flavor::Raw(iso2022::CodedSet::Jisx0212)), superset: Charset(69), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "JIS_X0212-1990 by itself, in seven bits" },
    Row { name: "Extended_UNIX_Code_Fixed_Width_for_Japanese", mib: 19, kind: Kind::EucFixedWidth, superset: Charset(70), windows_page: None, width: 2, properties: Properties::NONE.stateful(), description: "EUC-JP in two octets a character" },
    Row { name: "ISO-2022-KR", mib: 37, kind: Kind::Iso2022(Flavor::Kr), superset: Charset(71), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "ISO-2022-KR, Korean (RFC 1557)" },
    Row { name: "HZ-GB-2312", mib: 2085, kind: Kind::Iso2022(Flavor::Hz), superset: Charset(72), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "HZ-GB-2312, simplified Chinese (RFC 1843)" },
    Row { name: "IBM437", mib: 2011, kind: Kind::SingleByte(Page::Own(pages::IBM437)), superset: Charset(73), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM437, DOS in the United States" },
    Row { name: "IBM850", mib: 2009, kind: Kind::SingleByte(Page::Own(pages::IBM850)), superset: Charset(74), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM850, DOS in Western Europe" },
    Row { name: "IBM852", mib: 2010, kind: Kind::SingleByte(Page::Own(pages::IBM852)), superset: Charset(75), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM852, DOS in Central Europe" },
    Row { name: "IBM00858", mib: 2089, kind: Kind::SingleByte(Page::Own(pages::IBM00858)), superset: Charset(76), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM00858, IBM850 with the euro" },
    Row { name: "UTF-7-IMAP", mib: 1021, kind: Kind::Utf7Imap, superset: Charset(77), windows_page: None, width: 1, properties: Properties::NONE.stateful().unicode(), description: "UTF-7-IMAP, mailbox names (RFC 3501 5.1.3) as text" },
    Row { name: "SCSU", mib: 1011, kind: Kind::Scsu, superset: Charset(78), windows_page: None, width: 1, properties: Properties::NONE.stateful().unicode(), description: "SCSU (UTS 6)" },
    Row { name: "BOCU-1", mib: 1020, kind: Kind::Bocu1, superset: Charset(79), windows_page: None, width: 1, properties: Properties::NONE.stateful().unicode(), description: "BOCU-1 (UTN 6)" },
    Row { name: "ISO-10646-UTF-1", mib: 27, kind: Kind::Utf1, superset: Charset(80), windows_page: None, width: 1, properties: Properties::NONE.unicode(), description: "UTF-1 (ISO 10646-1:1993 Annex G)" },
    Row { name: "UTF-EBCDIC", mib: 0, kind: Kind::UtfEbcdic, superset: Charset(81), windows_page: None, width: 1, properties: Properties::NONE.ebcdic().unicode(), description: "UTF-EBCDIC (UTR 16)" },
    Row { name: "UTF-8-MAC", mib: 0, kind: Kind::Utf8, superset: Charset(0), windows_page: None, width: 1, properties: Properties::NONE.ascii().unicode(), description: "UTF-8 of decomposed file names; characters are carried as they are, neither composed nor decomposed" },
    Row { name: "UNICODE-1-1-UTF-7", mib: 103, kind: Kind::Utf7, superset: Charset(9), windows_page: None, width: 1, properties: Properties::NONE.stateful().unicode(), description: "UTF-7 of RFC 1642" },
    Row { name: "UNICODE-1-1", mib: 1010, kind: Kind::Utf16(Some(Order::Big)), superset: Charset(6), windows_page: None, width: 2, properties: Properties::NONE.stateful().unicode(), description: "Unicode 1.1 in big-endian units (RFC 1641)" },
    Row { name: "ISO-10646-UCS-Basic", mib: 1002, kind: Kind::Utf16(Some(Order::Big)), superset: Charset(6), windows_page: None, width: 2, properties: Properties::NONE.stateful().unicode(), description: "the Basic Latin part of UCS-2" },
    Row { name: "ISO-10646-Unicode-Latin1", mib: 1003, kind: Kind::Utf16(Some(Order::Big)), superset: Charset(6), windows_page: None, width: 2, properties: Properties::NONE.stateful().unicode(), description: "the Latin-1 part of UCS-2" },
    Row { name: "ISO-10646-J-1", mib: 1004, kind: Kind::Utf16(Some(Order::Big)), superset: Charset(6), windows_page: None, width: 2, properties: Properties::NONE.stateful().unicode(), description: "the Japanese part of UCS-2 (RFC 1815)" },
    Row { name: "ISO-Unicode-IBM-1261", mib: 1005, kind: Kind::Utf16(Some(Order::Big)), superset: Charset(6), windows_page: None, width: 2, properties: Properties::NONE.stateful().unicode(), description: "a part of UCS-2 named by IBM: Latin-2, -3, -5, Windows-1250" },
    Row { name: "ISO-Unicode-IBM-1268", mib: 1006, kind: Kind::Utf16(Some(Order::Big)), superset: Charset(6), windows_page: None, width: 2, properties: Properties::NONE.stateful().unicode(), description: "a part of UCS-2 named by IBM: Latin and Greek" },
    Row { name: "ISO-Unicode-IBM-1276", mib: 1007, kind: Kind::Utf16(Some(Order::Big)), superset: Charset(6), windows_page: None, width: 2, properties: Properties::NONE.stateful().unicode(), description: "a part of UCS-2 named by IBM: Cyrillic and Greek" },
    Row { name: "ISO-Unicode-IBM-1264", mib: 1008, kind: Kind::Utf16(Some(Order::Big)), superset: Charset(6), windows_page: None, width: 2, properties: Properties::NONE.stateful().unicode(), description: "a part of UCS-2 named by IBM: Arabic" },
    Row { name: "ISO-Unicode-IBM-1265", mib: 1009, kind: Kind::Utf16(Some(Order::Big)), superset: Charset(6), windows_page: None, width: 2, properties: Properties::NONE.stateful().unicode(), description: "a part of UCS-2 named by IBM: Hebrew" },
    Row { name: "ISO-2022-JP-1", mib: 0, kind: Kind::Iso2022(Flavor::Jp1), superset: Charset(4), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "ISO-2022-JP-1 (RFC 2237), with JIS X 0212" },
    Row { name: "ISO-2022-JP-3", mib: 0, kind: Kind::Iso2022(Flavor::Jp3), superset: Charset(4), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "ISO-2022-JP-3 (JIS X 0213:2000)" },
    Row { name: "ISO-2022-JP-2004", mib: 0, kind: Kind::Iso2022(Flavor::Jp2004), superset: Charset(4), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "ISO-2022-JP-2004 (JIS X 0213:2004)" },
    Row { name: "CP50220", mib: 2260, kind: Kind::Iso2022(Flavor::Cp50220), superset: Charset(4), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "CP50220, ISO-2022-JP of Microsoft" },
    Row { name: "CP50221", mib: 0, kind: Kind::Iso2022(Flavor::Cp50221), superset: Charset(4), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "CP50221, the same with half-width katakana" },
    Row { name: "CP50222", mib: 0, kind: Kind::Iso2022(Flavor::Cp50222), superset: Charset(4), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "CP50222, the same with half-width katakana by SO" },
    Row { name: "ISO-2022-CN", mib: 104, kind: Kind::Iso2022(Flavor::Cn), superset: Charset(100), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "ISO-2022-CN, Chinese (RFC 1922)" },
    Row { name: "ISO-2022-CN-EXT", mib: 105, kind: Kind::Iso2022(Flavor::CnExt), superset: Charset(100), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "ISO-2022-CN-EXT, Chinese (RFC 1922)" },
    Row { name: "T.61-8bit", mib: 76, kind: Kind::Sequences(&sequences::T_61_8BIT), superset: Charset(101), windows_page: None, width: 1, properties: Properties::NONE, description: "T.61, teletex with a non-spacing mark before its letter" },
    Row { name: "T.101-G2", mib: 83, kind: Kind::Sequences(&sequences::T_101_G2), superset: Charset(102), windows_page: None, width: 1, properties: Properties::NONE, description: "T.101-G2, videotex with a non-spacing mark before its letter" },
    Row { name: "ISO_6937-2-add", mib: 14, kind: Kind::Sequences(&sequences::ISO_6937_2_ADD), superset: Charset(103), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO_6937-2-add, with a non-spacing mark before its letter" },
    Row { name: "videotex-suppl", mib: 59, kind: Kind::Sequences(&sequences::VIDEOTEX_SUPPL), superset: Charset(104), windows_page: None, width: 1, properties: Properties::NONE, description: "videotex-suppl (ISO-IR-70), with a non-spacing mark before its letter" },
    Row { name: "iso-ir-90", mib: 66, kind: Kind::Sequences(&sequences::ISO_IR_90), superset: Charset(105), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO-IR-90, with a non-spacing mark before its letter" },
    Row { name: "ANSI_X3.110-1983", mib: 74, kind: Kind::Sequences(&sequences::ANSI_X3_110_1983), superset: Charset(2), windows_page: None, width: 1, properties: Properties::NONE, description: "ANSI X3.110-1983 (NAPLPS), with a non-spacing mark before its letter" },
    Row { name: "VIQR", mib: 2083, kind: Kind::Sequences(&sequences::VIQR), superset: Charset(107), windows_page: None, width: 1, properties: Properties::NONE, description: "VIQR, Vietnamese in ASCII (RFC 1456)" },
    Row { name: "MNEMONIC", mib: 2080, kind: Kind::Sequences(&sequences::MNEMONIC), superset: Charset(108), windows_page: None, width: 1, properties: Properties::NONE, description: "MNEMONIC, characters by name behind `&` (RFC 1345)" },
    Row { name: "MNEM", mib: 2081, kind: Kind::Sequences(&sequences::MNEM), superset: Charset(109), windows_page: None, width: 1, properties: Properties::NONE, description: "MNEM, characters by name behind SPACE BACKSPACE (RFC 1345)" },
    Row { name: "TSCII", mib: 2107, kind: Kind::Sequences(&sequences::TSCII), superset: Charset(110), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "TSCII, Tamil in visual order" },
    Row { name: "GSM0338", mib: 0, kind: Kind::Sequences(&sequences::GSM0338), superset: Charset(111), windows_page: None, width: 1, properties: Properties::NONE, description: "GSM 03.38, short messages in octets (3GPP TS 23.038)" },
    Row { name: "KOI7-switched", mib: 2105, kind: Kind::Koi7, superset: Charset(112), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "KOI7-switched, Russian between SO and SI" },
    Row { name: "us-dk", mib: 100, kind: Kind::SingleByte(Page::Ascii), superset: Charset(113), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "us-dk, ASCII where Danish letters may take the places of brackets (RFC 1345)" },
    Row { name: "dk-us", mib: 101, kind: Kind::Sequences(&sequences::DK_US), superset: Charset(114), windows_page: None, width: 1, properties: Properties::NONE, description: "dk-us, ASCII with Danish letters in place of brackets (RFC 1345)" },
    Row { name: "JIS_X0201", mib: 15, kind: Kind::SingleByte(Page::Own(pages::JIS_X0201)), superset: Charset(115), windows_page: None, width: 1, properties: Properties::NONE, description: "JIS X 0201: Roman letters below, half-width kana above" },
    Row { name: "BS_4730", mib: 20, kind: Kind::SingleByte(Page::Own(pages::BS_4730)), superset: Charset(116), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, United Kingdom (ISO-IR 4)" },
    Row { name: "SEN_850200_C", mib: 21, kind: Kind::SingleByte(Page::Own(pages::SEN_850200_C)), superset: Charset(117), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Sweden, for names (ISO-IR 11)" },
    Row { name: "IT", mib: 22, kind: Kind::SingleByte(Page::Own(pages::IT)), superset: Charset(118), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Italy (ISO-IR 15)" },
    Row { name: "ES", mib: 23, kind: Kind::SingleByte(Page::Own(pages::ES)), superset: Charset(119), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Spain (ISO-IR 17)" },
    Row { name: "DIN_66003", mib: 24, kind: Kind::SingleByte(Page::Own(pages::DIN_66003)), superset: Charset(120), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Germany (ISO-IR 21)" },
    Row { name: "NS_4551-1", mib: 25, kind: Kind::SingleByte(Page::Own(pages::NS_4551_1)), superset: Charset(121), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Norway (ISO-IR 60)" },
    Row { name: "NF_Z_62-010", mib: 26, kind: Kind::SingleByte(Page::Own(pages::NF_Z_62_010)), superset: Charset(122), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, France (ISO-IR 69)" },
    Row { name: "ISO_646.irv:1983", mib: 30, kind: Kind::SingleByte(Page::Own(pages::ISO_646_IRV_1983)), superset: Charset(123), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, international version of 1983 (ISO-IR 2)" },
    Row { name: "NATS-SEFI", mib: 31, kind: Kind::SingleByte(Page::Own(pages::NATS_SEFI)), superset: Charset(124), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646 for newspapers of Sweden and Finland (ISO-IR 8-1)" },
    Row { name: "NATS-DANO", mib: 33, kind: Kind::SingleByte(Page::Own(pages::NATS_DANO)), superset: Charset(125), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646 for newspapers of Denmark and Norway (ISO-IR 9-1)" },
    Row { name: "SEN_850200_B", mib: 35, kind: Kind::SingleByte(Page::Own(pages::SEN_850200_B)), superset: Charset(126), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Sweden (ISO-IR 10)" },
    Row { name: "JIS_C6220-1969-ro", mib: 42, kind: Kind::SingleByte(Page::Own(pages::JIS_C6220_1969_RO)), superset: Charset(127), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Japan (ISO-IR 14)" },
    Row { name: "PT", mib: 43, kind: Kind::SingleByte(Page::Own(pages::PT)), superset: Charset(128), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Portugal (ISO-IR 16)" },
    Row { name: "greek7-old", mib: 44, kind: Kind::SingleByte(Page::Own(pages::GREEK7_OLD)), superset: Charset(129), windows_page: None, width: 1, properties: Properties::NONE, description: "Greek capitals in seven bits (ISO-IR 18)" },
    Row { name: "latin-greek", mib: 45, kind: Kind::SingleByte(Page::Own(pages::LATIN_GREEK)), superset: Charset(130), windows_page: None, width: 1, properties: Properties::NONE, description: "Latin and Greek capitals in seven bits (ISO-IR 19)" },
    Row { name: "NF_Z_62-010_(1973)", mib: 46, kind: Kind::SingleByte(Page::Own(pages::NF_Z_62_010__1973_)), superset: Charset(131), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, France, of 1973 (ISO-IR 25)" },
    Row { name: "Latin-greek-1", mib: 47, kind: Kind::SingleByte(Page::Own(pages::LATIN_GREEK_1)), superset: Charset(132), windows_page: None, width: 1, properties: Properties::NONE, description: "Greek capitals without the Latin look-alikes (ISO-IR 27)" },
    Row { name: "ISO_5427", mib: 48, kind: Kind::SingleByte(Page::Own(pages::ISO_5427)), superset: Charset(133), windows_page: None, width: 1, properties: Properties::NONE, description: "Cyrillic in seven bits (ISO-IR 37)" },
    Row { name: "INIS", mib: 51, kind: Kind::SingleByte(Page::Own(pages::INIS)), superset: Charset(134), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646 of the International Nuclear Information System (ISO-IR 49)" },
    Row { name: "INIS-cyrillic", mib: 53, kind: Kind::SingleByte(Page::Own(pages::INIS_CYRILLIC)), superset: Charset(135), windows_page: None, width: 1, properties: Properties::NONE, description: "Cyrillic of the International Nuclear Information System (ISO-IR 51)" },
    Row { name: "ISO_5428:1980", mib: 55, kind: Kind::SingleByte(Page::Own(pages::ISO_5428_1980)), superset: Charset(136), windows_page: None, width: 1, properties: Properties::NONE, description: "Greek for bibliographies in seven bits (ISO-IR 55)" },
    Row { name: "GB_1988-80", mib: 56, kind: Kind::SingleByte(Page::Own(pages::GB_1988_80)), superset: Charset(137), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, China (ISO-IR 57)" },
    Row { name: "NS_4551-2", mib: 58, kind: Kind::SingleByte(Page::Own(pages::NS_4551_2)), superset: Charset(138), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Norway, second version (ISO-IR 61)" },
    Row { name: "PT2", mib: 60, kind: Kind::SingleByte(Page::Own(pages::PT2)), superset: Charset(139), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Portugal, second version (ISO-IR 84)" },
    Row { name: "ES2", mib: 61, kind: Kind::SingleByte(Page::Own(pages::ES2)), superset: Charset(140), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Spain, second version (ISO-IR 85)" },
    Row { name: "MSZ_7795.3", mib: 62, kind: Kind::SingleByte(Page::Own(pages::MSZ_7795_3)), superset: Charset(141), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Hungary (ISO-IR 86)" },
    Row { name: "greek7", mib: 64, kind: Kind::SingleByte(Page::Own(pages::GREEK7)), superset: Charset(142), windows_page: None, width: 1, properties: Properties::NONE, description: "Greek in seven bits (ISO-IR 88)" },
    Row { name: "ASMO_449", mib: 65, kind: Kind::SingleByte(Page::Own(pages::ASMO_449)), superset: Charset(143), windows_page: None, width: 1, properties: Properties::NONE, description: "Arabic in seven bits (ISO-IR 89)" },
    Row { name: "JIS_C6229-1984-b", mib: 68, kind: Kind::SingleByte(Page::Own(pages::JIS_C6229_1984_B)), superset: Charset(144), windows_page: None, width: 1, properties: Properties::NONE, description: "OCR-B of Japan (ISO-IR 92)" },
    Row { name: "ECMA-cyrillic", mib: 77, kind: Kind::SingleByte(Page::Own(pages::ECMA_CYRILLIC)), superset: Charset(145), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Cyrillic of ECMA-113 (ISO-IR 111)" },
    Row { name: "CSA_Z243.4-1985-1", mib: 78, kind: Kind::SingleByte(Page::Own(pages::CSA_Z243_4_1985_1)), superset: Charset(146), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Canada (ISO-IR 121)" },
    Row { name: "CSA_Z243.4-1985-2", mib: 79, kind: Kind::SingleByte(Page::Own(pages::CSA_Z243_4_1985_2)), superset: Charset(147), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Canada, second version (ISO-IR 122)" },
    Row { name: "CSN_369103", mib: 86, kind: Kind::SingleByte(Page::Own(pages::CSN_369103)), superset: Charset(148), windows_page: None, width: 1, properties: Properties::NONE, description: "Czech and Slovak of CSN 36 91 03 (ISO-IR 139)" },
    Row { name: "JUS_I.B1.002", mib: 87, kind: Kind::SingleByte(Page::Own(pages::JUS_I_B1_002)), superset: Charset(149), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Yugoslavia (ISO-IR 141)" },
    Row { name: "IEC_P27-1", mib: 88, kind: Kind::SingleByte(Page::Own(pages::IEC_P27_1)), superset: Charset(150), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Signs of IEC P27-1 (ISO-IR 143)" },
    Row { name: "greek-ccitt", mib: 91, kind: Kind::SingleByte(Page::Own(pages::GREEK_CCITT)), superset: Charset(151), windows_page: None, width: 1, properties: Properties::NONE, description: "Greek of the CCITT in seven bits (ISO-IR 150)" },
    Row { name: "NC_NC00-10:81", mib: 92, kind: Kind::SingleByte(Page::Own(pages::NC_NC00_10_81)), superset: Charset(152), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Cuba (ISO-IR 151)" },
    Row { name: "GOST_19768-74", mib: 94, kind: Kind::SingleByte(Page::Own(pages::GOST_19768_74)), superset: Charset(153), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Cyrillic of GOST 19768-74 (ISO-IR 153)" },
    Row { name: "ISO_10367-box", mib: 96, kind: Kind::SingleByte(Page::Own(pages::ISO_10367_BOX)), superset: Charset(154), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Box drawing of ISO 10367 (ISO-IR 155)" },
    Row { name: "DS_2089", mib: 99, kind: Kind::SingleByte(Page::Own(pages::DS_2089)), superset: Charset(155), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Denmark" },
    Row { name: "KSC5636", mib: 102, kind: Kind::SingleByte(Page::Own(pages::KSC5636)), superset: Charset(156), windows_page: None, width: 1, properties: Properties::NONE, description: "ISO 646, Korea" },
    Row { name: "ISO-11548-1", mib: 118, kind: Kind::SingleByte(Page::Own(pages::ISO_11548_1)), superset: Charset(157), windows_page: None, width: 1, properties: Properties::NONE, description: "Braille patterns, eight dots (ISO 11548-1)" },
    Row { name: "KZ-1048", mib: 119, kind: Kind::SingleByte(Page::Own(pages::KZ_1048)), superset: Charset(158), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Kazakh (STRK1048-2002)" },
    Row { name: "hp-roman8", mib: 2004, kind: Kind::SingleByte(Page::Own(pages::HP_ROMAN8)), superset: Charset(159), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "HP Roman-8" },
    Row { name: "Adobe-Standard-Encoding", mib: 2005, kind: Kind::SingleByte(Page::Own(pages::ADOBE_STANDARD_ENCODING)), superset: Charset(160), windows_page: None, width: 1, properties: Properties::NONE, description: "Adobe's encoding of PostScript fonts" },
    Row { name: "DEC-MCS", mib: 2008, kind: Kind::SingleByte(Page::Own(pages::DEC_MCS)), superset: Charset(161), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "DEC Multinational" },
    Row { name: "IBM862", mib: 2013, kind: Kind::SingleByte(Page::Own(pages::IBM862)), superset: Charset(162), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM862, DOS Hebrew" },
    Row { name: "IBM-Thai", mib: 2016, kind: Kind::SingleByte(Page::Own(pages::IBM_THAI)), superset: Charset(163), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM838, EBCDIC Thai" },
    Row { name: "IBM037", mib: 2028, kind: Kind::SingleByte(Page::Own(pages::IBM037)), superset: Charset(164), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM037, EBCDIC of the United States and Canada" },
    Row { name: "IBM038", mib: 2029, kind: Kind::SingleByte(Page::Own(pages::IBM038)), superset: Charset(165), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM038, EBCDIC international" },
    Row { name: "IBM273", mib: 2030, kind: Kind::SingleByte(Page::Own(pages::IBM273)), superset: Charset(166), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM273, EBCDIC of Germany and Austria" },
    Row { name: "IBM274", mib: 2031, kind: Kind::SingleByte(Page::Own(pages::IBM274)), superset: Charset(167), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM274, EBCDIC of Belgium" },
    Row { name: "IBM275", mib: 2032, kind: Kind::SingleByte(Page::Own(pages::IBM275)), superset: Charset(168), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM275, EBCDIC of Brazil" },
    Row { name: "IBM277", mib: 2033, kind: Kind::SingleByte(Page::Own(pages::IBM277)), superset: Charset(169), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM277, EBCDIC of Denmark and Norway" },
    Row { name: "IBM278", mib: 2034, kind: Kind::SingleByte(Page::Own(pages::IBM278)), superset: Charset(170), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM278, EBCDIC of Finland and Sweden" },
    Row { name: "IBM280", mib: 2035, kind: Kind::SingleByte(Page::Own(pages::IBM280)), superset: Charset(171), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM280, EBCDIC of Italy" },
    Row { name: "IBM281", mib: 2036, kind: Kind::SingleByte(Page::Own(pages::IBM281)), superset: Charset(172), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM281, EBCDIC of Japan, Latin" },
    Row { name: "IBM284", mib: 2037, kind: Kind::SingleByte(Page::Own(pages::IBM284)), superset: Charset(173), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM284, EBCDIC of Spain" },
    Row { name: "IBM285", mib: 2038, kind: Kind::SingleByte(Page::Own(pages::IBM285)), superset: Charset(174), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM285, EBCDIC of the United Kingdom" },
    Row { name: "IBM290", mib: 2039, kind: Kind::SingleByte(Page::Own(pages::IBM290)), superset: Charset(175), windows_page: None, width: 1, properties: Properties::NONE, description: "IBM290, EBCDIC of Japan, kana" },
    Row { name: "IBM297", mib: 2040, kind: Kind::SingleByte(Page::Own(pages::IBM297)), superset: Charset(176), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM297, EBCDIC of France" },
    Row { name: "IBM420", mib: 2041, kind: Kind::SingleByte(Page::Own(pages::IBM420)), superset: Charset(177), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM420, EBCDIC Arabic" },
    Row { name: "IBM423", mib: 2042, kind: Kind::SingleByte(Page::Own(pages::IBM423)), superset: Charset(178), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM423, EBCDIC Greek" },
    Row { name: "IBM424", mib: 2043, kind: Kind::SingleByte(Page::Own(pages::IBM424)), superset: Charset(179), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM424, EBCDIC Hebrew" },
    Row { name: "IBM500", mib: 2044, kind: Kind::SingleByte(Page::Own(pages::IBM500)), superset: Charset(180), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM500, EBCDIC international" },
    Row { name: "IBM851", mib: 2045, kind: Kind::SingleByte(Page::Own(pages::IBM851)), superset: Charset(181), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM851, DOS Greek" },
    Row { name: "IBM855", mib: 2046, kind: Kind::SingleByte(Page::Own(pages::IBM855)), superset: Charset(182), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM855, DOS Cyrillic" },
    Row { name: "IBM857", mib: 2047, kind: Kind::SingleByte(Page::Own(pages::IBM857)), superset: Charset(183), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM857, DOS Turkish" },
    Row { name: "IBM860", mib: 2048, kind: Kind::SingleByte(Page::Own(pages::IBM860)), superset: Charset(184), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM860, DOS Portuguese" },
    Row { name: "IBM861", mib: 2049, kind: Kind::SingleByte(Page::Own(pages::IBM861)), superset: Charset(185), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM861, DOS Icelandic" },
    Row { name: "IBM863", mib: 2050, kind: Kind::SingleByte(Page::Own(pages::IBM863)), superset: Charset(186), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM863, DOS Canadian French" },
    Row { name: "IBM864", mib: 2051, kind: Kind::SingleByte(Page::Own(pages::IBM864)), superset: Charset(187), windows_page: None, width: 1, properties: Properties::NONE, description: "IBM864, DOS Arabic" },
    Row { name: "IBM865", mib: 2052, kind: Kind::SingleByte(Page::Own(pages::IBM865)), superset: Charset(188), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM865, DOS Nordic" },
    Row { name: "IBM868", mib: 2053, kind: Kind::SingleByte(Page::Own(pages::IBM868)), superset: Charset(189), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM868, DOS Urdu" },
    Row { name: "IBM869", mib: 2054, kind: Kind::SingleByte(Page::Own(pages::IBM869)), superset: Charset(190), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM869, DOS Greek" },
    Row { name: "IBM870", mib: 2055, kind: Kind::SingleByte(Page::Own(pages::IBM870)), superset: Charset(191), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM870, EBCDIC of Central Europe" },
    Row { name: "IBM871", mib: 2056, kind: Kind::SingleByte(Page::Own(pages::IBM871)), superset: Charset(192), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM871, EBCDIC of Iceland" },
    Row { name: "IBM880", mib: 2057, kind: Kind::SingleByte(Page::Own(pages::IBM880)), superset: Charset(193), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM880, EBCDIC Cyrillic" },
    Row { name: "IBM891", mib: 2058, kind: Kind::SingleByte(Page::Own(pages::IBM891)), superset: Charset(194), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM891, DOS Korean, one byte" },
    Row { name: "IBM903", mib: 2059, kind: Kind::SingleByte(Page::Own(pages::IBM903)), superset: Charset(195), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM903, DOS Chinese, one byte" },
    Row { name: "IBM904", mib: 2060, kind: Kind::SingleByte(Page::Own(pages::IBM904)), superset: Charset(196), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM904, DOS Taiwan, one byte" },
    Row { name: "IBM905", mib: 2061, kind: Kind::SingleByte(Page::Own(pages::IBM905)), superset: Charset(197), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM905, EBCDIC of Turkey, Latin-3" },
    Row { name: "IBM918", mib: 2062, kind: Kind::SingleByte(Page::Own(pages::IBM918)), superset: Charset(198), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM918, EBCDIC Urdu" },
    Row { name: "IBM1026", mib: 2063, kind: Kind::SingleByte(Page::Own(pages::IBM1026)), superset: Charset(199), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1026, EBCDIC of Turkey" },
    Row { name: "EBCDIC-AT-DE", mib: 2064, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_AT_DE)), superset: Charset(200), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Austria and Germany" },
    Row { name: "EBCDIC-AT-DE-A", mib: 2065, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_AT_DE_A)), superset: Charset(201), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Austria and Germany, alternate" },
    Row { name: "EBCDIC-CA-FR", mib: 2066, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_CA_FR)), superset: Charset(202), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of French Canada" },
    Row { name: "EBCDIC-DK-NO", mib: 2067, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_DK_NO)), superset: Charset(203), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Denmark and Norway" },
    Row { name: "EBCDIC-DK-NO-A", mib: 2068, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_DK_NO_A)), superset: Charset(204), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Denmark and Norway, alternate" },
    Row { name: "EBCDIC-FI-SE", mib: 2069, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_FI_SE)), superset: Charset(205), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Finland and Sweden" },
    Row { name: "EBCDIC-FI-SE-A", mib: 2070, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_FI_SE_A)), superset: Charset(206), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Finland and Sweden, alternate" },
    Row { name: "EBCDIC-FR", mib: 2071, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_FR)), superset: Charset(207), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of France" },
    Row { name: "EBCDIC-IT", mib: 2072, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_IT)), superset: Charset(208), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Italy" },
    Row { name: "EBCDIC-PT", mib: 2073, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_PT)), superset: Charset(209), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Portugal" },
    Row { name: "EBCDIC-ES", mib: 2074, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_ES)), superset: Charset(210), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Spain" },
    Row { name: "EBCDIC-ES-A", mib: 2075, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_ES_A)), superset: Charset(211), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Spain, alternate" },
    Row { name: "EBCDIC-ES-S", mib: 2076, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_ES_S)), superset: Charset(212), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Spain, for speaking countries" },
    Row { name: "EBCDIC-UK", mib: 2077, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_UK)), superset: Charset(213), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of the United Kingdom" },
    Row { name: "EBCDIC-US", mib: 2078, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_US)), superset: Charset(214), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of the United States" },
    Row { name: "VISCII", mib: 2082, kind: Kind::SingleByte(Page::Own(pages::VISCII)), superset: Charset(215), windows_page: None, width: 1, properties: Properties::NONE.ascii_text(), description: "VISCII, Vietnamese (RFC 1456); letters in six places of controls" },
    Row { name: "IBM775", mib: 2087, kind: Kind::SingleByte(Page::Own(pages::IBM775)), superset: Charset(216), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM775, DOS Baltic" },
    Row { name: "IBM00924", mib: 2090, kind: Kind::SingleByte(Page::Own(pages::IBM00924)), superset: Charset(217), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM924, EBCDIC Latin-9" },
    Row { name: "IBM01140", mib: 2091, kind: Kind::SingleByte(Page::Own(pages::IBM01140)), superset: Charset(218), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1140, IBM037 with the euro" },
    Row { name: "IBM01141", mib: 2092, kind: Kind::SingleByte(Page::Own(pages::IBM01141)), superset: Charset(219), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1141, IBM273 with the euro" },
    Row { name: "IBM01142", mib: 2093, kind: Kind::SingleByte(Page::Own(pages::IBM01142)), superset: Charset(220), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1142, IBM277 with the euro" },
    Row { name: "IBM01143", mib: 2094, kind: Kind::SingleByte(Page::Own(pages::IBM01143)), superset: Charset(221), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1143, IBM278 with the euro" },
    Row { name: "IBM01144", mib: 2095, kind: Kind::SingleByte(Page::Own(pages::IBM01144)), superset: Charset(222), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1144, IBM280 with the euro" },
    Row { name: "IBM01145", mib: 2096, kind: Kind::SingleByte(Page::Own(pages::IBM01145)), superset: Charset(223), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1145, IBM284 with the euro" },
    Row { name: "IBM01146", mib: 2097, kind: Kind::SingleByte(Page::Own(pages::IBM01146)), superset: Charset(224), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1146, IBM285 with the euro" },
    Row { name: "IBM01147", mib: 2098, kind: Kind::SingleByte(Page::Own(pages::IBM01147)), superset: Charset(225), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1147, IBM297 with the euro" },
    Row { name: "IBM01148", mib: 2099, kind: Kind::SingleByte(Page::Own(pages::IBM01148)), superset: Charset(226), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1148, IBM500 with the euro" },
    Row { name: "IBM01149", mib: 2100, kind: Kind::SingleByte(Page::Own(pages::IBM01149)), superset: Charset(227), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1149, IBM871 with the euro" },
    Row { name: "IBM1047", mib: 2102, kind: Kind::SingleByte(Page::Own(pages::IBM1047)), superset: Charset(228), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1047, EBCDIC Latin-1 of open systems" },
    Row { name: "PTCP154", mib: 2103, kind: Kind::SingleByte(Page::Own(pages::PTCP154)), superset: Charset(229), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Cyrillic of Asian languages (ParaType)" },
    Row { name: "BRF", mib: 2106, kind: Kind::SingleByte(Page::Own(pages::BRF)), superset: Charset(230), windows_page: None, width: 1, properties: Properties::NONE, description: "Braille in ASCII, as Braille patterns" },
    Row { name: "x-mac-ce", mib: 0, kind: Kind::SingleByte(Page::Own(pages::X_MAC_CE)), superset: Charset(231), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac Central European" },
    Row { name: "x-mac-greek", mib: 0, kind: Kind::SingleByte(Page::Own(pages::X_MAC_GREEK)), superset: Charset(232), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac Greek" },
    Row { name: "x-mac-turkish", mib: 0, kind: Kind::SingleByte(Page::Own(pages::X_MAC_TURKISH)), superset: Charset(233), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac Turkish" },
    Row { name: "x-mac-icelandic", mib: 0, kind: Kind::SingleByte(Page::Own(pages::X_MAC_ICELANDIC)), superset: Charset(234), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac Icelandic" },
    Row { name: "x-mac-croatian", mib: 0, kind: Kind::SingleByte(Page::Own(pages::X_MAC_CROATIAN)), superset: Charset(235), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac Croatian" },
    Row { name: "x-mac-romanian", mib: 0, kind: Kind::SingleByte(Page::Own(pages::X_MAC_ROMANIAN)), superset: Charset(236), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac Romanian" },
    Row { name: "x-mac-hebrew", mib: 0, kind: Kind::SingleByte(Page::Own(pages::X_MAC_HEBREW)), superset: Charset(237), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac Hebrew" },
    Row { name: "x-mac-arabic", mib: 0, kind: Kind::SingleByte(Page::Own(pages::X_MAC_ARABIC)), superset: Charset(238), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac Arabic" },
    Row { name: "x-mac-farsi", mib: 0, kind: Kind::SingleByte(Page::Own(pages::X_MAC_FARSI)), superset: Charset(239), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac Farsi" },
    Row { name: "x-mac-thai", mib: 0, kind: Kind::SingleByte(Page::Own(pages::X_MAC_THAI)), superset: Charset(240), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac Thai" },
    Row { name: "x-mac-sami", mib: 0, kind: Kind::SingleByte(Page::Own(pages::X_MAC_SAMI)), superset: Charset(241), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac Sami" },
    Row { name: "KOI8-T", mib: 0, kind: Kind::SingleByte(Page::Own(pages::KOI8_T)), superset: Charset(242), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "KOI8-T, Tajik" },
    Row { name: "KOI8-F", mib: 0, kind: Kind::SingleByte(Page::Own(pages::KOI8_F)), superset: Charset(243), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "KOI8-F, Cyrillic of many languages" },
    Row { name: "ARMSCII-8", mib: 0, kind: Kind::SingleByte(Page::Own(pages::ARMSCII_8)), superset: Charset(244), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ARMSCII-8, Armenian" },
    Row { name: "GEORGIAN-ACADEMY", mib: 0, kind: Kind::SingleByte(Page::Own(pages::GEORGIAN_ACADEMY)), superset: Charset(245), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Georgian of the Academy" },
    Row { name: "GEORGIAN-PS", mib: 0, kind: Kind::SingleByte(Page::Own(pages::GEORGIAN_PS)), superset: Charset(246), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Georgian of Parliament" },
    Row { name: "NEXTSTEP", mib: 0, kind: Kind::SingleByte(Page::Own(pages::NEXTSTEP)), superset: Charset(247), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "NeXTSTEP" },
    Row { name: "TCVN5712-1", mib: 0, kind: Kind::SingleByte(Page::Own(pages::TCVN5712_1)), superset: Charset(248), windows_page: None, width: 1, properties: Properties::NONE.ascii_text(), description: "TCVN 5712, Vietnamese; letters in places of controls" },
    Row { name: "MULELAO-1", mib: 0, kind: Kind::SingleByte(Page::Own(pages::MULELAO_1)), superset: Charset(249), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Lao of Mule" },
    Row { name: "CP1133", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1133)), superset: Charset(250), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM1133, Lao" },
    Row { name: "CP1125", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1125)), superset: Charset(251), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM1125, DOS Ukrainian" },
    Row { name: "CP1131", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1131)), superset: Charset(252), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM1131, DOS Belarusian" },
    Row { name: "CP720", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP720)), superset: Charset(253), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "CP720, DOS Arabic" },
    Row { name: "CP737", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP737)), superset: Charset(254), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "CP737, DOS Greek" },
    Row { name: "CP853", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP853)), superset: Charset(255), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "CP853, DOS Latin-3" },
    Row { name: "CP856", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP856)), superset: Charset(256), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM856, Hebrew" },
    Row { name: "CP922", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP922)), superset: Charset(257), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM922, Estonian" },
    Row { name: "CP867", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP867)), superset: Charset(258), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM867, DOS Hebrew with the new shekel" },
    Row { name: "CP1046", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1046)), superset: Charset(259), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM1046, Arabic" },
    Row { name: "CP1124", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1124)), superset: Charset(260), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM1124, Ukrainian" },
    Row { name: "CP1129", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1129)), superset: Charset(261), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM1129, Vietnamese" },
    Row { name: "CP1161", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1161)), superset: Charset(262), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM1161, Thai with the euro" },
    Row { name: "CP1162", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1162)), superset: Charset(263), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM1162, Thai of Windows" },
    Row { name: "CP1163", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1163)), superset: Charset(264), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM1163, Vietnamese with the euro" },
    Row { name: "CP1006", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1006)), superset: Charset(265), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM1006, Urdu" },
    Row { name: "CP1098", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1098)), superset: Charset(266), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM1098, DOS Farsi" },
    Row { name: "CP1112", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1112)), superset: Charset(267), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1112, EBCDIC Baltic" },
    Row { name: "MIK", mib: 0, kind: Kind::SingleByte(Page::Own(pages::MIK)), superset: Charset(268), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "MIK, DOS Bulgarian" },
    Row { name: "CWI", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CWI)), superset: Charset(269), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "CWI-2, DOS Hungarian" },
    Row { name: "RISCOS-LATIN1", mib: 0, kind: Kind::SingleByte(Page::Own(pages::RISCOS_LATIN1)), superset: Charset(270), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Latin-1 of RISC OS" },
    Row { name: "ATARIST", mib: 0, kind: Kind::SingleByte(Page::Own(pages::ATARIST)), superset: Charset(271), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Atari ST" },
    Row { name: "ISO-IR-197", mib: 0, kind: Kind::SingleByte(Page::Own(pages::ISO_IR_197)), superset: Charset(272), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Sami of ISO-IR 197" },
    Row { name: "ISO-IR-209", mib: 0, kind: Kind::SingleByte(Page::Own(pages::ISO_IR_209)), superset: Charset(273), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Sami of ISO-IR 209" },
    Row { name: "CP1025", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1025)), superset: Charset(274), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1025, EBCDIC Cyrillic" },
    Row { name: "CP1097", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1097)), superset: Charset(275), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1097, EBCDIC Farsi" },
    Row { name: "CP1122", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1122)), superset: Charset(276), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1122, EBCDIC Estonian" },
    Row { name: "CP1123", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1123)), superset: Charset(277), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1123, EBCDIC Ukrainian" },
    Row { name: "CP1137", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1137)), superset: Charset(278), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1137, EBCDIC Devanagari" },
    Row { name: "CP1153", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1153)), superset: Charset(279), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1153, IBM870 with the euro" },
    Row { name: "CP1155", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1155)), superset: Charset(280), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1155, IBM1026 with the euro" },
    Row { name: "CP1156", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1156)), superset: Charset(281), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1156, IBM1112 with the euro" },
    Row { name: "CP1157", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1157)), superset: Charset(282), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1157, IBM1122 with the euro" },
    Row { name: "CP1158", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1158)), superset: Charset(283), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1158, IBM1123 with the euro" },
    Row { name: "CP1160", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP1160)), superset: Charset(284), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1160, EBCDIC Thai with the euro" },
    Row { name: "CP875", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP875)), superset: Charset(285), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM875, EBCDIC Greek" },
    Row { name: "WIN-SAMI-2", mib: 0, kind: Kind::SingleByte(Page::Own(pages::WIN_SAMI_2)), superset: Charset(286), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Sami of Windows" },
    Row { name: "HP-GREEK8", mib: 0, kind: Kind::SingleByte(Page::Own(pages::HP_GREEK8)), superset: Charset(287), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "HP Greek-8" },
    Row { name: "HP-ROMAN9", mib: 0, kind: Kind::SingleByte(Page::Own(pages::HP_ROMAN9)), superset: Charset(288), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "HP Roman-9, Roman-8 with the euro" },
    Row { name: "HP-THAI8", mib: 0, kind: Kind::SingleByte(Page::Own(pages::HP_THAI8)), superset: Charset(289), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "HP Thai-8" },
    Row { name: "HP-TURKISH8", mib: 0, kind: Kind::SingleByte(Page::Own(pages::HP_TURKISH8)), superset: Charset(290), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "HP Turkish-8" },
    Row { name: "ISO_646.basic:1983", mib: 28, kind: Kind::SingleByte(Page::Own(pages::ISO_646_BASIC_1983)), superset: Charset(291), windows_page: None, width: 1, properties: Properties::NONE, description: "The letters that all variants of ISO 646 have" },
    Row { name: "INVARIANT", mib: 29, kind: Kind::SingleByte(Page::Own(pages::INVARIANT)), superset: Charset(292), windows_page: None, width: 1, properties: Properties::NONE, description: "The signs that all variants of ISO 646 have (ISO-IR 170)" },
    Row { name: "NATS-SEFI-ADD", mib: 32, kind: Kind::SingleByte(Page::Own(pages::NATS_SEFI_ADD)), superset: Charset(293), windows_page: None, width: 1, properties: Properties::NONE, description: "Further letters for newspapers of Sweden and Finland (ISO-IR 8-2)" },
    Row { name: "NATS-DANO-ADD", mib: 34, kind: Kind::SingleByte(Page::Own(pages::NATS_DANO_ADD)), superset: Charset(294), windows_page: None, width: 1, properties: Properties::NONE, description: "Further letters for newspapers of Denmark and Norway (ISO-IR 9-2)" },
    Row { name: "JIS_C6220-1969-jp", mib: 41, kind: Kind::SingleByte(Page::Own(pages::JIS_C6220_1969_JP)), superset: Charset(295), windows_page: None, width: 1, properties: Properties::NONE, description: "Kana in seven bits (ISO-IR 13)" },
    Row { name: "BS_viewdata", mib: 50, kind: Kind::SingleByte(Page::Own(pages::BS_VIEWDATA)), superset: Charset(296), windows_page: None, width: 1, properties: Properties::NONE, description: "Viewdata of the United Kingdom (ISO-IR 47)" },
    Row { name: "INIS-8", mib: 52, kind: Kind::SingleByte(Page::Own(pages::INIS_8)), superset: Charset(297), windows_page: None, width: 1, properties: Properties::NONE, description: "Further signs of the International Nuclear Information System (ISO-IR 50)" },
    Row { name: "ISO_5427:1981", mib: 54, kind: Kind::SingleByte(Page::Own(pages::ISO_5427_1981)), superset: Charset(298), windows_page: None, width: 1, properties: Properties::NONE, description: "Further Cyrillic letters in seven bits (ISO-IR 54)" },
    Row { name: "JIS_C6229-1984-a", mib: 67, kind: Kind::SingleByte(Page::Own(pages::JIS_C6229_1984_A)), superset: Charset(299), windows_page: None, width: 1, properties: Properties::NONE, description: "OCR-A of Japan (ISO-IR 91)" },
    Row { name: "JIS_C6229-1984-b-add", mib: 69, kind: Kind::SingleByte(Page::Own(pages::JIS_C6229_1984_B_ADD)), superset: Charset(300), windows_page: None, width: 1, properties: Properties::NONE, description: "Further signs of OCR-B of Japan (ISO-IR 93)" },
    Row { name: "JIS_C6229-1984-hand", mib: 70, kind: Kind::SingleByte(Page::Own(pages::JIS_C6229_1984_HAND)), superset: Charset(301), windows_page: None, width: 1, properties: Properties::NONE, description: "Hand-printed OCR of Japan (ISO-IR 94)" },
    Row { name: "JIS_C6229-1984-hand-add", mib: 71, kind: Kind::SingleByte(Page::Own(pages::JIS_C6229_1984_HAND_ADD)), superset: Charset(302), windows_page: None, width: 1, properties: Properties::NONE, description: "Further signs of hand-printed OCR of Japan (ISO-IR 95)" },
    Row { name: "JIS_C6229-1984-kana", mib: 72, kind: Kind::SingleByte(Page::Own(pages::JIS_C6229_1984_KANA)), superset: Charset(303), windows_page: None, width: 1, properties: Properties::NONE, description: "Hand-printed kana of Japan (ISO-IR 96)" },
    Row { name: "ISO_2033-1983", mib: 73, kind: Kind::SingleByte(Page::Own(pages::ISO_2033_1983)), superset: Charset(304), windows_page: None, width: 1, properties: Properties::NONE, description: "Signs of magnetic ink, E13B (ISO-IR 98)" },
    Row { name: "T.61-7bit", mib: 75, kind: Kind::SingleByte(Page::Own(pages::T_61_7BIT)), superset: Charset(305), windows_page: None, width: 1, properties: Properties::NONE, description: "Primary set of Teletex (ISO-IR 102)" },
    Row { name: "CSA_Z243.4-1985-gr", mib: 80, kind: Kind::SingleByte(Page::Own(pages::CSA_Z243_4_1985_GR)), superset: Charset(306), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Upper half of the Canadian set (ISO-IR 123)" },
    Row { name: "JUS_I.B1.003-serb", mib: 89, kind: Kind::SingleByte(Page::Own(pages::JUS_I_B1_003_SERB)), superset: Charset(307), windows_page: None, width: 1, properties: Properties::NONE, description: "Serbian in seven bits (ISO-IR 146)" },
    Row { name: "JUS_I.B1.003-mac", mib: 90, kind: Kind::SingleByte(Page::Own(pages::JUS_I_B1_003_MAC)), superset: Charset(308), windows_page: None, width: 1, properties: Properties::NONE, description: "Macedonian in seven bits (ISO-IR 147)" },
    Row { name: "ISO_6937-2-25", mib: 93, kind: Kind::SingleByte(Page::Own(pages::ISO_6937_2_25)), superset: Charset(309), windows_page: None, width: 1, properties: Properties::NONE, description: "Letters of ISO 6937-2, addendum 25 (ISO-IR 152)" },
    Row { name: "ISO_8859-supp", mib: 95, kind: Kind::SingleByte(Page::Own(pages::ISO_8859_SUPP)), superset: Charset(310), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Letters that Latin-1, -2 and -5 lack (ISO-IR 154)" },
    Row { name: "latin-lap", mib: 97, kind: Kind::SingleByte(Page::Own(pages::LATIN_LAP)), superset: Charset(311), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Sami supplement (ISO-IR 158)" },
    Row { name: "OSD_EBCDIC_DF04_1", mib: 117, kind: Kind::SingleByte(Page::Own(pages::OSD_EBCDIC_DF04_1)), superset: Charset(312), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Siemens OSD, Latin-1" },
    Row { name: "Adobe-Symbol-Encoding", mib: 2020, kind: Kind::SingleByte(Page::Own(pages::ADOBE_SYMBOL_ENCODING)), superset: Charset(313), windows_page: None, width: 1, properties: Properties::NONE, description: "Adobe's Symbol font" },
    Row { name: "CP770", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP770)), superset: Charset(314), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "CP770, DOS Baltic" },
    Row { name: "CP771", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP771)), superset: Charset(315), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "CP771, DOS Lithuanian and Cyrillic" },
    Row { name: "CP772", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP772)), superset: Charset(316), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "CP772, DOS Lithuanian and Cyrillic" },
    Row { name: "CP773", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP773)), superset: Charset(317), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "CP773, DOS Baltic" },
    Row { name: "CP774", mib: 0, kind: Kind::SingleByte(Page::Own(pages::CP774)), superset: Charset(318), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "CP774, DOS Lithuanian" },
    Row { name: "ISIRI-3342", mib: 0, kind: Kind::SingleByte(Page::Own(pages::ISIRI_3342)), superset: Charset(319), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISIRI 3342, Farsi" },
    Row { name: "IBM256", mib: 0, kind: Kind::SingleByte(Page::Own(pages::IBM256)), superset: Charset(320), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM256, EBCDIC international" },
    Row { name: "IBM1004", mib: 0, kind: Kind::SingleByte(Page::Own(pages::IBM1004)), superset: Charset(321), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM1004, Latin-1 of desktop publishing" },
    Row { name: "IBM1132", mib: 0, kind: Kind::SingleByte(Page::Own(pages::IBM1132)), superset: Charset(322), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1132, EBCDIC Lao" },
    Row { name: "IBM1164", mib: 0, kind: Kind::SingleByte(Page::Own(pages::IBM1164)), superset: Charset(323), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "IBM1164, EBCDIC Vietnamese with the euro" },
    Row { name: "EBCDIC-IS-FRISS", mib: 0, kind: Kind::SingleByte(Page::Own(pages::EBCDIC_IS_FRISS)), superset: Charset(324), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Iceland (FRISS)" },
    Row { name: "IBM866NAV", mib: 0, kind: Kind::SingleByte(Page::Own(pages::IBM866NAV)), superset: Charset(325), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM866 with letters of other languages" },
    Row { name: "VPS", mib: 0, kind: Kind::SingleByte(Page::Own(pages::VPS)), superset: Charset(326), windows_page: None, width: 1, properties: Properties::NONE.ascii_text(), description: "VPS, Vietnamese; letters in places of controls" },
    Row { name: "MAZOVIA", mib: 0, kind: Kind::SingleByte(Page::Own(pages::MAZOVIA)), superset: Charset(327), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mazovia, DOS Polish" },
    Row { name: "OSD_EBCDIC_DF04_15", mib: 115, kind: Kind::SingleByte(Page::Own(pages::OSD_EBCDIC_DF04_15)), superset: Charset(328), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Siemens OSD, Latin-9" },
    Row { name: "OSD_EBCDIC_DF03_IRV", mib: 116, kind: Kind::SingleByte(Page::Own(pages::OSD_EBCDIC_DF03_IRV)), superset: Charset(329), windows_page: None, width: 1, properties: Properties::NONE.ebcdic(), description: "EBCDIC of Siemens OSD, international reference version" },
    Row { name: "IBM-Symbols", mib: 2015, kind: Kind::SingleByte(Page::Own(pages::IBM_SYMBOLS)), superset: Charset(330), windows_page: None, width: 1, properties: Properties::NONE, description: "IBM259, EBCDIC symbols" },
    Row { name: "ISO-8859-1-Windows-3.0-Latin-1", mib: 2000, kind: Kind::SingleByte(Page::Windows(Web::Windows1252)), superset: Charset(2), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Windows 3.0 in Western Europe (PCL 9U)" },
    Row { name: "ISO-8859-1-Windows-3.1-Latin-1", mib: 2001, kind: Kind::SingleByte(Page::Windows(Web::Windows1252)), superset: Charset(2), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Windows 3.1 in Western Europe (PCL 19U)" },
    Row { name: "ISO-8859-2-Windows-Latin-2", mib: 2002, kind: Kind::SingleByte(Page::Windows(Web::Windows1250)), superset: Charset(35), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Windows 3.1 in Central Europe (PCL 9E)" },
    Row { name: "ISO-8859-9-Windows-Latin-5", mib: 2003, kind: Kind::SingleByte(Page::Windows(Web::Windows1254)), superset: Charset(38), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Windows 3.1 in Turkey (PCL 5T)" },
    Row { name: "CP51932", mib: 2108, kind: Kind::DoubleByte(Family::EucJp, Subset::Cp51932), superset: Charset(53), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "CP51932, EUC-JP of Microsoft, without JIS X 0212" },
    Row { name: "eucJP-ms", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::EucjpMs), superset: Charset(336), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "eucJP-ms, EUC-JP with the rows of NEC and IBM and two user-defined areas" },
    Row { name: "IBM33722", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Ibm33722), superset: Charset(337), windows_page: None, width: 1, properties: Properties::NONE, description: "IBM33722, EUC-JP of IBM" },
    Row { name: "IBM942", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Ibm942), superset: Charset(339), windows_page: None, width: 1, properties: Properties::NONE, description: "IBM942, an older Shift_JIS of IBM with the yen sign at 5C" },
    Row { name: "IBM942C", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Ibm942c), superset: Charset(339), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM942C, an older Shift_JIS of IBM with ASCII" },
    Row { name: "IBM943", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Ibm943), superset: Charset(341), windows_page: None, width: 1, properties: Properties::NONE, description: "IBM943, Shift_JIS of IBM with the yen sign at 5C" },
    Row { name: "IBM943C", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Ibm943c), superset: Charset(341), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM943C, Shift_JIS of IBM with ASCII" },
    Row { name: "IBM949", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Ibm949), superset: Charset(343), windows_page: None, width: 1, properties: Properties::NONE, description: "IBM949, Korean of IBM with the won sign at 5C" },
    Row { name: "IBM949C", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Ibm949c), superset: Charset(343), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM949C, Korean of IBM with ASCII" },
    Row { name: "IBM970", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Ibm970), superset: Charset(344), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM970, EUC-KR of IBM" },
    Row { name: "IBM1383", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Ibm1383), superset: Charset(345), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM1383, EUC-CN of IBM" },
    Row { name: "IBM964", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Ibm964), superset: Charset(346), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM964, EUC-TW of IBM" },
    Row { name: "MS950", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Windows950), superset: Charset(51), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "MS950 (windows-950), Big5 of Microsoft with its private area" },
    Row { name: "IBM950", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Ibm950), superset: Charset(348), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "IBM950, Big5 of IBM" },
    Row { name: "Big5-2003", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Big5Of2003), superset: Charset(349), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Big5-2003" },
    Row { name: "Big5-HKSCS:1999", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Big5HkscsOf1999), superset: Charset(350), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Big5 with the characters of Hong Kong of 1999" },
    Row { name: "Big5-HKSCS:2001", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Big5HkscsOf2001), superset: Charset(351), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Big5 with the characters of Hong Kong of 2001" },
    Row { name: "Big5-HKSCS:2004", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::Big5HkscsOf2004), superset: Charset(352), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Big5 with the characters of Hong Kong of 2004" },
    Row { name: "x-mac-chinesesimp", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::MacChinesesimp), superset: Charset(353), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac, simplified Chinese" },
    Row { name: "x-mac-chinesetrad", mib: 0, kind: Kind::MultiByte(Layout::Stored, Set::MacChinesetrad), superset: Charset(354), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac, traditional Chinese" },
    Row { name: "IBM930", mib: 0, kind: Kind::MixedEbcdic(Set::Ibm930), superset: Charset(355), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "IBM930, Japanese mixed EBCDIC with katakana" },
    Row { name: "IBM933", mib: 0, kind: Kind::MixedEbcdic(Set::Ibm933), superset: Charset(356), windows_page: None, width: 1, properties: Properties::NONE.ebcdic().stateful(), description: "IBM933, Korean mixed EBCDIC" },
    Row { name: "IBM935", mib: 0, kind: Kind::MixedEbcdic(Set::Ibm935), superset: Charset(357), windows_page: None, width: 1, properties: Properties::NONE.ebcdic().stateful(), description: "IBM935, simplified Chinese mixed EBCDIC" },
    Row { name: "IBM937", mib: 0, kind: Kind::MixedEbcdic(Set::Ibm937), superset: Charset(358), windows_page: None, width: 1, properties: Properties::NONE.ebcdic().stateful(), description: "IBM937, traditional Chinese mixed EBCDIC" },
    Row { name: "IBM939", mib: 0, kind: Kind::MixedEbcdic(Set::Ibm939), superset: Charset(359), windows_page: None, width: 1, properties: Properties::NONE.ebcdic().stateful(), description: "IBM939, Japanese mixed EBCDIC with small Latin letters" },
    Row { name: "IBM1364", mib: 0, kind: Kind::MixedEbcdic(Set::Ibm1364), superset: Charset(360), windows_page: None, width: 1, properties: Properties::NONE.ebcdic().stateful(), description: "IBM1364, Korean mixed EBCDIC with all syllables" },
    Row { name: "IBM1371", mib: 0, kind: Kind::MixedEbcdic(Set::Ibm1371), superset: Charset(361), windows_page: None, width: 1, properties: Properties::NONE.ebcdic().stateful(), description: "IBM1371, traditional Chinese mixed EBCDIC with the euro" },
    Row { name: "IBM1388", mib: 0, kind: Kind::MixedEbcdic(Set::Ibm1388), superset: Charset(362), windows_page: None, width: 1, properties: Properties::NONE.ebcdic().stateful(), description: "IBM1388, simplified Chinese mixed EBCDIC after GBK" },
    Row { name: "IBM1390", mib: 0, kind: Kind::MixedEbcdic(Set::Ibm1390), superset: Charset(363), windows_page: None, width: 1, properties: Properties::NONE.stateful(), description: "IBM1390, Japanese mixed EBCDIC with katakana, JIS X 0213 and the euro" },
    Row { name: "IBM1399", mib: 0, kind: Kind::MixedEbcdic(Set::Ibm1399), superset: Charset(364), windows_page: None, width: 1, properties: Properties::NONE.ebcdic().stateful(), description: "IBM1399, Japanese mixed EBCDIC with small Latin letters, JIS X 0213 and the euro" },
    Row { name: "x-mac-korean", mib: 0, kind: Kind::Sequences(&sequences::X_MAC_KOREAN), superset: Charset(365), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "Mac, Korean" },
    Row { name: "x-iscii-de", mib: 0, kind: Kind::Sequences(&sequences::X_ISCII_DE), superset: Charset(366), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "ISCII (IS 13194:1991) in its default script, Devanagari" },
    Row { name: "VNI", mib: 0, kind: Kind::Sequences(&sequences::VNI), superset: Charset(367), windows_page: None, width: 1, properties: Properties::NONE.ascii(), description: "VNI for Windows, Vietnamese; marks behind their letters" },
];
