//! Tables made from `data/`.

pub(crate) mod header_fields;
pub(crate) mod html_entities;
