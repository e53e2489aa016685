//! Defines the macro `named`: an enum with a fixed text for each variant.
//!
//! # Limits
//! A text is one literal.

/// Defines an enum with a text for each variant, the list of all, a function that returns the text, and `Display` that writes it.
///
/// `named! { pub enum LineDecision { Join = "join", Cut = "cut", } pub fn name; }` gives `LineDecision::ALL` and `name()`, too.
macro_rules! named {
    (
        $(#[$attribute:meta])*
        pub enum $enum:ident {$(
            $(#[$variant_attribute:meta])*
            $variant:ident = $text:literal,
        )*}

        $(#[$function_attribute:meta])*
        $visibility:vis fn $function:ident;
    ) => {
        $(#[$attribute])*
        pub enum $enum {$(
            $(#[$variant_attribute])*
            $variant,
        )*}

        impl $enum {
            /// All values, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            $(#[$function_attribute])*
            $visibility fn $function(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }

        /// Writes the text.
        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.$function())
            }
        }
    };
}
pub(crate) use named;
