//! Parses the values of an option that are values of a library, by their names.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Returns a parser of these values, which the help lists with an explanation. An empty explanation is none.
pub(super) fn by_name<T: Copy + Send + Sync + 'static>(
    values: &'static [(T, &'static str)],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let possible = values.iter().map(|&(value, help)| {
        let possible = PossibleValue::new(name(value));
        if help.is_empty() {
            possible
        } else {
            possible.help(help)
        }
    });
    let find = move |given: String| {
        let found = values.iter().find(|(value, _)| name(*value) == given);
        found.map(|(value, _)| *value).ok_or(given)
    };
    PossibleValuesParser::new(possible).try_map(find)
}
