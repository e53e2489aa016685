//! Tables made from `data/`.

pub(crate) mod labels;
pub(crate) mod pages;
