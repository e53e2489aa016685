//! Which crate and which module may use which: `cargo xtask arrows` (ARCHITECTURE.md, "Crates and arrows").
//!
//! # Limits
//! See [`dependencies`] and [`module_graph`].

mod circles;
mod dependencies;
mod module_graph;

use crate::rust_source::{Module, read_crate};
use crate::workspace::{Package, packages};
use anyhow::bail;
use circles::{Arrow, Circles, arrows_of_siblings, is_parent};
use module_graph::{Arrows, arrows, names_of_root};
use std::collections::BTreeMap;

/// Names of an arrow that are printed.
const NAMES: usize = 5;

/// Fails with every dependency that the table in ARCHITECTURE.md does not have, and with every circle of modules or folders. Also fails
/// with every family (a module that uses items of a parent that uses it). Also fails with every name that a module imports from the crate
/// root instead of its own module.
pub(crate) fn check() -> anyhow::Result<()> {
    let packages = packages()?;
    let mut faults = dependencies::check(&packages)?;
    for package in &packages {
        let drawn = Drawn::read(package)?;
        let Circles {
            modules: circles,
            families,
            folders,
        } = &drawn.circles;
        faults.extend(circles.iter().map(|found| drawn.fault("circle", found)));
        faults.extend(families.iter().map(|found| drawn.fault("family", found)));
        faults.extend(
            folders
                .iter()
                .map(|found| drawn.fault("circle of folders", found)),
        );
        faults.extend(drawn.root_faults());
    }
    for fault in &faults {
        println!("{fault}");
    }
    if !faults.is_empty() {
        bail!(
            "{} fault(s); the table is in ARCHITECTURE.md, and `cargo xtask arrows --circles` draws modules",
            faults.len()
        );
    }
    println!("arrows: {} packages, all as drawn", packages.len());
    Ok(())
}

/// Prints the circles of each crate, and arrows that would open them.
pub(crate) fn print_circles() -> anyhow::Result<()> {
    for package in &packages()? {
        Drawn::read(package)?.print();
    }
    Ok(())
}

/// A crate with its arrows.
struct Drawn {
    package: String,
    modules: Vec<Module>,
    arrows: Arrows,
    circles: Circles,
}

impl Drawn {
    fn read(package: &Package) -> anyhow::Result<Self> {
        let modules = read_crate(&package.root)?;
        let arrows = arrows(&modules);
        Ok(Self {
            package: package.name.clone(),
            circles: circles::find(&modules, &arrows),
            modules,
            arrows,
        })
    }

    fn fault(&self, what: &str, found: &[usize]) -> String {
        format!("{}: {what} of {}", self.package, self.names(found))
    }

    /// Returns a fault for each module that names items of the crate root: `use crate::Event` instead of `use crate::event::Event`.
    fn root_faults(&self) -> Vec<String> {
        let fault = |(module, name): (usize, String)| {
            let module = self.modules[module].name();
            format!(
                "{}: {module} takes {name} from the crate root",
                self.package
            )
        };
        names_of_root(&self.modules)
            .into_iter()
            .map(fault)
            .collect()
    }

    fn print(&self) {
        let Circles {
            modules: circles,
            families,
            folders,
        } = &self.circles;
        let all: Vec<usize> = (0..self.modules.len()).collect();
        println!(
            "\n{}: {} modules, {} arrows, {} lines; {} circle(s), {} famil{}, {} circle(s) of folders",
            self.package,
            self.modules.len(),
            self.arrows.iter().map(BTreeMap::len).sum::<usize>(),
            self.lines(&all),
            circles.len(),
            families.len(),
            if families.len() == 1 { "y" } else { "ies" },
            folders.len(),
        );
        for circle in circles {
            self.print_set("circle", circle, &self.arrows, false);
        }
        for family in families {
            self.print_set("family", family, &self.arrows, true);
        }
        let siblings = arrows_of_siblings(&self.modules, &self.arrows);
        for folder in folders {
            self.print_set("circle of folders", folder, &siblings, false);
        }
    }

    /// Prints a circle or family; only in a family do arrows to parents count.
    fn print_set(&self, what: &str, set: &[usize], arrows: &Arrows, with_parents: bool) {
        let all: Vec<usize> = (0..self.modules.len()).collect();
        println!(
            "  {what} of {} modules, {} lines ({} %): {}",
            set.len(),
            self.lines(set),
            self.lines(set) * 100 / self.lines(&all).max(1),
            self.names(set)
        );
        let weights = self.weights(set, arrows, with_parents);
        let opening = circles::opening(set, &weights);
        println!("    {} arrow(s) whose removal opens it:", opening.len());
        for (from, to) in opening {
            let names = &arrows[from][&to];
            let shown: Vec<&str> = names.iter().take(NAMES).map(String::as_str).collect();
            let more = if names.len() > NAMES { ", …" } else { "" };
            println!(
                "      {} -> {}: {}{more}",
                self.modules[from].name(),
                self.modules[to].name(),
                shown.join(", ")
            );
        }
    }

    /// The arrows within a set, with the number of names that each uses.
    fn weights(
        &self,
        set: &[usize],
        arrows: &Arrows,
        with_parents: bool,
    ) -> BTreeMap<Arrow, usize> {
        let mut weights = BTreeMap::new();
        for from in set {
            for (to, names) in &arrows[*from] {
                let is_upward = is_parent(&self.modules, *to, *from);
                if set.contains(to) && (with_parents || !is_upward) {
                    weights.insert((*from, *to), names.len());
                }
            }
        }
        weights
    }

    fn lines(&self, set: &[usize]) -> usize {
        let modules = set.iter().map(|index| &self.modules[*index]);
        modules
            .filter(|module| !module.is_generated)
            .map(Module::lines)
            .sum()
    }

    fn names(&self, set: &[usize]) -> String {
        let names: Vec<String> = set
            .iter()
            .map(|index| self.modules[*index].name())
            .collect();
        names.join(", ")
    }
}
