//! Finds circles of modules, and arrows that would open them.
//!
//! This module reports three kinds of dependency cycles (strongly connected components):
//!
//! - A *circle* has modules that use each other: `a` uses `b`, and `b` uses `a`. Uses of a module's own parent do not count.
//! - A *family* has a parent and its child: `a` uses `a::x`, and `a::x` uses an item of `a`.
//! - A *circle of folders* has folders that use each other, although their modules may not: `a::x` uses `b`, and `b` uses `a::y`.
//!
//! # Limits
//!
//! The set of arrows is small, but not always the smallest: finding that takes too long in general.

use super::module_graph::Arrows;
use crate::rust_source::Module;
use std::collections::{BTreeMap, BTreeSet};

/// The module of generated tables.
const TABLES: &str = "generated";

/// An arrow from one module to another, by index.
pub(super) type Arrow = (usize, usize);

/// The circles of a crate.
#[derive(Debug, PartialEq)]
pub(super) struct Circles {
    /// Modules of each circle, the largest circle first.
    pub(super) modules: Vec<Vec<usize>>,
    /// Modules of each family.
    pub(super) families: Vec<Vec<usize>>,
    /// Siblings of each circle of folders.
    pub(super) folders: Vec<Vec<usize>>,
}

/// Finds the circles, families and circles of folders among `modules`.
pub(super) fn find(modules: &[Module], arrows: &Arrows) -> Circles {
    let all = |from: usize| arrows[from].keys().copied().collect::<Vec<_>>();
    let without_parents = |from: usize| {
        let mut targets = all(from);
        targets.retain(|to| !is_parent(modules, *to, from));
        targets
    };
    let circles = components(modules.len(), &without_parents);
    let in_circles: BTreeSet<usize> = circles.iter().flatten().copied().collect();
    let mut families = components(modules.len(), &all);
    families.retain(|family| family.iter().any(|module| !in_circles.contains(module)));
    let siblings = arrows_of_siblings(modules, arrows);
    let mut folders = components(modules.len(), &|from| {
        siblings[from].keys().copied().collect()
    });
    folders.retain(|folders| !circles.contains(folders));
    Circles {
        modules: circles,
        families,
        folders,
    }
}

/// Draws the arrows between siblings. A sibling has the arrows of all modules below it. Generated tables have none: their types are
/// those of the modules that read them.
pub(super) fn arrows_of_siblings(modules: &[Module], arrows: &Arrows) -> Arrows {
    let mut siblings: Arrows = vec![BTreeMap::new(); modules.len()];
    let is_table = |module: usize| {
        modules[module]
            .path
            .first()
            .is_some_and(|name| name == TABLES)
    };
    for (from, targets) in arrows.iter().enumerate() {
        for (to, names) in targets {
            if is_table(from) || is_table(*to) {
                continue;
            }
            if let Some((from, to)) = siblings_above(modules, from, *to) {
                siblings[from]
                    .entry(to)
                    .or_default()
                    .extend(names.iter().cloned());
            }
        }
    }
    siblings
}

/// Returns the two siblings that two modules are, or are below. `None` if one of the modules is below the other.
fn siblings_above(modules: &[Module], one: usize, other: usize) -> Option<Arrow> {
    let mut from = one;
    loop {
        let parent = modules[from].parent?;
        if is_parent(modules, parent, other) {
            let mut to = other;
            while modules[to].parent != Some(parent) {
                to = modules[to].parent?;
            }
            return (from != to).then_some((from, to));
        }
        from = parent;
    }
}

/// True if `parent` is the parent of `module`, or the parent of its parent, and so on.
pub(super) fn is_parent(modules: &[Module], parent: usize, module: usize) -> bool {
    let mut at = module;
    while let Some(next) = modules[at].parent {
        if next == parent {
            return true;
        }
        at = next;
    }
    false
}

/// Returns the strongly connected components of more than one module, the largest first (Tarjan's algorithm).
fn components(count: usize, targets: &dyn Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    let mut search = Search {
        targets,
        next: 0,
        order: vec![None; count],
        stack: Vec::new(),
        found: Vec::new(),
    };
    for module in 0..count {
        search.visit(module);
    }
    search
        .found
        .sort_by_key(|found| std::cmp::Reverse(found.len()));
    search.found
}

struct Search<'t> {
    targets: &'t dyn Fn(usize) -> Vec<usize>,
    next: usize,
    order: Vec<Option<usize>>,
    /// Modules whose component is not complete.
    stack: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// Returns the lowest order that the module reaches. Recursion is as deep as the longest chain of modules.
    fn visit(&mut self, module: usize) -> usize {
        if let Some(order) = self.order[module] {
            return if self.stack.contains(&module) {
                order
            } else {
                usize::MAX
            };
        }
        let own = self.next;
        self.next += 1;
        self.order[module] = Some(own);
        self.stack.push(module);
        let mut lowest = own;
        for target in (self.targets)(module) {
            lowest = lowest.min(self.visit(target));
        }
        if lowest == own {
            let start = self.stack.iter().rposition(|other| *other == module);
            let mut component = self.stack.split_off(start.unwrap_or_default());
            component.sort_unstable();
            if component.len() > 1 {
                self.found.push(component);
            }
        }
        lowest
    }
}

/// Returns arrows whose removal opens a circle: few, with few names.
///
/// The modules are put in a row by the heuristic of Eades, Lin and Smyth: modules that use much and are used little come first.
/// Arrows that point back in the row are the answer, without those that close no circle on their own.
pub(super) fn opening(circle: &[usize], weights: &BTreeMap<Arrow, usize>) -> Vec<Arrow> {
    let places: BTreeMap<usize, usize> = row(circle, weights)
        .into_iter()
        .enumerate()
        .map(|(place, module)| (module, place))
        .collect();
    let (mut kept, mut back): (Vec<Arrow>, Vec<Arrow>) = weights
        .keys()
        .partition(|(from, to)| places[from] < places[to]);
    // The heaviest first: they are kept if they can.
    back.sort_by_key(|arrow| std::cmp::Reverse(weights[arrow]));
    back.retain(|(from, to)| {
        let closes = reaches(&kept, *to, *from);
        if !closes {
            kept.push((*from, *to));
        }
        closes
    });
    back
}

fn row(circle: &[usize], weights: &BTreeMap<Arrow, usize>) -> Vec<usize> {
    let mut left: BTreeSet<usize> = circle.iter().copied().collect();
    let (mut first, mut last) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        let sum = |module: usize, is_out: bool| -> usize {
            weights
                .iter()
                .filter(|((from, to), _)| {
                    let (own, other) = if is_out { (from, to) } else { (to, from) };
                    *own == module && left.contains(other)
                })
                .map(|(_, weight)| weight)
                .sum()
        };
        if let Some(sink) = left.iter().copied().find(|module| sum(*module, true) == 0) {
            left.remove(&sink);
            last.push(sink);
            continue;
        }
        let difference = |module: &usize| {
            let (out, into) = (sum(*module, true), sum(*module, false));
            out as isize - into as isize
        };
        let Some(next) = left.iter().copied().max_by_key(difference) else {
            break;
        };
        left.remove(&next);
        first.push(next);
    }
    last.reverse();
    first.extend(last);
    first
}

fn reaches(arrows: &[Arrow], from: usize, to: usize) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(module) = open.pop() {
        if module == to {
            return true;
        }
        let targets = arrows.iter().filter(|arrow| arrow.0 == module);
        open.extend(
            targets
                .map(|arrow| arrow.1)
                .filter(|target| seen.insert(*target)),
        );
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::module_graph::arrows;
    use super::*;
    use crate::rust_source::read_modules;
    use std::path::Path;

    fn circles(sources: &[(&str, &str)]) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
        let (circles, families, _) = all_circles(sources);
        (circles, families)
    }

    /// Circles, families and circles of folders.
    fn all_circles(sources: &[(&str, &str)]) -> (Names, Names, Names) {
        let find = |path: &Path| {
            sources
                .iter()
                .find(|(name, _)| Path::new(name) == path)
                .map(|(_, text)| (*text).to_owned())
        };
        let modules = read_modules(Path::new("lib.rs"), &find).unwrap();
        let found = super::find(&modules, &arrows(&modules));
        let named = |sets: &[Vec<usize>]| {
            sets.iter()
                .map(|set| set.iter().map(|module| modules[*module].name()).collect())
                .collect()
        };
        (
            named(&found.modules),
            named(&found.families),
            named(&found.folders),
        )
    }

    type Names = Vec<Vec<String>>;

    #[test]
    fn modules_that_use_each_other_are_a_circle() {
        let found = circles(&[
            ("lib.rs", "mod a; mod b; mod c; mod d; pub use a::f;"),
            ("a.rs", "pub fn f() { crate::b::g() }"),
            ("b.rs", "pub fn g() { crate::c::h(); crate::d::k() }"),
            ("c.rs", "use crate::f; pub fn h() { f() }"),
            ("d.rs", "pub fn k() {}"),
        ]);
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(found, (vec![names(&["a", "b", "c"])], vec![]));
    }

    #[test]
    fn a_parent_with_children_that_use_it_is_a_family() {
        let family = [
            ("lib.rs", "mod a;"),
            ("a.rs", "mod x; pub struct T; pub fn f() { x::g() }"),
            ("a/x.rs", "use super::T; pub fn g() -> T { T }"),
        ];
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(circles(&family), (vec![], vec![names(&["a", "a::x"])]));
        // Without an item of the parent it is none.
        let tree = [
            family[0],
            ("a.rs", "mod x; fn f() { x::g() }"),
            ("a/x.rs", "pub fn g() {}"),
        ];
        assert_eq!(circles(&tree), (vec![], vec![]));
    }

    #[test]
    fn a_circle_through_a_parent_and_a_stranger_is_a_circle() {
        let found = circles(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod x; pub fn f() { x::g() }"),
            ("a/x.rs", "pub fn g() { crate::b::h() }"),
            ("b.rs", "pub fn h() { crate::a::f() }"),
        ]);
        assert_eq!(found.0.len(), 1);
        assert_eq!(found.0[0].len(), 3);
    }

    #[test]
    fn folders_whose_modules_use_each_other_are_a_circle() {
        let found = all_circles(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub mod x; pub mod y;"),
            ("a/x.rs", "pub fn f() { crate::b::g() }"),
            ("a/y.rs", "pub fn h() {}"),
            ("b.rs", "pub fn g() { crate::a::y::h() }"),
        ]);
        let folders = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(found, (vec![], vec![], vec![folders]));
        // Arrows in one direction are no circle, and tables are not counted.
        let tree = all_circles(&[
            ("lib.rs", "mod a; mod b; mod generated;"),
            ("a.rs", "pub mod x; pub mod y;"),
            ("a/x.rs", "pub fn f() { crate::b::g() }"),
            ("a/y.rs", "pub fn h() { super::x::f() }"),
            ("b.rs", "pub fn g() { crate::generated::t() }"),
            ("generated.rs", "pub fn t() { crate::a::y::h() }"),
        ]);
        assert_eq!(tree.2, Names::new());
    }

    #[test]
    fn the_lightest_arrow_opens_a_circle() {
        let weights = BTreeMap::from([((0, 1), 5), ((1, 2), 1), ((2, 0), 4)]);
        assert_eq!(opening(&[0, 1, 2], &weights), [(1, 2)]);
    }

    #[test]
    fn nothing_closes_a_circle_that_was_opened() {
        let mut state = 1_u64;
        for _ in 0..200 {
            let mut weights = BTreeMap::new();
            for _ in 0..40 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let (from, to) = ((state >> 33) as usize % 12, (state >> 45) as usize % 12);
                if from != to {
                    weights.insert((from, to), 1 + (state >> 60) as usize);
                }
            }
            let all: Vec<usize> = (0..12).collect();
            let removed = opening(&all, &weights);
            let rest = |from: usize| {
                weights
                    .keys()
                    .filter(|arrow| arrow.0 == from && !removed.contains(arrow))
                    .map(|arrow| arrow.1)
                    .collect()
            };
            assert!(components(12, &rest).is_empty());
            // Each of them is needed.
            for arrow in &removed {
                let with = |from: usize| {
                    let mut targets: Vec<usize> = rest(from);
                    targets.extend((arrow.0 == from).then_some(arrow.1));
                    targets
                };
                assert!(!components(12, &with).is_empty());
            }
        }
    }
}
