//! The header of a grammar file: what a WebAssembly side module needs from the engine to be linked.
//!
//! The format is section `dylink.0` of the WebAssembly tool conventions: sub-sections with a type, a length and a
//! content. Type 1 has four LEB128 numbers.

use crate::error::{Code, Error, Result};

/// The needs of a grammar.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// The bytes of memory.
    pub memory: u32,
    /// The alignment of the memory in bytes.
    pub alignment: u32,
    /// The slots of the function table.
    pub table: u32,
}

/// The maximum bytes of memory; the largest grammars take 6 MB.
pub const MOST_MEMORY: u32 = 256 << 20;
/// The maximum slots of the table; grammars take a few dozen.
pub const MOST_TABLE: u32 = 1 << 16;
/// The maximum log2 of an alignment.
const MOST_ALIGNMENT: u32 = 15;
/// The sub-section with the needed memory and table.
const MEMORY_INFO: u8 = 1;

/// Reads the content of the section.
///
/// ```
/// use espalier::document::dylink::{Needs, read};
/// assert_eq!(read(&[1, 4, 8, 2, 3, 0]), Ok(Needs { memory: 8, alignment: 4, table: 3 }));
/// assert!(read(&[1, 4, 8]).is_err());
/// ```
///
/// # Errors
/// [`Code::BadGrammar`] if it is damaged or needs more than any grammar does.
pub fn read(section: &[u8]) -> Result<Needs> {
    let bad = |what: &str| Error::new(Code::BadGrammar, format!("the grammar's header {what}"));
    let mut bytes = Bytes { rest: section };
    let mut needs = None;
    while let Some(kind) = bytes.byte() {
        let mut content = bytes.number().and_then(|len| bytes.take(len as usize)).ok_or_else(|| bad("is cut off"))?;
        if kind == MEMORY_INFO {
            let numbers = [(); 4].map(|()| content.number());
            let [Some(memory), Some(alignment), Some(table), Some(_)] = numbers else {
                return Err(bad("is damaged"));
            };
            if memory > MOST_MEMORY || alignment > MOST_ALIGNMENT || table > MOST_TABLE {
                return Err(bad("asks for more memory than any grammar needs"));
            }
            needs = Some(Needs { memory, alignment: 1 << alignment, table });
        }
    }
    needs.ok_or_else(|| bad("does not say how much memory it needs"))
}

struct Bytes<'b> {
    rest: &'b [u8],
}

impl<'b> Bytes<'b> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn take(&mut self, len: usize) -> Option<Bytes<'b>> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(Bytes { rest: taken })
    }

    /// Reads an unsigned LEB128 number of 32 bits.
    fn number(&mut self) -> Option<u32> {
        let mut number = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(number).ok();
            }
        }
        None
    }
}
