//! The recorded results, natively; `tests/web.rs` checks wasm against the same file.

use std::rc::Rc;

use espalier::tokens::{Encoding, EncodingName};
use espalier_testing::golden;

use crate::encodings::vocabulary_file;

#[test]
fn results_are_as_recorded() {
    let name = EncodingName::O200kBase;
    let encoding = Rc::new(Encoding::load(name, vocabulary_file(name)).unwrap());
    let lines = golden::lines(&encoding);
    if std::env::var_os("ESPALIER_UPDATE").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/golden.txt"), &lines).unwrap();
        return;
    }
    assert_eq!(lines, golden::RECORDED, "run with ESPALIER_UPDATE=1 and read the difference before you commit it");
}
