//! `mailglot man`: one page with all commands in it, or a page for each command.

use crate::args::{self, ManArgs};
use crate::exit::{Exit, Failure};
use crate::output::print;
use clap::Command;
use clap_mangen::Man;
use std::fs;
use std::io::{self, Write};

/// Levels of commands below the program.
const DEPTH: usize = 2;

pub(crate) fn run(args: &ManArgs) -> Result<Exit, Failure> {
    if let Some(folder) = &args.output_dir {
        fs::create_dir_all(folder).map_err(|error| Failure::output(folder, &error))?;
        for (name, page) in pages().map_err(|error| Failure::output(folder, &error))? {
            let path = folder.join(name);
            fs::write(&path, page).map_err(|error| Failure::output(&path, &error))?;
        }
        return Ok(Exit::Done);
    }
    // Writing to memory cannot fail.
    let page = page().map_err(|error| Failure::stdout(&error))?;
    print(&page)?;
    Ok(Exit::Done)
}

/// Returns a page for each command, with its file name.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut program = args::command().disable_help_subcommand(true);
    program.build();
    let source = concat!("mailglot ", env!("CARGO_PKG_VERSION"));
    let mut pages = Vec::new();
    let mut open = vec![program];
    while let Some(command) = open.pop() {
        let name = command
            .get_bin_name()
            .unwrap_or_else(|| command.get_name())
            .replace(' ', "-");
        let below: Vec<Command> = command.get_subcommands().cloned().collect();
        let mut page = Vec::new();
        let man = Man::new(command.display_name(&name))
            .title(&name)
            .source(source);
        man.render_title(&mut page)?;
        man.render_name_section(&mut page)?;
        usage(&man, &mut page)?;
        see_also(&name, &below, &mut page)?;
        pages.push((format!("{name}.1"), page));
        open.extend(
            below
                .into_iter()
                .filter(|command| command.get_name() != "help"),
        );
    }
    Ok(pages)
}

/// Names the pages of the commands below one, or the program's page.
fn see_also(name: &str, below: &[Command], page: &mut Vec<u8>) -> io::Result<()> {
    let reference = |name: &str| format!("\\fB{}\\fR(1)", name.replace('-', "\\-"));
    let mut names: Vec<String> = below
        .iter()
        .map(|command| reference(&format!("{name}-{}", command.get_name())))
        .collect();
    if names.is_empty() {
        names.push(reference("mailglot"));
    }
    writeln!(page, ".SH \"SEE ALSO\"\n{}", names.join(",\n"))
}

fn page() -> io::Result<Vec<u8>> {
    let mut program = args::command().disable_help_subcommand(true);
    program.build();
    let mut page = Vec::new();
    let man = Man::new(program.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    usage(&man, &mut page)?;
    let mut level: Vec<Command> = program.get_subcommands().cloned().collect();
    for _ in 0..DEPTH {
        let mut below = Vec::new();
        for command in &level {
            if command.get_name() != "help" {
                section(command, &mut page)?;
                below.extend(command.get_subcommands().cloned());
            }
        }
        level = below;
    }
    man.render_version_section(&mut page)?;
    Ok(page)
}

/// Writes a command as a section. The sections of its own page become subsections.
fn section(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let name = command
        .get_bin_name()
        .unwrap_or_else(|| command.get_name())
        .to_uppercase();
    writeln!(page, ".SH \"{name}\"")?;
    let mut own = Vec::new();
    let man = Man::new(command.clone());
    usage(&man, &mut own)?;
    for line in own.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_prefix(b".SH") {
            Some(rest) => {
                page.extend_from_slice(b".SS");
                page.extend_from_slice(rest);
            }
            None => page.extend_from_slice(line),
        }
    }
    Ok(())
}

/// Writes how a command is used: synopsis, description, options, and the examples under a better heading than `EXTRA`.
fn usage(man: &Man, page: &mut Vec<u8>) -> io::Result<()> {
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    let mut extra = Vec::new();
    man.render_extra_section(&mut extra)?;
    let named = String::from_utf8_lossy(&extra).replacen("Examples:\n", "", 1);
    // Lines stay as they are: a justified command could not be copied.
    let Some((before, lines)) = named.split_once(".SH EXTRA\n") else {
        return page.write_all(named.as_bytes());
    };
    write!(page, "{before}.SH EXAMPLES\n.nf\n{lines}")?;
    if !lines.ends_with('\n') {
        page.push(b'\n');
    }
    page.write_all(b".fi\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_its_page() {
        let pages = pages().unwrap();
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        for name in [
            "mailglot.1",
            "mailglot-check-mta.1",
            "mailglot-header.1",
            "mailglot-header-decode.1",
        ] {
            assert!(names.contains(&name), "{names:?}");
        }
        for (name, page) in &pages {
            let page = String::from_utf8(page.clone()).unwrap();
            let title = name.trim_end_matches(".1");
            assert!(page.contains(&format!(".TH {title} 1")), "{name}: {page}");
            // man-db lists a page under what stands before the dash.
            let line = page
                .lines()
                .skip_while(|line| *line != ".SH NAME")
                .nth(1)
                .unwrap();
            assert!(
                line.replace("\\-", "-").starts_with(&format!("{title} - ")),
                "{name}: {line}"
            );
            assert!(page.contains(".SH \"SEE ALSO\""), "{name}");
        }
    }

    #[test]
    fn examples_are_not_justified() {
        for (name, page) in pages().unwrap() {
            let page = String::from_utf8(page).unwrap();
            let examples = page.matches(".SH EXAMPLES\n").count();
            assert_eq!(
                page.matches(".SH EXAMPLES\n.nf\n").count(),
                examples,
                "{name}"
            );
            assert_eq!(page.matches("\n.fi\n.SH").count(), examples, "{name}");
        }
        let page = String::from_utf8(page().unwrap()).unwrap();
        let examples = page.matches(" EXAMPLES\n.nf\n").count();
        assert!(examples > 20, "{examples}");
        assert_eq!(page.matches("\n.fi\n").count(), examples);
    }

    #[test]
    fn every_command_has_its_section() {
        let page = String::from_utf8(page().unwrap()).unwrap();
        for command in [
            "NORMALIZE",
            "RESTORE",
            "CHECK",
            "COUNT",
            "TEXT",
            "INSPECT",
            "CONVERT",
            "FILTER",
            "COMPLETIONS",
            "MAN",
        ] {
            assert!(
                page.contains(&format!(".SH \"MAILGLOT {command}\"")),
                "{command}"
            );
        }
        for command in ["DECODE", "PARAMS", "ENCODE"] {
            assert!(
                page.contains(&format!(".SH \"MAILGLOT HEADER {command}\"")),
                "{command}"
            );
        }
        assert!(
            page.starts_with(".ie") || page.starts_with(".TH"),
            "{}",
            &page[..40]
        );
        assert!(page.contains("default\\-charset"));
    }
}
