//! Text with padding after it, so that scanners need no end-of-text checks.

/// Bytes of padding after the text. Enough for a 16-byte load at the last byte of the text.
pub const PADDING: usize = 24;

/// The padding byte, which never occurs in UTF-8, so that every run of characters ends before it.
pub(super) const FILL: u8 = 0xFF;

/// UTF-8 text of `len` bytes, followed by [`PADDING`] bytes of [`FILL`].
#[derive(Clone, Copy)]
pub(super) struct Padded<'a> {
    bytes: &'a [u8],
    len: usize,
}

impl<'a> Padded<'a> {
    /// Copies `text` into `scratch` and pads it.
    pub fn copy(text: &str, scratch: &'a mut Vec<u8>) -> Padded<'a> {
        Padded::copy_bytes(text.as_bytes(), scratch)
    }

    /// Copies bytes, which only tokens of one piece are searched in, into `scratch` and pads them.
    pub fn copy_bytes(text: &[u8], scratch: &'a mut Vec<u8>) -> Padded<'a> {
        scratch.clear();
        scratch.reserve(text.len() + PADDING);
        scratch.extend_from_slice(text);
        scratch.extend_from_slice(&[FILL; PADDING]);
        Padded { bytes: scratch, len: text.len() }
    }

    /// Uses the first `len` bytes of `buffer` as text and writes the padding after them. `None` if the buffer is too
    /// short or the bytes are not UTF-8: the scanners rely on both.
    pub fn in_place(buffer: &'a mut [u8], len: usize) -> Option<Padded<'a>> {
        let end = len.checked_add(PADDING)?;
        buffer.get_mut(len..end)?.fill(FILL);
        std::str::from_utf8(&buffer[..len]).ok()?;
        Some(Padded { bytes: &buffer[..end], len })
    }

    /// Returns the bytes of the text.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.len
    }

    /// Returns the text's bytes from `start` to `end`.
    #[inline(always)]
    pub fn slice(self, start: usize, end: usize) -> &'a [u8] {
        &self.bytes[start..end]
    }

    /// Returns the byte at `at`, which may be in the padding.
    #[inline(always)]
    pub fn byte(self, at: usize) -> u8 {
        self.bytes[at]
    }

    /// Returns the eight bytes from `at` on, the first one lowest.
    #[inline(always)]
    pub fn word(self, at: usize) -> u64 {
        let bytes = &self.bytes[at..at + 8];
        u64::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]])
    }
}
