//! Writes the vocabulary files: `cargo run --package espalier-vocabulary --bin vocabularies -- OUT_DIR`. Every run
//! writes the same bytes.

use espalier_core::tokens::{EncodingName, vocab};
use espalier_vocabulary::pairs;
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Rounds of optimisation, and the maximum number of blocks with their own codes. Higher values change little.
const ROUNDS: NonZeroU64 = NonZeroU64::new(5).unwrap();
const BLOCKS: u16 = 40;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(out) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err("the output folder is missing: vocabularies OUT_DIR".into());
    };
    std::fs::create_dir_all(&out)?;
    for name in EncodingName::ALL {
        let planes = vocab::planes(&pairs(name));
        // Zopfli takes some seconds for the smallest known deflate: the file is downloaded far more often than it is
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
