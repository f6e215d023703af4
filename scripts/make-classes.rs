//! Writes the character classes: `cargo run --example make-classes -- core/src/tokens/classes.bin`. Run it when the
//! pinned regex-syntax changes, together with tiktoken-rs.

#[path = "classes.rs"]
mod classes;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("say where the classes go: make-classes FILE")?;
    std::fs::write(path, classes::encoded())?;
    Ok(())
}
