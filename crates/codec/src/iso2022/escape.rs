//! Lists the escape sequences, their effects, and the charsets that have them.
//!
//! # Limits
//! Only sequences of mail charsets; ISO 2022 defines many more.

use super::flavor::Flavor::{
    self, Cn, CnExt, Cp50220, Cp50221, Cp50222, Jp, Jp1, Jp2, Jp3, Jp2004, Kr,
};
use super::flavor::Use;
use super::set::CodedSet;

/// The effect of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Designate(Use),
    /// As `Designate`, but by a sequence that no standard of mail has.
    DesignateForeign(CodedSet),
    /// The next character comes from G2.
    Shift2,
    /// The next character comes from G3.
    Shift3,
    Nothing,
}

/// One sequence.
pub(super) struct Escape {
    /// The bytes behind ESC.
    pub(super) bytes: &'static [u8],
    pub(super) effect: Effect,
    /// The charsets that have it by their own standard.
    own: &'static [Flavor],
}

/// All Japanese charsets.
const JAPANESE: &[Flavor] = &[Jp, Jp1, Jp2, Jp3, Jp2004, Cp50220, Cp50221, Cp50222];
const WINDOWS: &[Flavor] = &[Cp50220, Cp50221, Cp50222];

const fn escape(bytes: &'static [u8], effect: Effect, own: &'static [Flavor]) -> Escape {
    Escape { bytes, effect, own }
}

const fn to(bytes: &'static [u8], set: Use, own: &'static [Flavor]) -> Escape {
    escape(bytes, Effect::Designate(set), own)
}

const fn g0(bytes: &'static [u8], set: CodedSet, own: &'static [Flavor]) -> Escape {
    to(bytes, Use::G0(set), own)
}

/// The sequences of all Japanese charsets. The first four are those of RFC 1468. If a set has several sequences, the encoder
/// writes the first.
const JP_ESCAPES: [Escape; 19] = [
    g0(b"(B", CodedSet::Ascii, JAPANESE),
    g0(b"$B", CodedSet::Jisx0208, JAPANESE),
    g0(b"(J", CodedSet::Roman, JAPANESE),
    g0(b"$@", CodedSet::Jisx0208, JAPANESE),
    g0(
        b"(I",
        CodedSet::Katakana,
        &[Jp3, Jp2004, Cp50220, Cp50221, Cp50222],
    ),
    escape(b"(H", Effect::DesignateForeign(CodedSet::Roman), &[]),
    g0(b"$(@", CodedSet::Jisx0208, &[]),
    g0(b"$(B", CodedSet::Jisx0208, &[]),
    g0(
        b"$(D",
        CodedSet::Jisx0212,
        &[Jp1, Jp2, Cp50220, Cp50221, Cp50222],
    ),
    g0(b"$A", CodedSet::Gb2312, &[Jp2]),
    g0(b"$(A", CodedSet::Gb2312, &[]),
    g0(b"$(C", CodedSet::Ksx1001, &[Jp2]),
    g0(b"$(O", CodedSet::Jisx0213Plane1Of2000, &[Jp3, Jp2004]),
    g0(b"$(Q", CodedSet::Jisx0213Plane1, &[Jp2004]),
    g0(b"$(P", CodedSet::Jisx0213Plane2, &[Jp3, Jp2004]),
    to(b".A", Use::G2(CodedSet::Latin1), &[Jp2]),
    to(b".F", Use::G2(CodedSet::Greek), &[Jp2]),
    escape(b"N", Effect::Shift2, &[Jp2]),
    // ISO 2022 announces a revision of the set in the next sequence.
    escape(b"&@", Effect::Nothing, WINDOWS),
];

const KR_ESCAPES: [Escape; 1] = [to(b"$)C", Use::G1(CodedSet::Ksx1001), &[Kr])];

const CN_ESCAPES: [Escape; 11] = [
    to(b"$)A", Use::G1(CodedSet::Gb2312), &[Cn, CnExt]),
    to(b"$)G", Use::G1(CodedSet::Cns(1)), &[Cn, CnExt]),
    to(b"$)E", Use::G1(CodedSet::IsoIr165), &[CnExt]),
    to(b"$*H", Use::G2(CodedSet::Cns(2)), &[Cn, CnExt]),
    to(b"$+I", Use::G3(CodedSet::Cns(3)), &[CnExt]),
    to(b"$+J", Use::G3(CodedSet::Cns(4)), &[CnExt]),
    to(b"$+K", Use::G3(CodedSet::Cns(5)), &[CnExt]),
    to(b"$+L", Use::G3(CodedSet::Cns(6)), &[CnExt]),
    to(b"$+M", Use::G3(CodedSet::Cns(7)), &[CnExt]),
    escape(b"N", Effect::Shift2, &[Cn, CnExt]),
    escape(b"O", Effect::Shift3, &[CnExt]),
];

/// The result of a search behind an ESC.
pub(super) enum EscapeMatch {
    Sequence(&'static Escape),
    /// It may become a sequence.
    Cut,
    Unknown,
}

/// The sequence at the start of `bytes`, which begin with ESC.
pub(super) fn find(flavor: Flavor, strict: bool, bytes: &[u8]) -> EscapeMatch {
    let behind = bytes.get(1..).unwrap_or_default();
    // Nearly all that is found are the first two of Japanese text.
    if flavor.is_japanese()
        && let Some(two) = behind.first_chunk::<2>()
        && let Some(escape) = JP_ESCAPES[..2].iter().find(|escape| escape.bytes == two)
    {
        return EscapeMatch::Sequence(escape);
    }
    let mut known = escapes(flavor)
        .iter()
        .filter(|escape| !strict || escape.own.contains(&flavor));
    if let Some(escape) = known
        .clone()
        .find(|escape| behind.starts_with(escape.bytes))
    {
        return EscapeMatch::Sequence(escape);
    }
    if known.any(|escape| escape.bytes.starts_with(behind)) {
        EscapeMatch::Cut
    } else {
        EscapeMatch::Unknown
    }
}

/// Returns the bytes behind ESC that designate a set in a charset.
pub(super) fn designator(flavor: Flavor, set: Use) -> &'static [u8] {
    let escape = escapes(flavor)
        .iter()
        .find(|escape| escape.effect == Effect::Designate(set));
    escape.map_or(b"", |escape| escape.bytes)
}

fn escapes(flavor: Flavor) -> &'static [Escape] {
    match flavor {
        Flavor::Hz | Flavor::Raw(_) => &[],
        Flavor::Kr => &KR_ESCAPES,
        _ if flavor.is_chinese() => &CN_ESCAPES,
        _ => &JP_ESCAPES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iso2022::control::ESC;

    #[test]
    fn each_charset_can_write_all_its_sets_with_sequences_of_its_own() {
        for flavor in [
            Jp, Jp1, Jp2, Jp3, Jp2004, Cp50220, Cp50221, Cp50222, Kr, Cn, CnExt,
        ] {
            for set in flavor.sets() {
                if *set == Use::G1(CodedSet::Katakana) {
                    continue;
                }
                let bytes = [&[ESC], designator(flavor, *set)].concat();
                assert!((3..=4).contains(&bytes.len()), "{flavor:?} {set:?}");
                assert!(
                    matches!(find(flavor, true, &bytes), EscapeMatch::Sequence(_)),
                    "{flavor:?} {set:?}"
                );
            }
        }
    }
}
