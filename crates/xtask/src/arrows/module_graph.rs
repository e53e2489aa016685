//! Draws the arrows between the modules of a crate, from `use` declarations and from paths in code.
//!
//! A path leads to the module that defines its item. Re-exports are followed, and are no arrows themselves: with
//! `pub use a::Name` at the root, `crate::Name` leads to `a`.
//!
//! # Limits
//!
//! Methods and fields make no arrows. Names that a macro makes are not found; the arrow then leads to the last module that was.

use crate::rust_source::Module;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{Item, UseTree, Visibility};

/// Imports that are followed one behind the other.
const DEPTH: usize = 16;

/// The modules that each module uses, by index, and the names that it uses of them.
pub(super) type Arrows = Vec<BTreeMap<usize, BTreeSet<String>>>;

/// Draws the arrows between `modules`.
pub(super) fn arrows(modules: &[Module]) -> Arrows {
    let graph = Graph {
        modules,
        scopes: scopes(modules),
    };
    (0..modules.len())
        .map(|index| graph.arrows_of(index))
        .collect()
}

/// Returns the modules that take names from re-exports of the crate root, with these names. Their arrows are true, but a reader of the
/// module has to look into the root to see them.
pub(super) fn names_of_root(modules: &[Module]) -> Vec<(usize, String)> {
    let scopes = scopes(modules);
    let is_reexport = |name: &String| {
        let mut imports = scopes[0].imports.iter();
        !scopes[0].children.contains_key(name)
            && imports.any(|import| import.is_reexport && import.name == *name)
    };
    let mut found = Vec::new();
    for (index, scope) in scopes.iter().enumerate().skip(1) {
        let imports = scope.imports.iter().filter(|import| !import.is_reexport);
        let paths = imports.map(|import| &import.path).chain(&scope.paths);
        let is_below_root = modules[index].parent == Some(0);
        let is_root = |name: &str| name == "crate" || is_below_root && name == "super";
        let names = paths.filter_map(|path| match path.as_slice() {
            [first, name, ..] if is_root(first) && is_reexport(name) => Some(name.clone()),
            _ => None,
        });
        found.extend(
            names
                .collect::<BTreeSet<_>>()
                .into_iter()
                .map(|name| (index, name)),
        );
    }
    found
}

/// What the names of a module mean.
#[derive(Default)]
struct Scope {
    children: BTreeMap<String, usize>,
    /// Items that are defined here.
    defined: BTreeSet<String>,
    imports: Vec<Import>,
    globs: Vec<Vec<String>>,
    /// Paths in code.
    paths: BTreeSet<Vec<String>>,
    /// Variables and parameters. A path of one such name is taken for them.
    locals: BTreeSet<String>,
}

/// `use path as name`.
struct Import {
    name: String,
    path: Vec<String>,
    is_reexport: bool,
}

/// What a path leads to.
#[derive(Clone, PartialEq)]
enum Target {
    Module(usize),
    Item { module: usize, name: String },
}

struct Graph<'m> {
    modules: &'m [Module],
    scopes: Vec<Scope>,
}

impl Graph<'_> {
    fn arrows_of(&self, index: usize) -> BTreeMap<usize, BTreeSet<String>> {
        let scope = &self.scopes[index];
        let mut arrows: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        let mut add = |module: usize, name: &str| {
            if module != index {
                arrows.entry(module).or_default().insert(name.to_owned());
            }
        };
        // Names of modules that a path goes through.
        let mut passed = BTreeSet::new();
        let is_local = |path: &[String]| path.len() == 1 && scope.locals.contains(&path[0]);
        for path in scope.paths.iter().filter(|path| !is_local(path)) {
            match self.resolve(index, path, 0) {
                Some(Target::Item { module, name }) => {
                    passed.insert(&path[0]);
                    add(module, &name);
                }
                Some(Target::Module(_)) | None => {}
            }
        }
        for import in scope.imports.iter().filter(|import| !import.is_reexport) {
            match self.resolve(index, &import.path, 0) {
                Some(Target::Item { module, name }) => add(module, &name),
                Some(Target::Module(module)) if !passed.contains(&import.name) => {
                    add(module, "self");
                }
                _ => {}
            }
        }
        for glob in &scope.globs {
            match self.resolve(index, glob, 0) {
                Some(Target::Item { module, .. } | Target::Module(module)) => add(module, "*"),
                None => {}
            }
        }
        arrows
    }

    /// Follows a path from a module; `None` if it leads out of the crate.
    fn resolve(&self, from: usize, path: &[String], depth: usize) -> Option<Target> {
        if depth > DEPTH {
            return None;
        }
        let mut module = from;
        let mut is_inside = false;
        for (at, name) in path.iter().enumerate() {
            match name.as_str() {
                "crate" => module = 0,
                "self" => {}
                "super" => module = self.modules[module].parent?,
                name => match self.lookup(module, name, at + 1 < path.len(), depth) {
                    Some(Target::Module(inner)) => module = inner,
                    Some(item) => return Some(item),
                    None if is_inside => {
                        let name = name.to_owned();
                        return Some(Target::Item { module, name });
                    }
                    None => return None,
                },
            }
            is_inside = true;
        }
        is_inside.then_some(Target::Module(module))
    }

    /// What a name means in a module; `is_first` if more names follow it, so that a module comes before a function of that name.
    fn lookup(&self, module: usize, name: &str, is_first: bool, depth: usize) -> Option<Target> {
        let scope = &self.scopes[module];
        let child = scope.children.get(name).copied().map(Target::Module);
        let item = scope.defined.contains(name).then(|| Target::Item {
            module,
            name: name.to_owned(),
        });
        let imported = || {
            let mut named = scope.imports.iter().filter(|import| import.name == name);
            named.find_map(|import| self.resolve(module, &import.path, depth + 1))
        };
        let globbed = || {
            scope.globs.iter().find_map(|glob| {
                let Target::Module(other) = self.resolve(module, glob, depth + 1)? else {
                    return None;
                };
                (other != module && depth < DEPTH)
                    .then(|| self.lookup(other, name, is_first, depth + 1))?
            })
        };
        if is_first {
            child.or(item).or_else(imported).or_else(globbed)
        } else {
            item.or_else(imported).or(child).or_else(globbed)
        }
    }
}

/// Reads the names and paths of each module.
fn scopes(modules: &[Module]) -> Vec<Scope> {
    let mut scopes: Vec<Scope> = modules.iter().map(scope).collect();
    for (index, module) in modules.iter().enumerate() {
        if let (Some(parent), Some(name)) = (module.parent, module.path.last()) {
            scopes[parent].children.insert(name.clone(), index);
        }
    }
    scopes
}

fn scope(module: &Module) -> Scope {
    let mut scope = Scope::default();
    for item in &module.items {
        if let Some(name) = defined_name(item) {
            scope.defined.insert(name);
        }
        scope.visit_item(item);
    }
    scope
}

fn defined_name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

impl<'s> Visit<'s> for Scope {
    fn visit_item_use(&mut self, item: &'s syn::ItemUse) {
        if item.leading_colon.is_none() {
            let is_reexport = !matches!(item.vis, Visibility::Inherited);
            self.import(&item.tree, Vec::new(), is_reexport);
        }
    }

    fn visit_path(&mut self, path: &'s syn::Path) {
        if path.leading_colon.is_none() {
            let names = path.segments.iter();
            self.paths
                .insert(names.map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_pat_ident(&mut self, pattern: &'s syn::PatIdent) {
        self.locals.insert(pattern.ident.to_string());
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_macro(&mut self, item: &'s syn::Macro) {
        self.paths_of(item.tokens.clone());
        visit::visit_macro(self, item);
    }

    // `pub(in super)` uses nothing.
    fn visit_vis_restricted(&mut self, _: &'s syn::VisRestricted) {}

    fn visit_attribute(&mut self, _: &'s syn::Attribute) {}
}

impl Scope {
    fn import(&mut self, tree: &UseTree, mut path: Vec<String>, is_reexport: bool) {
        let (ident, new_name) = match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                return self.import(&tree.tree, path, is_reexport);
            }
            UseTree::Glob(_) => return self.globs.push(path),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, path.clone(), is_reexport);
                }
                return;
            }
            UseTree::Name(tree) => (&tree.ident, None),
            UseTree::Rename(tree) => (&tree.ident, Some(tree.rename.to_string())),
        };
        if ident != "self" {
            path.push(ident.to_string());
        }
        let name = new_name.or_else(|| path.last().cloned());
        self.imports.push(Import {
            name: name.unwrap_or_default(),
            path,
            is_reexport,
        });
    }

    /// Adds the paths in the arguments of a macro, which have no syntax of their own.
    fn paths_of(&mut self, tokens: TokenStream) {
        let mut path = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.end(&mut path);
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(sign) if sign.as_char() == ':' && !path.is_empty() => colons += 1,
                other => {
                    self.end(&mut path);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.paths_of(group.stream());
                    }
                }
            }
        }
        self.end(&mut path);
    }

    fn end(&mut self, path: &mut Vec<String>) {
        if !path.is_empty() {
            self.paths.insert(std::mem::take(path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rust_source::read_modules;
    use std::path::Path;

    /// The arrows of a crate as text: `from -> to: names`.
    fn drawn(sources: &[(&str, &str)]) -> Vec<String> {
        let find = |path: &Path| {
            sources
                .iter()
                .find(|(name, _)| Path::new(name) == path)
                .map(|(_, text)| (*text).to_owned())
        };
        let modules = read_modules(Path::new("lib.rs"), &find).unwrap();
        let mut lines = Vec::new();
        for (from, targets) in arrows(&modules).iter().enumerate() {
            for (to, names) in targets {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                lines.push(format!(
                    "{} -> {}: {}",
                    modules[from].name(),
                    modules[*to].name(),
                    names.join(", ")
                ));
            }
        }
        lines
    }

    #[test]
    fn an_import_leads_through_reexports_to_the_definition() {
        let lines = drawn(&[
            ("lib.rs", "mod a; mod b; mod c; pub use a::Name;"),
            ("a.rs", "pub use inner::Name; mod inner;"),
            ("a/inner.rs", "pub struct Name;"),
            ("b.rs", "use crate::Name; use super::c::{self, f};"),
            ("c.rs", "pub fn f() -> crate::Name { crate::a::Name }"),
        ]);
        assert_eq!(
            lines,
            [
                "b -> a::inner: Name",
                "b -> c: f, self",
                "c -> a::inner: Name"
            ]
        );
    }

    #[test]
    fn paths_in_code_and_in_macros_are_arrows() {
        let lines = drawn(&[
            ("lib.rs", "mod a; mod b; mod c; mod d; fn f() { a::g(); }"),
            (
                "a.rs",
                "use crate::b; pub fn g() { b::h(); let x: Vec<super::d::T>; }",
            ),
            ("b.rs", "pub fn h() { assert_eq!(crate::c::K, 1); }"),
            (
                "c.rs",
                "pub const K: u8 = 1; pub(in crate) fn x() { std::mem::drop(1) }",
            ),
            (
                "d.rs",
                "pub struct T; impl T { fn k(&self) { self.x(); Self::k(self) } }",
            ),
        ]);
        assert_eq!(
            lines,
            ["crate -> a: g", "a -> b: h", "a -> d: T", "b -> c: K"]
        );
    }

    #[test]
    fn globs_renames_and_items_of_the_parent_are_followed() {
        let lines = drawn(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod x; pub enum E { One } pub fn f() { x::g() }"),
            ("a/x.rs", "use super::*; pub fn g() -> E { f() }"),
            (
                "b.rs",
                "use crate::a as other; use other::E as F; fn k() { F::One; other::f() }",
            ),
        ]);
        assert_eq!(
            lines,
            ["a -> a::x: g", "a::x -> a: *, E, f", "b -> a: E, f"]
        );
    }

    #[test]
    fn a_function_may_have_the_name_of_its_module() {
        let lines = drawn(&[
            ("lib.rs", "mod a; mod b;"),
            (
                "a.rs",
                "mod f; pub(crate) use f::f; fn g(f: u8) -> u8 { f }",
            ),
            ("a/f.rs", "pub(crate) fn f() {}"),
            ("b.rs", "fn g() { super::a::f() }"),
        ]);
        assert_eq!(lines, ["b -> a::f: f"]);
    }

    #[test]
    fn names_of_the_root_are_found_in_modules_that_could_name_their_own() {
        let sources = [
            (
                "lib.rs",
                "mod a; mod b; pub use a::{Name, f}; pub struct Own;",
            ),
            (
                "a.rs",
                "pub struct Name; pub fn f() {} fn g() { crate::f() } fn k(_: super::Name) {}",
            ),
            (
                "b.rs",
                "use crate::{Name, Own, a::f}; use crate::a; fn h(_: Name, _: Own) { f(); a::f() }",
            ),
        ];
        let find = |path: &Path| {
            let named = sources.iter().find(|(name, _)| Path::new(name) == path);
            named.map(|(_, text)| (*text).to_owned())
        };
        let modules = read_modules(Path::new("lib.rs"), &find).unwrap();
        let found: Vec<String> = names_of_root(&modules)
            .into_iter()
            .map(|(module, name)| format!("{}: {name}", modules[module].name()))
            .collect();
        assert_eq!(found, ["a: Name", "a: f", "b: Name"]);
    }
}
