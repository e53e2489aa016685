//! Compiles the bridge to iconv and ICU; without ICU's headers, to iconv alone.
//!
//! # Limits
//! ICU is looked for where the C compiler looks.

fn main() {
    println!("cargo::rerun-if-changed=src/converters.c");
    println!("cargo::rerun-if-changed=src/cost.c");
    println!("cargo::rustc-check-cfg=cfg(icu)");
    let mut build = cc::Build::new();
    build.files(["src/converters.c", "src/cost.c"]).warnings(true);
    if has_icu() {
        println!("cargo::rustc-cfg=icu");
        println!("cargo::rustc-link-lib=icuuc");
        build.define("WITH_ICU", None);
    }
    build.compile("converters");
}

/// Whether the compiler finds ICU's headers.
fn has_icu() -> bool {
    let compiler = cc::Build::new().get_compiler();
    let mut command = compiler.to_command();
    command.args(["-E", "-include", "unicode/ucnv.h", "-x", "c", "/dev/null", "-o", "/dev/null"]);
    command.output().is_ok_and(|output| output.status.success())
}
