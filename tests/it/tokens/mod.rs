//! Counting, compared with tiktoken-rs.

mod fit;
mod oracle;
mod random;
