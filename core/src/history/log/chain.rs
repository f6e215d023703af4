//! The running hash of a log. The hash of a line covers that line and all lines before it.
//!
//! FNV-1a of 64 bits. Each step is a bijection of the state, so one changed byte always changes the hash. It detects
//! storage errors, not deliberate forgery.

use std::io::{self, Write};

use crate::fnv::{START_64, add_64};

/// A hash that bytes can be written into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain(u64);

impl Default for Chain {
    fn default() -> Chain {
        Chain(START_64)
    }
}

impl Chain {
    /// Returns the hash after these bytes.
    pub fn with(self, bytes: &[u8]) -> Chain {
        Chain(add_64(self.0, bytes))
    }

    /// Returns the hash as sixteen hexadecimal digits.
    ///
    /// ```
    /// use espalier::history::log::Chain;
    /// assert_eq!(Chain::default().with(b"a").hex(), "af63dc4c8601ec8c");
    /// ```
    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}

impl Write for Chain {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        *self = self.with(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
