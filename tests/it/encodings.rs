//! The encodings, loaded once for each test thread.

use espalier::tokens::{Encoding, EncodingName};
use std::rc::Rc;
use std::sync::OnceLock;

/// Returns the vocabulary file of an encoding, made once for the whole binary.
pub fn vocabulary_file(name: EncodingName) -> &'static [u8] {
    static FILES: [OnceLock<Vec<u8>>; 2] = [OnceLock::new(), OnceLock::new()];
    FILES[name as usize].get_or_init(|| espalier_vocabulary::file(name))
}

thread_local! {
    static ENCODINGS: [&'static Rc<Encoding>; 2] = EncodingName::ALL.map(load);
}

/// Loads an encoding. Each test thread gets one copy of each encoding and keeps it: loading costs more than most tests.
fn load(name: EncodingName) -> &'static Rc<Encoding> {
    let encoding = Encoding::load(name, vocabulary_file(name)).expect("our own file loads");
    Box::leak(Box::new(Rc::new(encoding)))
}

/// Returns the encoding, loaded from a file like the package's.
pub fn encoding(name: EncodingName) -> &'static Encoding {
    ENCODINGS.with(|encodings| encodings[name as usize])
}

/// Returns a shared encoding that the caller can keep.
pub fn shared(name: EncodingName) -> Rc<Encoding> {
    ENCODINGS.with(|encodings| Rc::clone(encodings[name as usize]))
}
