//! Counting, compared with tiktoken-rs.

mod oracle;
mod random;
