//! One link flag: grammars are linked into the running engine, so its function table must be able to grow.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The linker limits the function table; without this flag its maximum is its initial length.
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg=--growable-table");
    }
}
