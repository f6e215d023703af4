//! Writes `js/types/generated`, one file for each section of `types.txt`, from the Rust types that are listed there.
//! With `--check` it fails if the files are stale. [`source`] finds declarations, [`attributes`] reads serde's
//! attributes, [`docs`] translates doc comments, [`write`] writes TypeScript.

mod attributes;
mod docs;
mod source;
mod write;

use std::error::Error;
use std::fs;
use std::path::Path;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the crate is in the repository")?;
    let sources = source::Sources::read(root, &fs::read_to_string(root.join("types/types.txt"))?)?;
    for (name, text) in write::files(&sources)? {
        let path = root.join("js/types/generated").join(format!("{name}.ts"));
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        if std::env::args().any(|arg| arg == "--check") {
            return Err(format!("{} is stale: run `npm run types`", path.display()).into());
        }
        fs::write(&path, text)?;
    }
    Ok(())
}
