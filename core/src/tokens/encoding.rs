//! An encoding with its vocabulary loaded: counting, encoding, decoding.

use super::bpe::Bpe;
use super::class::Classes;
use super::padded::Padded;
use super::pieces::Pieces;
use super::scan::{Cl100k, O200k, Scanner};
use super::tables::Tables;
use super::{EncodingName, Fit, Tokenizer, cut, vocab};
use crate::error::{Code, Error, Result};
use std::cell::RefCell;

/// An encoding, ready to count. Contains its tables (about 8 MB for `o200k_base`) and caches of fixed size; share one
/// per thread.
///
/// Text that spells a special token (`<|endoftext|>`) is ordinary text. All offsets are in bytes.
///
/// ```no_run
/// use espalier::tokens::{Encoding, EncodingName};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let file = std::fs::read("o200k_base.vocab")?;
/// let encoding = Encoding::load(EncodingName::O200kBase, &file)?;
/// assert_eq!(encoding.count("Hello world!"), 3);
/// # Ok(()) }
/// ```
pub struct Encoding {
    name: EncodingName,
    classes: &'static Classes,
    tables: Tables,
    state: RefCell<State>,
}

/// The state that counting changes.
struct State {
    pieces: Pieces,
    bpe: Bpe,
    scratch: Vec<u8>,
}

/// Approximate bytes of a window. Text is copied and padded window by window, so that the copy stays in the processor's
/// cache.
const WINDOW: usize = 1 << 16;

/// Bytes that one call of the innermost loop processes.
const STRETCH: usize = 1 << 11;

impl Encoding {
    /// Reads a vocabulary file, deflated or raw, and builds the tables (tens of milliseconds).
    ///
    /// # Errors
    /// [`Code::BadVocabulary`] if the file is truncated, damaged, of another encoding or not the published vocabulary.
    pub fn load(name: EncodingName, file: &[u8]) -> Result<Encoding> {
        let (planes, sum) = vocab::read(name, file)?;
        let tables = Tables::build(&planes)?;
        vocab::check_published(name, sum)?;
        Ok(Encoding::new(name, tables))
    }

    fn new(name: EncodingName, tables: Tables) -> Encoding {
        let state = State { pieces: Pieces::new(), bpe: Bpe::new(), scratch: Vec::new() };
        Encoding { name, classes: Classes::get(), tables, state: RefCell::new(state) }
    }

    pub fn name(&self) -> EncodingName {
        self.name
    }

    /// Returns the bytes of the tables and caches.
    pub fn memory(&self) -> usize {
        let state = self.state.borrow();
        self.tables.memory() + state.pieces.memory() + state.bpe.memory() + state.scratch.capacity()
    }

    /// Returns the number of tokens of `text`.
    pub fn count(&self, text: &str) -> u64 {
        let mut total = 0;
        // The borrow cannot fail: no code that runs during it calls back.
        let state = &mut *self.state.borrow_mut();
        let State { pieces, bpe, scratch } = state;
        let mut rest = text;
        while !rest.is_empty() {
            let (window, behind) = rest.split_at(cut::window(rest, WINDOW));
            let padded = Padded::copy(window, scratch);
            total += self.count_padded(padded, pieces, bpe);
            rest = behind;
        }
        shrink(scratch);
        total
    }

    /// Counts the UTF-8 text in the first `len` bytes of `buffer`, which needs 24 more bytes (they are overwritten).
    /// Avoids copying the text.
    ///
    /// # Errors
    /// [`Code::BadInput`] if the buffer is too short or the bytes are not UTF-8.
    pub fn count_in_place(&self, buffer: &mut [u8], len: usize) -> Result<u64> {
        let Some(text) = Padded::in_place(buffer, len) else {
            return Err(Error::new(Code::BadInput, "the buffer does not hold UTF-8 text of this length"));
        };
        let State { pieces, bpe, .. } = &mut *self.state.borrow_mut();
        Ok(self.count_padded(text, pieces, bpe))
    }

    fn count_padded(&self, text: Padded, pieces: &mut Pieces, bpe: &mut Bpe) -> u64 {
        match self.name {
            EncodingName::O200kBase => self.count_with::<O200k>(text, pieces, bpe),
            EncodingName::Cl100kBase => self.count_with::<Cl100k>(text, pieces, bpe),
        }
    }

    fn count_with<S: Scanner>(&self, text: Padded, pieces: &mut Pieces, bpe: &mut Bpe) -> u64 {
        let (mut at, mut total) = (0, 0);
        while at < text.len() {
            let (end, count) = self.count_stretch::<S>(text, at, pieces, bpe);
            total += count;
            at = end;
        }
        total
    }

    /// Counts pieces from `at` until [`STRETCH`] bytes are passed; returns where it stopped.
    ///
    /// A function of its own, because WebAssembly engines replace unoptimised code by optimised code between calls, not
    /// within one: a single loop over a megabyte would be slow to its end.
    #[inline(never)]
    fn count_stretch<S: Scanner>(
        &self,
        text: Padded,
        mut at: usize,
        pieces: &mut Pieces,
        bpe: &mut Bpe,
    ) -> (usize, u64) {
        let (limit, mut total) = (text.len().min(at + STRETCH), 0);
        while at < limit {
            let end = S::next(self.classes, text, at);
            total += pieces.count(&self.tables, bpe, text, at, end);
            at = end;
        }
        (at, total)
    }

    /// Returns the end of the piece of `text` that begins at `start`.
    fn next_piece(&self, text: Padded, start: usize) -> usize {
        match self.name {
            EncodingName::O200kBase => O200k::next(self.classes, text, start),
            EncodingName::Cl100kBase => Cl100k::next(self.classes, text, start),
        }
    }

    /// Calls `visit` with the tokens of each piece of `text`, in order.
    fn visit_tokens(&self, text: &str, mut visit: impl FnMut(&[u32])) {
        let State { bpe, scratch, .. } = &mut *self.state.borrow_mut();
        let mut start = 0;
        while start < text.len() {
            let window = &text[start..start + cut::window(&text[start..], WINDOW)];
            let padded = Padded::copy(window, scratch);
            let mut at = 0;
            while at < window.len() {
                let end = self.next_piece(padded, at);
                bpe.encode(&self.tables, padded, at, end);
                visit(&bpe.tokens);
                at = end;
            }
            start += window.len();
        }
        shrink(scratch);
    }

    /// Calls `visit` for the pieces of `text` in order, with start, end and number of tokens, until it returns false.
    pub(super) fn visit_counts(&self, text: &str, mut visit: impl FnMut(usize, usize, u64) -> bool) {
        let State { pieces, bpe, scratch } = &mut *self.state.borrow_mut();
        let mut start = 0;
        while start < text.len() {
            let window = &text[start..start + cut::window(&text[start..], WINDOW)];
            let padded = Padded::copy(window, scratch);
            let mut at = 0;
            while at < window.len() {
                let end = self.next_piece(padded, at);
                if !visit(start + at, start + end, pieces.count(&self.tables, bpe, padded, at, end)) {
                    return;
                }
                at = end;
            }
            start += window.len();
        }
        shrink(scratch);
    }

    /// Returns the ids of the tokens of `text`.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        self.visit_tokens(text, |tokens| ids.extend_from_slice(tokens));
        ids
    }

    /// Returns the bytes of tokens. A single token need not be whole characters.
    ///
    /// # Errors
    /// [`Code::BadInput`] if an id is not in this vocabulary; the path is its index.
    pub fn decode(&self, ids: &[u32]) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(ids.len() * 4);
        for (index, id) in ids.iter().enumerate() {
            if *id as usize >= self.tables.count() {
                let message =
                    format!("{} has no token {id}; ids are below {}", self.name.as_str(), self.tables.count());
                return Err(Error::new(Code::BadInput, message).at(format!("ids[{index}]")));
            }
            self.tables.bytes_of(*id, &mut bytes);
        }
        Ok(bytes)
    }

    /// Returns the end of each token of `text`, in bytes. An end may be inside a character.
    pub fn token_offsets(&self, text: &str) -> Vec<usize> {
        let (mut at, mut offsets) = (0, Vec::new());
        self.visit_tokens(text, |tokens| {
            for token in tokens {
                at += self.tables.len(*token);
                offsets.push(at);
            }
        });
        offsets
    }
}

/// Frees the memory of a very long piece.
fn shrink(scratch: &mut Vec<u8>) {
    if scratch.capacity() > 4 * WINDOW {
        scratch.clear();
        scratch.shrink_to(2 * WINDOW);
    }
}

impl Tokenizer for Encoding {
    fn count(&self, text: &str) -> u64 {
        Encoding::count(self, text)
    }

    fn known_as(&self) -> Option<&'static str> {
        Some(self.name.as_str())
    }

    fn has_cuts(&self) -> bool {
        true
    }

    fn prefix_within(&self, text: &str, max: u64) -> Fit {
        Encoding::prefix_within(self, text, max)
    }

    fn suffix_within(&self, text: &str, max: u64) -> Fit {
        Encoding::suffix_within(self, text, max)
    }
}
