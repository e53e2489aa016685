//! Tables made from `data/`.

pub(crate) mod labels;
