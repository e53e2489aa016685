//! Reads the modules of a crate: the files that `mod` declarations reach from the crate root.
//!
//! Tests are left out: items under `#[cfg(test)]`, and functions under `#[test]`.
//!
//! # Limits
//!
//! Modules that a macro declares are not found. Cargo features are ignored: every `cfg` but `test` counts as set.

use anyhow::{Context, bail};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Item};

/// One module of a crate.
pub(crate) struct Module {
    /// Names from the crate root; none for the root itself.
    pub(crate) path: Vec<String>,
    /// Index of the parent in the list of modules; `None` for the root.
    pub(crate) parent: Option<usize>,
    /// The items without tests and without child modules.
    pub(crate) items: Vec<Item>,
    /// Numbers of the lines of the file that have code: no blank lines, no comments, no tests.
    pub(crate) code: Rc<BTreeSet<usize>>,
    /// False for a module in braces; its lines count for the module that the file belongs to.
    pub(crate) is_file: bool,
    /// True if a program wrote the file: its first line says `Do not edit`.
    pub(crate) is_generated: bool,
}

impl Module {
    /// The path with `::` between the names, `crate` for the root.
    pub(crate) fn name(&self) -> String {
        if self.path.is_empty() {
            "crate".to_owned()
        } else {
            self.path.join("::")
        }
    }

    /// Returns the number of lines of code.
    pub(crate) fn lines(&self) -> usize {
        if self.is_file { self.code.len() } else { 0 }
    }
}

/// Reads the modules of the crate whose root is `root`, parents before their children.
pub(crate) fn read_crate(root: &Path) -> anyhow::Result<Vec<Module>> {
    let read = |path: &Path| fs::read_to_string(path).ok();
    read_modules(root, &read)
}

/// Reads modules from the sources that `read` returns.
pub(crate) fn read_modules(
    root: &Path,
    read: &dyn Fn(&Path) -> Option<String>,
) -> anyhow::Result<Vec<Module>> {
    let mut reader = Reader {
        read,
        modules: Vec::new(),
    };
    let folder = root.parent().unwrap_or(Path::new("")).to_path_buf();
    reader.file(root, &folder, Vec::new(), None)?;
    Ok(reader.modules)
}

struct Reader<'r> {
    read: &'r dyn Fn(&Path) -> Option<String>,
    modules: Vec<Module>,
}

impl Reader<'_> {
    /// Reads a file and its children, which lie in `folder`.
    fn file(
        &mut self,
        file: &Path,
        folder: &Path,
        path: Vec<String>,
        parent: Option<usize>,
    ) -> anyhow::Result<()> {
        let source =
            (self.read)(file).with_context(|| format!("cannot read {}", file.display()))?;
        let mut parsed =
            syn::parse_file(&source).with_context(|| format!("cannot parse {}", file.display()))?;
        let mut tests = Tests::default();
        tests.visit_file_mut(&mut parsed);
        let mut code = BTreeSet::new();
        add_code_lines(source.parse().unwrap_or_default(), &tests.lines, &mut code);
        let is_generated = source
            .lines()
            .next()
            .is_some_and(|line| line.contains("Do not edit"));
        let index = self.modules.len();
        self.modules.push(Module {
            path,
            parent,
            items: Vec::new(),
            code: Rc::new(code),
            is_file: true,
            is_generated,
        });
        self.items(parsed.items, index, file, folder)
    }

    /// Reads the items of a module; child modules are read from their files.
    fn items(
        &mut self,
        items: Vec<Item>,
        index: usize,
        file: &Path,
        folder: &Path,
    ) -> anyhow::Result<()> {
        for item in items {
            let Item::Mod(module) = item else {
                self.modules[index].items.push(item);
                continue;
            };
            let name = module.ident.to_string();
            let mut path = self.modules[index].path.clone();
            path.push(name.clone());
            if let Some((_, items)) = module.content {
                let child = self.modules.len();
                let outer = &self.modules[index];
                self.modules.push(Module {
                    path,
                    parent: Some(index),
                    items: Vec::new(),
                    code: Rc::clone(&outer.code),
                    is_file: false,
                    is_generated: outer.is_generated,
                });
                self.items(items, child, file, &folder.join(name))?;
                continue;
            }
            let (child, inside) = self.find(&name, &module.attrs, file, folder)?;
            self.file(&child, &inside, path, Some(index))?;
        }
        Ok(())
    }

    /// The file of a child module, and the folder of its own children.
    fn find(
        &self,
        name: &str,
        attributes: &[Attribute],
        file: &Path,
        folder: &Path,
    ) -> anyhow::Result<(PathBuf, PathBuf)> {
        if let Some(named) = attributes.iter().find_map(path_attribute) {
            let child = file.parent().unwrap_or(Path::new("")).join(named);
            let inside = child.parent().unwrap_or(Path::new("")).to_path_buf();
            return Ok((child, inside));
        }
        let inside = folder.join(name);
        for child in [folder.join(format!("{name}.rs")), inside.join("mod.rs")] {
            if (self.read)(&child).is_some() {
                return Ok((child, inside));
            }
        }
        bail!("{}: no file for mod {name}", file.display())
    }
}

/// The file that `#[path = "…"]` names.
fn path_attribute(attribute: &Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    let syn::Expr::Lit(syn::ExprLit {
        lit: syn::Lit::Str(text),
        ..
    }) = &pair.value
    else {
        return None;
    };
    pair.path.is_ident("path").then(|| text.value())
}

/// Removes tests, and notes the lines that they fill.
#[derive(Default)]
struct Tests {
    lines: BTreeSet<usize>,
}

impl Tests {
    fn is_kept<T: Spanned>(&mut self, item: &T, attributes: &[Attribute]) -> bool {
        let is_test = attributes.iter().any(is_test_attribute);
        if is_test {
            let span = item.span();
            self.lines.extend(span.start().line..=span.end().line);
        }
        !is_test
    }
}

impl VisitMut for Tests {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        file.items
            .retain(|item| self.is_kept(item, attributes_of(item)));
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            items.retain(|item| self.is_kept(item, attributes_of(item)));
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, item: &mut syn::ItemImpl) {
        item.items.retain(|item| match item {
            syn::ImplItem::Fn(function) => self.is_kept(function, &function.attrs),
            syn::ImplItem::Const(constant) => self.is_kept(constant, &constant.attrs),
            _ => true,
        });
        visit_mut::visit_item_impl_mut(self, item);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.retain(|statement| match statement {
            syn::Stmt::Item(item) => self.is_kept(item, attributes_of(item)),
            _ => true,
        });
        visit_mut::visit_block_mut(self, block);
    }
}

/// True for `#[test]` and for `#[cfg(…)]` that asks for tests.
fn is_test_attribute(attribute: &Attribute) -> bool {
    if attribute.path().is_ident("test") {
        return true;
    }
    match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => asks_for_tests(&list.tokens),
        _ => false,
    }
}

/// True if `test` stands in the condition outside of `not(…)` and `any(…)`.
fn asks_for_tests(condition: &TokenStream) -> bool {
    let mut is_open = true;
    for token in condition.clone() {
        match token {
            TokenTree::Ident(name) if name == "test" => return true,
            TokenTree::Ident(name) => is_open = name != "not" && name != "any",
            TokenTree::Group(group) if is_open && asks_for_tests(&group.stream()) => return true,
            _ => {}
        }
    }
    false
}

fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Adds the lines of tokens that are neither documentation nor in `left_out`.
fn add_code_lines(tokens: TokenStream, left_out: &BTreeSet<usize>, lines: &mut BTreeSet<usize>) {
    let mut add = |start: usize, end: usize| {
        lines.extend((start..=end).filter(|line| !left_out.contains(line)));
    };
    let mut nested = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if let TokenTree::Punct(sign) = &token
            && sign.as_char() == '#'
        {
            let inner = tokens
                .next_if(|token| matches!(token, TokenTree::Punct(sign) if sign.as_char() == '!'));
            if tokens.next_if(is_documentation).is_some() {
                continue;
            }
            if let Some(inner) = inner {
                add(inner.span().start().line, inner.span().end().line);
            }
        }
        match token {
            TokenTree::Group(group) => {
                let (open, close) = (group.span_open(), group.span_close());
                add(open.start().line, open.end().line);
                add(close.start().line, close.end().line);
                nested.push(group.stream());
            }
            other => add(other.span().start().line, other.span().end().line),
        }
    }
    for stream in nested {
        add_code_lines(stream, left_out, lines);
    }
}

/// True for `[doc …]`.
fn is_documentation(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else {
        return false;
    };
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket
        && matches!(first, Some(TokenTree::Ident(name)) if name == "doc")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sources: &[(&str, &str)]) -> Vec<Module> {
        let find = |path: &Path| {
            sources
                .iter()
                .find(|(name, _)| Path::new(name) == path)
                .map(|(_, text)| (*text).to_owned())
        };
        read_modules(Path::new("src/lib.rs"), &find).unwrap()
    }

    #[test]
    fn modules_are_found_in_files_folders_braces_and_by_path() {
        let modules = read(&[
            (
                "src/lib.rs",
                "mod a; mod b; #[path = \"elsewhere/c.rs\"] mod c; mod d { mod e; }",
            ),
            ("src/a.rs", "mod inner;"),
            ("src/a/inner.rs", ""),
            ("src/b/mod.rs", "mod inner;"),
            ("src/b/inner.rs", ""),
            ("src/elsewhere/c.rs", ""),
            ("src/d/e.rs", ""),
        ]);
        let names: Vec<String> = modules.iter().map(Module::name).collect();
        assert_eq!(
            names,
            ["crate", "a", "a::inner", "b", "b::inner", "c", "d", "d::e"]
        );
        assert_eq!(modules[7].parent, Some(6));
    }

    #[test]
    fn a_missing_file_is_an_error() {
        let only_root = |path: &Path| (path == Path::new("lib.rs")).then(|| "mod a;".to_owned());
        assert!(read_modules(Path::new("lib.rs"), &only_root).is_err());
    }

    #[test]
    fn tests_are_neither_modules_nor_lines() {
        let source = "\
#[cfg(test)]
mod absent;
#[cfg(all(test, unix))]
use std::fs;
#[cfg(not(test))]
use std::io;
struct S;
impl S {
    #[cfg(test)]
    fn helper() {
    }
    fn kept() {}
}
#[cfg(test)]
mod tests {
    fn f() {}
}
";
        let modules = read(&[("src/lib.rs", source)]);
        assert_eq!(modules.len(), 1);
        assert_eq!(modules[0].items.len(), 3);
        assert_eq!(
            modules[0].code.iter().copied().collect::<Vec<_>>(),
            [5, 6, 7, 8, 12, 13]
        );
    }

    #[test]
    fn comments_documentation_and_blank_lines_are_no_code() {
        let source = "\
//! Inner documentation.
#![forbid(unsafe_code)]

/// Documentation.
/* A comment
   of two lines */
fn f() {
    // A comment.
    let text = \"one
      two\"; // behind code

    #[doc = \"also documentation\"]
    g(text)
}
";
        let modules = read(&[("src/lib.rs", source)]);
        assert_eq!(
            modules[0].code.iter().copied().collect::<Vec<_>>(),
            [2, 7, 9, 10, 13, 14]
        );
        assert!(!modules[0].is_generated);
        let modules = read(&[(
            "src/lib.rs",
            "// Made by a program. Do not edit.\nfn f() {}",
        )]);
        assert!(modules[0].is_generated);
    }
}
