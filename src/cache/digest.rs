//! A short name for a prefix, by which a later request recognises that it begins with the same content.

use crate::message::{Message, Part, Tool};

/// Odd constants with well-spread bits: 2^64 divided by the golden ratio, and the multiplier of MurmurHash3's finish.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
const FINISH: u64 = 0xFF51_AFD7_ED55_8CCD;

/// A 64-bit hash, fed in pieces. It need not resist attacks: a collision costs one cache mark.
#[derive(Clone)]
pub(super) struct Digest(u64);

impl Digest {
    pub(super) fn new() -> Digest {
        Digest(STEP)
    }

    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(STEP);
        self.0 ^= self.0 >> 32;
    }

    /// Adds the length before the text, so that adjacent texts cannot be confused.
    fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
    }

    fn optional(&mut self, text: Option<&str>) {
        self.word(u64::from(text.is_some()));
        self.text(text.unwrap_or_default());
    }

    pub(super) fn tools(&mut self, tools: &[Tool]) {
        self.word(tools.len() as u64);
        for tool in tools {
            for text in [&tool.name, &tool.description, &tool.schema] {
                self.text(text);
            }
        }
    }

    /// Adds all fields of a message except its parts and its id, which is not sent.
    pub(super) fn head(&mut self, message: &Message) {
        self.text(message.role.as_str());
        self.optional(message.name.as_deref());
    }

    /// Adds a part. Marks are skipped: they change without changing the cached content.
    pub(super) fn part(&mut self, part: &Part) {
        match part {
            Part::Text { text } => self.tagged(1, &[text]),
            Part::ToolCall { call_id, name, arguments } => self.tagged(2, &[call_id, name, arguments]),
            Part::ToolResult { call_id, name, content, is_error } => {
                self.tagged(3, &[call_id]);
                self.optional(name.as_deref());
                self.word(u64::from(*is_error));
                self.word(content.len() as u64);
                // Results contain no results, whatever the host passes: `content` is one level deep in every format.
                for inner in content {
                    match inner {
                        Part::ToolResult { call_id, .. } => self.tagged(4, &[call_id]),
                        other => self.part(other),
                    }
                }
            }
            Part::Reasoning { text, .. } => self.tagged(5, &[text]),
            Part::Image { media_type, data, url, detail, .. } => {
                self.word(6);
                for text in [media_type, data, url, detail] {
                    self.optional(text.as_deref());
                }
            }
            Part::Document { media_type, data_length, pages } => {
                self.word(7);
                self.optional(media_type.as_deref());
                self.word(*data_length);
                self.word(u64::from(pages.unwrap_or(0)));
            }
            Part::Opaque { json, .. } => self.tagged(8, &[json]),
            Part::CacheMark => {}
            Part::Boundary => self.word(9),
        }
    }

    fn tagged(&mut self, tag: u64, texts: &[&str]) {
        self.word(tag);
        for text in texts {
            self.text(text);
        }
    }

    /// Returns the name: 16 hexadecimal digits.
    pub(super) fn name(&self) -> String {
        let mixed = (self.0 ^ self.0 >> 33).wrapping_mul(FINISH);
        format!("{:016x}", mixed ^ mixed >> 33)
    }
}
