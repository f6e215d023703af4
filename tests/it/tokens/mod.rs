//! Counting, compared with tiktoken-rs.

mod cost;
mod fit;
mod gauge;
mod oracle;
#[cfg(feature = "tiktoken-rs")]
mod other;
mod runs;
mod vectors;
mod vocabulary;
