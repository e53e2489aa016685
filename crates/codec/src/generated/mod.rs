//! Tables made from `data/`.

pub(crate) mod charsets;
pub(crate) mod code_pages;
pub(crate) mod grids;
pub(crate) mod iana;
pub(crate) mod labels;
pub(crate) mod languages;
pub(crate) mod mail_repertoire;
pub(crate) mod pages;
pub(crate) mod sequences;
pub(crate) mod translit;
