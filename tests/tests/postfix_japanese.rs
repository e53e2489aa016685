//! `charset_out = "iso-2022-jp"` beside a real Postfix: what arrives is for receivers that know nothing else.

#![allow(clippy::unwrap_used, clippy::panic)]

use mailglot_tests::trial::gateway_chain::{Chain, GatewayPosition};
use mailglot_tests::trial::japanese::{self, ExpectedChange};
use mailglot_tests::trial::{kept, letters};
use std::collections::BTreeSet;
use std::time::Duration;

/// How long everything may take to arrive.
const PATIENCE: Duration = Duration::from_mins(2);

/// On each way: Japanese letters arrive as RFC 1468 has them, and each that was changed comes back to the byte from its ledger.
#[test]
fn japanese_letters_arrive_in_iso_2022_jp_and_come_back() {
    let known = japanese::letters();
    for way in GatewayPosition::ALL {
        let ledgers = tempfile::tempdir().unwrap();
        let policy = format!(
            "charset_out = \"iso-2022-jp\"\nledger = \"{}\"",
            ledgers.path().display()
        );
        let chain = Chain::with_policy(way, &policy);
        let postfix = &chain.postfix;
        let mut client = postfix.client();
        for known in &known {
            let reply = client.send(&known.letter).unwrap();
            assert!(
                reply.is_good(),
                "{way:?} {reply:?}\n{}\n{}",
                postfix.log(),
                chain.told()
            );
        }
        let came = postfix.sink.wait(known.len(), PATIENCE);
        assert!(
            came,
            "{way:?}: {} arrived\n{}\n{}",
            postfix.sink.count(),
            postfix.log(),
            chain.told()
        );
        assert!(postfix.drain(PATIENCE));
        let (mut arrived, mut changed) = (BTreeSet::new(), BTreeSet::new());
        for mail in postfix.sink.take() {
            let number = letters::number(&mail.data).unwrap();
            assert!(arrived.insert(number), "{way:?}: {number} came twice");
            let known = &known[number];
            let shown = || format!("{way:?} {number}:\n{}", String::from_utf8_lossy(&mail.data));
            if known.fate == ExpectedChange::Same {
                assert!(mail.data.ends_with(&known.letter.data), "{}", shown());
                continue;
            }
            if known.fate == ExpectedChange::Japanese {
                changed.insert(number);
            }
            assert_eq!(japanese::read(&mail.data), known.said, "{}", shown());
            let fault = japanese::illegal(&mail.data);
            assert_eq!(
                fault.is_none(),
                known.fate == ExpectedChange::Japanese,
                "{fault:?} {}",
                shown()
            );
        }
        assert_eq!(arrived.len(), known.len(), "{way:?}");
        let restored: BTreeSet<usize> = kept::originals(ledgers.path())
            .into_iter()
            .map(|bytes| {
                let number = letters::number(&bytes).unwrap();
                // The server tells a milter of none of its own fields; a proxy sees them.
                let sent = &known[number].letter.data;
                let whole = if way == GatewayPosition::Milter {
                    bytes == *sent
                } else {
                    bytes.ends_with(sent)
                };
                assert!(
                    whole,
                    "{way:?} {number}:\n{}",
                    String::from_utf8_lossy(&bytes)
                );
                number
            })
            .collect();
        assert_eq!(restored, changed, "{way:?}");
    }
}
