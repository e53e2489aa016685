//! Tests of links that are followed: an input is what they lead to.

use super::super::identity::SourceIdentity;
use super::folders::fill;
use super::*;
use std::os::unix::fs::symlink;

/// Makes `md` a Maildir of links to the folders of `real`.
fn linked_maildir(root: &Path) {
    fs::create_dir_all(root.join("real")).unwrap();
    fill(&root.join("real"), true);
    fs::create_dir(root.join("md")).unwrap();
    for entry in fs::read_dir(root.join("real")).unwrap() {
        let entry = entry.unwrap();
        symlink(entry.path(), root.join("md").join(entry.file_name())).unwrap();
    }
}

fn follow(job: &mut NormalizeJob) {
    job.opening.follow_links = true;
}

#[test]
fn parts_of_linked_folders_give_the_outputs_of_one_pass() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    linked_maildir(folder.path());
    check_same(&[&at("md")], folder.path(), follow);
    let real = plan(&job(&[&at("real")], at("out")));
    let mut job = job(&[&at("md")], at("out"));
    follow(&mut job);
    // Followed folders weigh what their files do.
    assert_eq!(plan(&job).splits(), real.splits());
    assert!(real.splits() > 3);
}

#[test]
fn identities_are_those_of_targets() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    linked_maildir(folder.path());
    fs::write(at("lone"), "Subject: a\n\nx\n").unwrap();
    symlink(at("lone"), at("real/cur/lone:2,")).unwrap();
    symlink(at("md"), at("real/new/loop")).unwrap();
    let mut job = job(&[&at("md")], at("out"));
    let identify = |job: &NormalizeJob| {
        let sources = crate::discover::discover(
            &job.inputs,
            job.opening.clone(),
            crate::skip_scope::SkipScope::Nothing,
        )
        .unwrap();
        let found = &sources.inputs[0].found;
        (
            SourceIdentity::of(found).unwrap(),
            SourceIdentity::state(found).unwrap(),
        )
    };
    follow(&mut job);
    let (before, state) = identify(&job);
    assert_eq!(identify(&job), (before.clone(), state.clone()));
    assert!(before.size > 2_000_000, "{before:?}");
    // A message behind two links.
    fs::write(at("lone"), "Subject: ab\n\nx\n").unwrap();
    let (longer, _) = identify(&job);
    assert_ne!(longer.listing, before.listing);
    assert_eq!(longer.size, before.size + 1);
    // An edit that keeps size and modification time.
    let file = fs::File::options().write(true).open(at("lone")).unwrap();
    let (earlier, old_state) = identify(&job);
    let time = file.metadata().unwrap().modified().unwrap();
    file.write_all_at(b"subject", 0).unwrap();
    file.set_modified(time).unwrap();
    let (later, new_state) = identify(&job);
    assert_eq!(later, earlier);
    assert_ne!(new_state, old_state);
}

#[test]
fn parts_are_as_private_as_files_behind_links() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    linked_maildir(folder.path());
    let private = fs::Permissions::from_mode(0o600);
    fs::set_permissions(at("real/cur/0:2,S"), private).unwrap();
    let mut job = job(&[&at("md")], at("out"));
    follow(&mut job);
    let interrupted = Progress::default();
    interrupted
        .interrupt
        .store(true, std::sync::atomic::Ordering::Relaxed);
    resume(&job, SIZE, &interrupted).unwrap_err();
    for name in ["out.parts", "out.parts/plan.json"] {
        assert_eq!(fs::metadata(at(name)).unwrap().mode() & 0o077, 0, "{name}");
    }
    resume(&job, SIZE, &Progress::default()).unwrap();
}
