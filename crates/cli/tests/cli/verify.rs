//! `--verify`: the second reader in summaries and reports.

use crate::sandbox::{LATIN, Sandbox};
use serde_json::Value;
use std::fs;

#[test]
fn summaries_and_reports_name_the_second_reader() {
    let sandbox = Sandbox::new();
    sandbox.write("m.eml", LATIN);
    let run = sandbox
        .run(&[
            "normalize",
            "--verify",
            "--report",
            "r.json",
            "m.eml",
            "-o",
            "out.eml",
        ])
        .ended(0);
    let line = "verified    1 rewritten message by mail-parser 0.11.9 and quoted_printable 0.5.2: 1 agree, \
                0 differ only by known reader defects, 0 disagree";
    assert!(run.err.contains(line), "{run:?}");
    let report: Value = serde_json::from_slice(&fs::read(sandbox.path("r.json")).unwrap()).unwrap();
    assert_eq!(report["options"]["verify"], true);
    let verify = &report["summary"]["verify"];
    assert_eq!(
        (&verify["agreed"], &verify["disagreed"]),
        (&1.into(), &0.into())
    );
    assert_eq!(verify["readers"][0], "mail-parser 0.11.9");

    let run = sandbox.run(&["check", "--verify", "m.eml"]).ended(0);
    assert!(run.text().contains(line), "{run:?}");
    let run = sandbox
        .run(&["check", "--verify", "--json", "m.eml"])
        .ended(0);
    let account: Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!(account["verify"]["agreed"], 1);
    let run = sandbox.run(&["check", "--json", "m.eml"]).ended(0);
    assert!(!run.text().contains("verify"), "{run:?}");
}
