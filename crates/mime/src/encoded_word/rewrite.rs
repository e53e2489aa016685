use super::*;
pub fn rewrite(
    value: &[u8],
    kind: FieldKind,
    form: Form,
    context: &HeaderContext,
    column: usize,
    eol: &[u8],
    findings: &mut Vec<Finding>,
) -> Vec<Replacement> {
    let _ = (value, kind, form, context, column, eol, findings);
    Vec::new()
}
