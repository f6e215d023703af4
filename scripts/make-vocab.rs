//! Writes the vocabulary files: `cargo run --release --example make-vocab -- OUT_DIR`. Same output on every run.

// The tests use more of it.
#[allow(dead_code)]
#[path = "vocabulary.rs"]
mod vocabulary;

use espalier::tokens::{EncodingName, vocab};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Rounds of optimisation, and most blocks with codes of their own: more change little.
const ROUNDS: NonZeroU64 = NonZeroU64::new(5).unwrap();
const BLOCKS: u16 = 40;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(out) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err("say where the vocabularies go: make-vocab OUT_DIR".into());
    };
    std::fs::create_dir_all(&out)?;
    for name in EncodingName::ALL {
        let planes = vocab::planes(&vocabulary::pairs(name));
        // The smallest deflate that is known, at the price of some seconds: the file is downloaded far more often than
        // made.
        let options =
            zopfli::Options { iteration_count: ROUNDS, maximum_block_splits: BLOCKS, ..zopfli::Options::default() };
        let mut packed = Vec::new();
        zopfli::compress(options, zopfli::Format::Deflate, planes.as_slice(), &mut packed)?;
        let file = vocab::write(name, &planes, Some(&packed));
        let path = out.join(name.as_str()).with_extension("vocab");
        std::fs::write(&path, &file)?;
        println!("{}: {} bytes", path.display(), file.len());
    }
    Ok(())
}
