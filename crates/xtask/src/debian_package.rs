//! Builds the Debian package: `cargo xtask package`.
//!
//! `packaging/debian/files.tsv` lists what it installs; `packaging/debian` has the control file and the maintainer scripts. dpkg-deb makes the package, and
//! lintian, if it is installed, checks it.
//!
//! # Limits
//!
//! It runs on Debian and its children, for the architecture of the machine. It makes no source package.

use crate::profile_guided::build_dist;
use crate::run::{checked, has, output, read, root, target};
use crate::tsv::rows;
use anyhow::{Context, bail};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];

#[derive(clap::Args)]
pub(crate) struct PackageOptions {
    /// The program to pack, if it is not to be built.
    #[arg(long)]
    program: Option<PathBuf>,
    /// The folder that the package goes to.
    #[arg(long)]
    output: Option<PathBuf>,
    /// The Debian revision.
    #[arg(long, default_value_t = 1)]
    revision: u32,
    /// Do not compress it, and do not run lintian.
    #[arg(long)]
    fast: bool,
}

/// Builds the package and prints its path.
pub(crate) fn build(options: &PackageOptions) -> anyhow::Result<()> {
    let folder = match &options.output {
        Some(folder) => folder.clone(),
        None => target()?.join("package"),
    };
    let program = match &options.program {
        Some(program) => {
            fs::canonicalize(program).with_context(|| program.display().to_string())?
        }
        None => build_dist()?.join("mailglot"),
    };
    let stage = folder.join("stage");
    if stage.exists() {
        fs::remove_dir_all(&stage)?;
    }
    make_folder(&stage)?;
    let mut conffiles = Vec::new();
    let mut sums = Vec::new();
    let list = read("packaging/debian/files.tsv")?;
    for entry in entries(&list) {
        let (place, mode, source) = entry?;
        for path in install(&stage, place, mode, source, options.revision, &program)? {
            let name = path.strip_prefix(&stage)?.display().to_string();
            if name.starts_with("etc/") {
                conffiles.push(format!("/{name}\n"));
            } else {
                sums.push(name);
            }
        }
    }
    sums.sort();
    let control = stage.join("DEBIAN");
    make_folder(&control)?;
    let version = format!("{}-{}", env!("CARGO_PKG_VERSION"), options.revision);
    let architecture = text(Command::new("dpkg").arg("--print-architecture"))?;
    fs::write(
        control.join("control"),
        control_file(&stage, &folder, &version, &architecture)?,
    )?;
    fs::write(control.join("conffiles"), conffiles.concat())?;
    fs::write(
        control.join("md5sums"),
        output(Command::new("md5sum").current_dir(&stage).args(&sums))?,
    )?;
    for script in SCRIPTS {
        write(
            &control.join(script),
            &fs::read(root().join("packaging/debian").join(script))?,
            0o755,
        )?;
    }
    let package = folder.join(format!("mailglot_{version}_{architecture}.deb"));
    let compression = if options.fast { "-Znone" } else { "-Zxz" };
    checked(
        Command::new("dpkg-deb")
            .args(["--root-owner-group", compression, "--build"])
            .args([&stage, &package])
            .stdout(std::process::Stdio::null()),
    )?;
    fs::remove_dir_all(&stage)?;
    println!("{}", package.display());
    if !options.fast {
        lint(&package)?;
    }
    Ok(())
}

/// Runs lintian and AppArmor's parser if they are installed; their errors are errors here.
fn lint(package: &Path) -> anyhow::Result<()> {
    let parser = "/usr/sbin/apparmor_parser";
    if Path::new(parser).exists() {
        let profile = root().join("packaging/mailglot.apparmor");
        output(
            Command::new(parser)
                .args(["--skip-kernel-load", "--skip-cache", "--stdout"])
                .arg(profile),
        )?;
    } else {
        println!("apparmor is not installed: the profile is not checked");
    }
    if !has("lintian") {
        println!("lintian is not installed: the package is not checked");
        return Ok(());
    }
    checked(
        Command::new("lintian")
            .args(["--allow-root", "--fail-on", "error"])
            .arg(package),
    )
}

/// Entries of the list of files: destination, mode, source.
fn entries(list: &str) -> impl Iterator<Item = anyhow::Result<(&str, u32, &str)>> {
    rows(list).map(|row| {
        let [place, mode, source] = row[..] else {
            bail!("files.tsv: a line needs three cells: {row:?}")
        };
        let mode = u32::from_str_radix(mode, 8).with_context(|| place.to_owned())?;
        Ok((place, mode, source))
    })
}

/// Installs one entry; returns the files that it made.
fn install(
    stage: &Path,
    place: &str,
    mode: u32,
    source: &str,
    revision: u32,
    program: &Path,
) -> anyhow::Result<Vec<PathBuf>> {
    let path = stage.join(place);
    let (kind, argument) = source.split_once(' ').unwrap_or((source, ""));
    if kind == "@man" {
        return man_pages(&path, program);
    }
    if kind == "@pages" {
        return pages(&root().join(argument), &path, mode);
    }
    make_folder(path.parent().context("a place without a folder")?)?;
    match kind {
        "@program" => {
            checked(
                Command::new("strip")
                    .arg("--strip-unneeded")
                    .args(["--remove-section=.comment", "-o"])
                    .arg(&path)
                    .arg(program),
            )?;
            fs::set_permissions(&path, Permissions::from_mode(mode))?;
        }
        "@completions" => {
            write(
                &path,
                &output(Command::new(program).args(["completions", argument]))?,
                mode,
            )?;
        }
        "@gzip" => write(&path, &compressed(&root().join(argument))?, mode)?,
        "@changelog" => {
            let plain = path.with_extension("");
            fs::write(&plain, changelog(revision)?)?;
            write(&path, &compressed(&plain)?, mode)?;
            fs::remove_file(plain)?;
        }
        "@copyright" => {
            // A line of a field begins with a space, an empty one has a dot.
            let license = read("LICENSE-MIT")?;
            let lines = license.lines().map(|line| {
                if line.is_empty() {
                    " .".to_owned()
                } else {
                    format!(" {line}")
                }
            });
            let license = lines.collect::<Vec<_>>().join("\n");
            write(
                &path,
                read("packaging/debian/copyright")?
                    .replace("@MIT@", &license)
                    .as_bytes(),
                mode,
            )?;
        }
        _ if kind.starts_with('@') => bail!("files.tsv: nothing makes `{source}`"),
        _ => write(
            &path,
            &fs::read(root().join(source)).with_context(|| source.to_owned())?,
            mode,
        )?,
    }
    Ok(vec![path])
}

/// The changelog of the package, whose first entry has this revision.
fn changelog(revision: u32) -> anyhow::Result<String> {
    let text = read("packaging/debian/changelog")?;
    Ok(text.replacen("-1) ", &format!("-{revision}) "), 1))
}

/// Copies the Markdown pages of a folder and of those below it.
fn pages(from: &Path, to: &Path, mode: u32) -> anyhow::Result<Vec<PathBuf>> {
    make_folder(to)?;
    let mut copies = Vec::new();
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, copy) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copies.extend(pages(&source, &copy, mode)?);
        } else if source
            .extension()
            .is_some_and(|extension| extension == "md")
        {
            write(&copy, &fs::read(&source)?, mode)?;
            copies.push(copy);
        }
    }
    Ok(copies)
}

/// Writes a compressed page for each command.
fn man_pages(folder: &Path, program: &Path) -> anyhow::Result<Vec<PathBuf>> {
    make_folder(folder)?;
    checked(
        Command::new(program)
            .args(["man", "--output-dir"])
            .arg(folder),
    )?;
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder)? {
        let page = entry?.path();
        let packed = page.with_extension("1.gz");
        write(&packed, &compressed(&page)?, 0o644)?;
        fs::remove_file(page)?;
        pages.push(packed);
    }
    Ok(pages)
}

/// A file as `gzip -9n` writes it, the same bytes each time.
fn compressed(path: &Path) -> anyhow::Result<Vec<u8>> {
    output(Command::new("gzip").args(["-9nc"]).arg(path))
}

fn control_file(
    stage: &Path,
    folder: &Path,
    version: &str,
    architecture: &str,
) -> anyhow::Result<String> {
    let size = text(
        Command::new("du")
            .args(["-sk", "--apparent-size"])
            .arg(stage),
    )?;
    let size = size.split_whitespace().next().context("du prints a size")?;
    Ok(read("packaging/debian/control")?
        .replace("@VERSION@", version)
        .replace("@ARCHITECTURE@", architecture)
        .replace("@INSTALLED_SIZE@", size)
        .replace("@SHLIBS@", &libraries(stage, folder)?))
}

/// The packages of the libraries that the program uses, with the versions that it needs.
fn libraries(stage: &Path, folder: &Path) -> anyhow::Result<String> {
    // dpkg-shlibdeps wants a source package around it.
    let source = folder.join("shlibdeps");
    make_folder(&source.join("debian"))?;
    fs::write(
        source.join("debian/control"),
        "Source: mailglot\n\nPackage: mailglot\nArchitecture: any\n",
    )?;
    let mut command = Command::new("dpkg-shlibdeps");
    command
        .current_dir(&source)
        .args(["-O", "-e"])
        .arg(fs::canonicalize(stage.join("usr/bin/mailglot"))?);
    let line = text(&mut command)?;
    fs::remove_dir_all(&source)?;
    line.strip_prefix("shlibs:Depends=")
        .map(str::to_owned)
        .with_context(|| format!("dpkg-shlibdeps: {line}"))
}

fn text(command: &mut Command) -> anyhow::Result<String> {
    Ok(String::from_utf8(output(command)?)?.trim().to_owned())
}

fn write(path: &Path, bytes: &[u8], mode: u32) -> anyhow::Result<()> {
    fs::write(path, bytes).with_context(|| path.display().to_string())?;
    Ok(fs::set_permissions(path, Permissions::from_mode(mode))?)
}

/// Makes a folder and those above it, with the permissions of a package whatever the umask is.
fn make_folder(folder: &Path) -> anyhow::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(above) = folder
        .parent()
        .filter(|above| !above.as_os_str().is_empty())
    {
        make_folder(above)?;
    }
    fs::create_dir(folder).with_context(|| folder.display().to_string())?;
    Ok(fs::set_permissions(folder, Permissions::from_mode(0o755))?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_listed_file_has_a_source() {
        let list = read("packaging/debian/files.tsv").unwrap();
        let mut places = BTreeSet::new();
        for entry in entries(&list) {
            let (place, mode, source) = entry.unwrap();
            assert!(
                !place.starts_with('/') && places.insert(place.to_owned()),
                "{place}"
            );
            assert!(mode == 0o644 || mode == 0o755, "{place}: {mode:o}");
            let path = source.strip_prefix("@gzip ").unwrap_or(source);
            assert!(
                path.starts_with('@') || root().join(path).is_file(),
                "{source}"
            );
        }
        for place in [
            "usr/bin/mailglot",
            "lib/systemd/system/mailglot.service",
            "usr/lib/sysusers.d/mailglot.conf",
            "usr/lib/tmpfiles.d/mailglot.conf",
            "etc/mailglot/mailglot.toml",
            "etc/apparmor.d/mailglot-gateway",
            "usr/share/man/man1",
        ] {
            assert!(places.contains(place), "{place}");
        }
    }

    #[test]
    fn maintainer_scripts_are_scripts_of_a_posix_shell() {
        for script in SCRIPTS {
            let path = root().join("packaging/debian").join(script);
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.starts_with("#!/bin/sh\nset -e\n"), "{script}");
            checked(Command::new("sh").arg("-n").arg(&path)).unwrap();
        }
    }

    /// Some shells' `echo` replaces backslashes: the command would not be the one that removes the filter.
    #[test]
    fn the_commands_of_a_removal_are_printed_as_they_are() {
        let folder = std::env::temp_dir().join(format!("mailglot-prerm-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let command = r"postconf -e 'smtpd_milters = inet:a\tb\c'";
        let mailglot = format!("#!/bin/sh\ncat <<'END'\n{command}\nEND\n");
        for (name, text) in [
            ("postconf", "#!/bin/sh\n"),
            ("mailglot", mailglot.as_str()),
            ("deb-systemd-invoke", "#!/bin/sh\n"),
        ] {
            let path = folder.join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let path = format!("{}:/usr/bin:/bin", folder.display());
        let script = root().join("packaging/debian/prerm");
        let run = Command::new("/bin/sh")
            .arg(script)
            .arg("remove")
            .env("PATH", path)
            .output()
            .unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        assert!(
            run.status.success() && said.lines().any(|line| line == command),
            "{said}"
        );
    }

    #[test]
    fn the_changelog_names_the_version_of_the_workspace() {
        let changelog = read("packaging/debian/changelog").unwrap();
        assert!(
            changelog.starts_with(&format!("mailglot ({}-1) ", env!("CARGO_PKG_VERSION"))),
            "{changelog}"
        );
    }

    /// What a page links to is in the package.
    #[test]
    fn links_of_installed_pages_lead_to_installed_pages() {
        let folder = std::env::temp_dir().join(format!("mailglot-pages-{}", std::process::id()));
        let copies = pages(&root().join("docs"), &folder, 0o644).unwrap();
        assert!(copies.contains(&folder.join("setup/postfix.md")));
        let mut links = 0;
        for copy in &copies {
            let text = fs::read_to_string(copy).unwrap();
            for (_, rest) in text
                .match_indices("](")
                .map(|(at, _)| text.split_at(at + 2))
            {
                let link = rest.split([')', '#']).next().unwrap();
                if link.is_empty() || link.contains("://") {
                    continue;
                }
                let target = copy.parent().unwrap().join(link);
                assert!(target.is_file(), "{}: {link}", copy.display());
                links += 1;
            }
        }
        assert!(links > 20, "{links}");
        fs::remove_dir_all(&folder).unwrap();
    }

    /// The unit lets the daemon write where the packaged configuration has it write, and the configuration says what another place needs.
    #[test]
    fn the_unit_allows_the_places_of_the_configuration() {
        let unit = read("packaging/mailglot.service").unwrap();
        // crates/cli/tests/cli/check_config.rs shows which errors end with this code.
        assert!(unit.contains("\nRestartPreventExitStatus=78\n"));
        let values = |key: &str| {
            let lines = unit.lines().filter_map(|line| line.strip_prefix(key));
            lines
                .flat_map(str::split_whitespace)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let mut allowed: Vec<String> = values("ReadWritePaths=")
            .iter()
            .map(|path| path.trim_start_matches('-').to_owned())
            .collect();
        allowed.extend(
            values("StateDirectory=")
                .iter()
                .map(|name| format!("/var/lib/{name}")),
        );
        let configuration = read("packaging/mailglot.toml").unwrap();
        let mut paths = 0;
        for line in configuration.lines().filter(|line| !line.starts_with('#')) {
            let (key, value) = line.split_once(" = ").unwrap_or_default();
            if ["address", "ledger", "spool_dir"].contains(&key) {
                let path = value.split('"').nth(1).unwrap().trim_start_matches("unix:");
                assert!(
                    allowed
                        .iter()
                        .any(|place| Path::new(path).starts_with(place)),
                    "{path} is not in {allowed:?}"
                );
                paths += 1;
            }
        }
        assert_eq!(paths, 3);
        assert!(configuration.contains("ReadWritePaths="));
        // Debian's first instance of Postfix.
        assert!(values("Before=").contains(&"postfix@-.service".to_owned()));
    }

    #[test]
    fn the_changelog_has_the_revision() {
        let first = |revision| {
            changelog(revision)
                .unwrap()
                .lines()
                .next()
                .map(str::to_owned)
        };
        assert!(first(2).unwrap().contains("-2) "));
        assert!(first(1).unwrap().contains("-1) "));
    }

    #[test]
    fn a_line_without_three_cells_is_refused() {
        assert!(entries("a\t0644").next().unwrap().is_err());
        assert!(entries("a\t0x\tb").next().unwrap().is_err());
        assert_eq!(
            entries("# a\n\na\t0644\tb\n")
                .map(Result::unwrap)
                .collect::<Vec<_>>(),
            [("a", 0o644, "b")]
        );
    }
}
