//! Writes the character classes: `cargo run --package espalier-vocabulary --bin classes --
//! core/src/tokens/classes.bin`. Run it when the pinned regex-syntax changes, together with tiktoken-rs.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("the output file is missing: classes FILE")?;
    std::fs::write(path, espalier_vocabulary::classes::encoded())?;
    Ok(())
}
