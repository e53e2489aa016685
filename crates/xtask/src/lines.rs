//! Counts lines of code by crate and top-level module, and lists long functions: `cargo xtask lines`.
//!
//! A line counts if it has a token that is neither comment nor documentation. Tests and generated files are left out.
//!
//! # Limits
//!
//! Examples, benchmarks and `tests/` are not counted.

use crate::rust_source::{Module, read_crate};
use crate::workspace::{Package, packages};
use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Most lines of code in the body of a function; as `too-many-lines-threshold` in `clippy.toml`.
const LONG: usize = 80;
/// Most parameters, `self` among them.
const PARAMETERS: usize = 6;
/// Most parameters of type `bool`.
const BOOLS: usize = 3;

/// Crates whose sum is printed.
const SUMMED: [&str; 3] = ["mailglot-codec", "mailglot-kernel", "mailglot-mime"];

/// Prints the lines of each crate, and its functions beyond the limits.
pub(crate) fn count() -> anyhow::Result<()> {
    let mut sum = 0;
    for package in packages()? {
        let modules = read_crate(&package.root)?;
        sum += print_lines(&package, &modules);
        print_functions(&modules);
    }
    println!("\n{}: {sum}", SUMMED.join(" + "));
    Ok(())
}

/// Prints the lines of a crate and of its top-level modules; returns what it adds to the sum.
fn print_lines(package: &Package, modules: &[Module]) -> usize {
    let mut by_module = BTreeMap::new();
    let mut generated = 0;
    for module in modules {
        if module.is_generated {
            generated += module.lines();
            continue;
        }
        let top = module.path.first().map_or("crate", String::as_str);
        *by_module.entry(top).or_insert(0) += module.lines();
    }
    let all: usize = by_module.values().sum();
    println!("\n{}: {all} lines of code", package.name);
    if generated > 0 {
        println!("  (and {generated} generated)");
    }
    let mut sorted: Vec<(&str, usize)> = by_module.into_iter().collect();
    sorted.sort_by_key(|(name, lines)| (std::cmp::Reverse(*lines), *name));
    for (name, lines) in sorted {
        println!("  {lines:6}  {name}");
    }
    if SUMMED.contains(&package.name.as_str()) {
        all
    } else {
        0
    }
}

fn print_functions(modules: &[Module]) {
    let functions: Vec<Function> = modules.iter().flat_map(functions).collect();
    print_list(&functions, "lines", LONG, |function| function.lines);
    print_list(&functions, "parameters", PARAMETERS, |function| {
        function.parameters
    });
    print_list(&functions, "bool parameters", BOOLS, |function| {
        function.bools
    });
}

fn print_list(
    functions: &[Function],
    what: &str,
    limit: usize,
    number: impl Fn(&Function) -> usize,
) {
    let mut beyond: Vec<&Function> = functions
        .iter()
        .filter(|function| number(function) > limit)
        .collect();
    if beyond.is_empty() {
        return;
    }
    beyond.sort_by_key(|function| std::cmp::Reverse(number(function)));
    println!(
        "  {} function(s) of more than {limit} {what}:",
        beyond.len()
    );
    for function in beyond {
        println!("    {:4}  {}", number(function), function.name);
    }
}

/// What is counted of a function.
#[derive(Debug, PartialEq)]
struct Function {
    /// Module, type and name.
    name: String,
    /// Lines of code between the braces of the body.
    lines: usize,
    parameters: usize,
    bools: usize,
}

/// The functions of a module; none if it is generated.
fn functions(module: &Module) -> Vec<Function> {
    let mut visitor = Functions {
        module,
        owner: String::new(),
        found: Vec::new(),
    };
    if !module.is_generated {
        module
            .items
            .iter()
            .for_each(|item| visitor.visit_item(item));
    }
    visitor.found
}

struct Functions<'m> {
    module: &'m Module,
    /// The type that the functions belong to, with `::` behind it.
    owner: String,
    found: Vec<Function>,
}

impl Functions<'_> {
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let span = block.span();
        let (first, last) = (span.start().line + 1, span.end().line);
        let is_bool = |input: &&syn::FnArg| match input {
            syn::FnArg::Typed(typed) => {
                matches!(&*typed.ty, syn::Type::Path(path) if path.path.is_ident("bool"))
            }
            syn::FnArg::Receiver(_) => false,
        };
        self.found.push(Function {
            name: format!("{}::{}{}", self.module.name(), self.owner, signature.ident),
            lines: if first < last {
                self.module.code.range(first..last).count()
            } else {
                0
            },
            parameters: signature.inputs.len(),
            bools: signature.inputs.iter().filter(is_bool).count(),
        });
    }
}

impl<'s> Visit<'s> for Functions<'_> {
    fn visit_item_impl(&mut self, item: &'s syn::ItemImpl) {
        if let syn::Type::Path(path) = &*item.self_ty
            && let Some(last) = path.path.segments.last()
        {
            self.owner = format!("{}::", last.ident);
        }
        visit::visit_item_impl(self, item);
        self.owner.clear();
    }

    fn visit_item_fn(&mut self, function: &'s syn::ItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'s syn::ImplItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'s syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.add(&function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rust_source::read_modules;
    use std::path::Path;

    #[test]
    fn lines_and_parameters_of_functions_are_counted() {
        let source = "\
struct S;
impl S {
    fn method(&self, a: bool, b: bool, c: u8) {
        // Not code.

        let x = 1;
        g(x);
    }
}
fn one() { g(1) }
trait T { fn required(a: u8); }
";
        let read = |_: &Path| Some(source.to_owned());
        let modules = read_modules(Path::new("lib.rs"), &read).unwrap();
        let function = |name: &str, lines, parameters, bools| Function {
            name: name.to_owned(),
            lines,
            parameters,
            bools,
        };
        assert_eq!(
            functions(&modules[0]),
            [
                function("crate::S::method", 2, 4, 2),
                function("crate::one", 0, 0, 0)
            ]
        );
    }
}
