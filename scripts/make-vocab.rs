//! Writes the vocabulary files: `cargo run --release --example make-vocab -- OUT_DIR`. Same output on every run.

#[path = "vocabulary.rs"]
mod vocabulary;

use espalier::tokens::EncodingName;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(out) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err("say where the vocabularies go: make-vocab OUT_DIR".into());
    };
    std::fs::create_dir_all(&out)?;
    for name in EncodingName::ALL {
        let file = vocabulary::file(name);
        let path = out.join(name.as_str()).with_extension("vocab");
        std::fs::write(&path, &file)?;
        println!("{}: {} bytes", path.display(), file.len());
    }
    Ok(())
}
