//! Defines the macro `named`: an enum with a stable name for each variant.
//!
//! # Limits
//! A name is one literal.

/// Defines an enum with a name for each variant, the list of all, and `Display` that writes the name.
#[doc(hidden)] // For the other crates of this workspace.
#[macro_export]
macro_rules! named {
    (
        $(#[$attribute:meta])*
        pub enum $enum:ident {$(
            $(#[$variant_attribute:meta])*
            $variant:ident = $name:literal,
        )*}
    ) => {
        $(#[$attribute])*
        pub enum $enum {$(
            $(#[$variant_attribute])*
            $variant,
        )*}

        impl $enum {
            /// All values, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the stable name, which reports, options and messages use.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        /// Writes the name.
        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(crate) use named;
