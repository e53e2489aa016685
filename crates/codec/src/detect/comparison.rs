//! Compares two charsets as readings of the same bytes.
//!
//! # Limits
//! Charsets without a model cannot be compared.

use super::cost::NAT;
use super::hints::Hints;
use super::models::HAS_MODELS;
use super::priors::{Priors, priors};
use super::rules::Rules;
use super::sample::Sample;
use super::score::ForcedReading;
use super::{ascii, list_trials, sample, score};
use crate::charset::Charset;

/// Returns the natural logarithm of how many times more likely text in `other` is than the same bytes under a label. It is negative if
/// the text is less likely. `None` if there is no model for one of them.
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn margin_over(bytes: &[u8], label: Charset, other: Charset, hints: &Hints<'_>) -> Option<f32> {
    let compared = ComparedSample::of(bytes, hints)?;
    Some(margin(compared.cost(label)?, compared.cost(other)?))
}

/// Returns the natural logarithm of how many times more likely text in UTF-8 is than the same bytes under a label. It is negative if the text is
/// less likely. `None` if there is no model for the label's charset.
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn utf8_margin(text: &str, label: Charset, hints: &Hints<'_>) -> Option<f32> {
    let compared = ComparedSample::of(text.as_bytes(), hints)?;
    let text = String::from_utf8_lossy(&compared.sample.bytes);
    let cost = score::unicode_cost(&text, &compared.priors);
    Some(margin(compared.cost(label)?, cost))
}

/// Returns true if [`margin_over`] is above `least` for each of some texts, or `None`. Faster than to compute the margins. The label is read
/// only until it costs more than the other charset does in the language of the first text.
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn are_margins_above<'t>(
    least: f32,
    texts: impl IntoIterator<Item = &'t [u8]>,
    label: Charset,
    other: Charset,
    hints: &Hints<'_>,
) -> bool {
    let mut language = None;
    texts.into_iter().all(|text| {
        let compared = ComparedSample::of(text, hints);
        let is_above = compared.and_then(|compared| {
            let (label, other) = (compared.read(label)?, compared.read(other)?);
            Some(is_margin_above(least, &label, &other, &mut language))
        });
        is_above.unwrap_or(true)
    })
}

/// Returns true if the margin of `other` is above `least`. `language` is one in which the other charset is likely: it is set if it was `None`.
fn is_margin_above(
    least: f32,
    label: &ForcedReading,
    other: &ForcedReading,
    language: &mut Option<usize>,
) -> bool {
    if language.is_none() {
        *language = other.likeliest_language();
    }
    if let Some(language) = *language {
        let limit = f64::from(other.cost_in(language)) + f64::from(least) * f64::from(NAT);
        // The conversion saturates: no text costs less than nothing.
        if limit >= 0.0 && label.costs_more_than(limit as u32) {
            return true;
        }
    }
    margin(label.cost(), other.cost()) > least
}

/// A sample of bytes, and what is likely before it is read.
struct ComparedSample {
    sample: Sample,
    priors: Priors,
}

impl ComparedSample {
    /// Returns None without models.
    fn of(bytes: &[u8], hints: &Hints<'_>) -> Option<Self> {
        if !HAS_MODELS {
            return None;
        }
        let mut sample = sample::sample(bytes, hints.rules);
        let mut priors = priors(hints);
        ascii::add_language(&mut priors, &sample.ascii);
        sample.may_have_lists = hints.rules.has(Rules::ALPHABET_LISTS)
            && !list_trials::trials(&sample, &priors, score::noise(&sample.bytes)).is_empty();
        Some(Self { sample, priors })
    }

    /// Returns the cost of the sample in a charset.
    fn cost(&self, charset: Charset) -> Option<u32> {
        self.read(charset).map(|reading| reading.cost())
    }

    fn read(&self, charset: Charset) -> Option<ForcedReading> {
        ForcedReading::new(charset.superset(), &self.sample, &self.priors)
    }
}

/// Returns by how many nats `other` costs less than the label.
fn margin(label: u32, other: u32) -> f32 {
    (f64::from(label) - f64::from(other)) as f32 / NAT as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::language::candidates;

    /// The fast comparison finds what the margins of the pieces say, for text in each charset and language, whatever the limit.
    #[test]
    fn margins_above_a_limit_are_found_without_the_margins() {
        let texts = [
            "Grüße aus Köln, vergiß nicht die Äpfel",
            "wiadomość została wysłana wczoraj, dziękuję bardzo",
            "Привет, как дела? Всё хорошо.",
            "Καλημέρα σας, τι κάνετε",
            "שלום לכולם מה שלומכם",
            "日本語のテキストをお送りします",
            "Toplantı yarın saat onda başlıyor",
            "plain words",
        ];
        let labels = [
            Charset::WINDOWS_1252,
            Charset::WINDOWS_1251,
            Charset::WINDOWS_1256,
            Charset::ISO_8859_2,
            Charset::EUC_JP,
        ];
        let hints = Hints::default();
        let (mut above, mut below) = (0, 0);
        for text in texts {
            for candidate in candidates() {
                let Ok(bytes) = candidate.charset.encode_exact(text) else {
                    continue;
                };
                let pieces = [&bytes[..bytes.len() / 2], &bytes[bytes.len() / 3..], &bytes];
                for label in labels {
                    for other in [candidate.charset, Charset::WINDOWS_1250, Charset::GBK] {
                        let margins: Vec<Option<f32>> = pieces
                            .iter()
                            .map(|piece| margin_over(piece, label, other, &hints))
                            .collect();
                        for least in [-10.0, 0.0, 12.5, -1e6] {
                            let is_above = |margin: &Option<f32>| margin.is_none_or(|m| m > least);
                            let expected = margins.iter().all(is_above);
                            let found = are_margins_above(least, pieces, label, other, &hints);
                            assert_eq!(found, expected, "{text} {label:?} {other:?} {least}");
                            above += usize::from(found);
                            below += usize::from(!found);
                        }
                    }
                }
            }
        }
        assert!(above > 1_000 && below > 1_000, "{above} {below}");
    }
}
