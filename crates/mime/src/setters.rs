//! Makes the setters of options.
//!
//! # Limits
//! A setter converts its argument with `Into` only.

/// Makes a setter for each field, of the same name and for a type that becomes the field's type with `Into`.
macro_rules! setters {
    ($($(#[$attribute:meta])* $field:ident: $value:ty,)*) => {$(
        $(#[$attribute])*
        #[must_use]
        pub fn $field(self, $field: $value) -> Self {
            Self {
                $field: $field.into(),
                ..self
            }
        }
    )*};
}
pub(crate) use setters;
