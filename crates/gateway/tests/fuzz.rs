//! A short run of the fuzzer of the SMTP proxy, bounded by its number of inputs: the same inputs on every machine.

#[path = "../examples/fuzz_smtp/client.rs"]
mod client;
#[path = "../examples/fuzz_smtp/driver.rs"]
mod driver;
#[path = "../examples/fuzz_smtp/laws.rs"]
mod laws;
#[path = "../examples/fuzz_smtp/model.rs"]
mod model;
#[path = "../examples/fuzz_smtp/next_hop.rs"]
mod next_hop;
#[path = "../examples/fuzz_smtp/targets.rs"]
mod targets;

use targets::SmtpTarget;

#[test]
fn no_proxy_target_fails_soon() {
    let targets = mailglot_fuzz::turn_each::<SmtpTarget>(2_000);
    assert_eq!(targets, Ok(2));
}
