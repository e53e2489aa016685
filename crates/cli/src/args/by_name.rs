//! Parses option values by the names of library enums: `--on-loss keep` is `OnLoss::Keep`.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;

/// Parses the name of a value: `keep` for `Headers::Keep`. The help lists the names with their explanations.
///
/// Builds the list on demand: each start creates all parsers, but few errors and helps need their lists.
pub(super) struct ByName<T: 'static> {
    values: &'static [(T, &'static str)],
    name: fn(T) -> &'static str,
}

/// Returns a parser of values by their names.
pub(super) fn by_name<T>(
    values: &'static [(T, &'static str)],
    name: fn(T) -> &'static str,
) -> ByName<T> {
    ByName { values, name }
}

impl<T: Copy> ByName<T> {
    fn possible(&self) -> impl Iterator<Item = PossibleValue> + '_ {
        let values = self.values.iter();
        values.map(|(value, help)| PossibleValue::new((self.name)(*value)).help(*help))
    }
}

impl<T> Clone for ByName<T> {
    fn clone(&self) -> Self {
        by_name(self.values, self.name)
    }
}

impl<T: Copy + Send + Sync + 'static> TypedValueParser for ByName<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        given: &OsStr,
    ) -> Result<T, clap::Error> {
        let Self { values, name } = *self;
        let find = move |given: String| {
            let found = values.iter().find(|(value, _)| name(*value) == given);
            found.map(|(value, _)| *value).ok_or(given)
        };
        PossibleValuesParser::new(self.possible())
            .try_map(find)
            .parse_ref(command, argument, given)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.possible()))
    }
}
