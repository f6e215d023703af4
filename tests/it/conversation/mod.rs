//! When compactions start, wait, are used and are tried again; compared with Copilot Chat, and with all interleavings
//! of two jobs.

mod backoff;
mod events;
mod jobs;
mod machine;
mod window;

use serde_json::Value;

fn vectors(text: &str, list: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(text).expect("a fixture");
    file[list].as_array().expect(list).clone()
}
