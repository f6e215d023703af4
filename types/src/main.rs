//! Writes `js/types/generated`: one TypeScript file for each section of `types.txt`.
//!
//! In: `types.txt`, which lists the published types by source file, and those source files. Out: the files, or with
//! `--check` a failure if they are stale. [`source`] reads declarations, [`serde`] their attributes, [`write`] writes
//! TypeScript.

mod docs;
mod serde;
mod source;
mod write;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the repository");
    let list = fs::read_to_string(root.join("types/types.txt")).expect("types/types.txt can be read");
    let files = match source::Sources::read(root, &list).and_then(|sources| write::files(&sources)) {
        Ok(files) => files,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let is_check = std::env::args().any(|arg| arg == "--check");
    let folder = root.join("js/types/generated");
    for (name, text) in files {
        let path = folder.join(format!("{name}.ts"));
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        if is_check {
            eprintln!("js/types/generated/{name}.ts is stale: run `npm run types`");
            return ExitCode::FAILURE;
        }
        fs::create_dir_all(&folder).and_then(|()| fs::write(&path, text)).expect("the folder can be written");
    }
    ExitCode::SUCCESS
}
