//! Counting, compared with tiktoken-rs.

mod cost;
mod fit;
mod gauge;
mod oracle;
mod random;
mod vocabulary;
