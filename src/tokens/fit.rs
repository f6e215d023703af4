//! Cutting text to a number of tokens: the longest beginning or end that fits.
//!
//! Counts of beginnings do not grow evenly (one more letter can save a token), so nothing is searched by halving: one scan goes
//! up to the budget. Results end between pieces, or between tokens of a piece too long to keep whole, always between
//! characters; and what is returned has been counted as the text it will be, since a cut can change how its edge splits.

use super::{Encoding, cut};

/// Where a text was cut, and the tokens of what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fit {
    /// In bytes, between two characters: the end of a beginning, or the start of an end.
    pub offset: usize,
    /// Tokens of the kept text, counted on its own.
    pub tokens: u64,
}

/// Bytes by which a suffix grows at least before it is counted.
const STEP: usize = 256;

/// The largest size, in bytes, that has at most `most` tokens; `measure` gives the size it took and its tokens.
pub(super) fn by_halving(len: usize, most: u64, measure: impl Fn(usize) -> (usize, u64)) -> Fit {
    let mut best = Fit { offset: 0, tokens: 0 };
    let (mut low, mut high) = (0, len + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let (size, tokens) = measure(middle);
        if tokens <= most {
            best = Fit { offset: size, tokens };
            low = middle;
        } else {
            high = middle;
        }
    }
    best
}

impl Encoding {
    /// The longest beginning of `text` with at most `most` tokens. Costs what counting that beginning costs.
    ///
    /// ```no_run
    /// # fn f(encoding: &espalier::tokens::Encoding) {
    /// let text = "one two three four";
    /// let fit = encoding.prefix_within(text, 2);
    /// assert_eq!((&text[..fit.offset], fit.tokens), ("one two", 2));
    /// # }
    /// ```
    pub fn prefix_within(&self, text: &str, most: u64) -> Fit {
        let mut total = 0;
        // The last cut that was passed, and the tokens before it.
        let mut safe = Fit { offset: 0, tokens: 0 };
        let mut over = None;
        self.visit_counts(text, |start, end, count| {
            if cut::is_cut(text, start) {
                safe = Fit { offset: start, tokens: total };
            }
            if total + count > most {
                over = Some((start, end));
                return false;
            }
            total += count;
            true
        });
        let Some((start, end)) = over else { return Fit { offset: text.len(), tokens: total } };
        let room = most - total;
        let mut offset = start;
        if room > 0 {
            let ends = self.token_offsets(&text[start..end]);
            let token_end = usize::try_from(room - 1).ok().and_then(|at| ends.get(at));
            offset = text.floor_char_boundary(start + token_end.copied().unwrap_or(0));
        }
        let mut step = 1;
        loop {
            let tokens = safe.tokens + self.count(&text[safe.offset..offset]);
            if tokens <= most {
                return Fit { offset, tokens };
            }
            offset = text.floor_char_boundary(offset.saturating_sub(step).max(safe.offset));
            step *= 2;
        }
    }

    /// The longest end of `text` with at most `most` tokens. Costs what counting that end costs, whatever stands before it.
    pub fn suffix_within(&self, text: &str, most: u64) -> Fit {
        let mut kept = Fit { offset: text.len(), tokens: 0 };
        while kept.offset > 0 {
            let start = cut::last(text, kept.offset.saturating_sub(STEP)).unwrap_or(0);
            let chunk = &text[start..kept.offset];
            let count = self.count(chunk);
            if kept.tokens + count > most {
                let within = self.end_of_chunk(chunk, count, most - kept.tokens);
                return Fit { offset: start + within.offset, tokens: kept.tokens + within.tokens };
            }
            kept = Fit { offset: start, tokens: kept.tokens + count };
        }
        kept
    }

    /// The longest end of `chunk` (which has `count` tokens, more than `room`) with at most `room` tokens.
    fn end_of_chunk(&self, chunk: &str, count: u64, room: u64) -> Fit {
        let mut left = count;
        let mut piece = (0, 0);
        self.visit_counts(chunk, |start, end, count| {
            piece = (start, end);
            left -= count;
            left > room
        });
        // Splitting never looks back, so what follows a whole piece is counted right without being counted again.
        let (start, end) = piece;
        let behind = Fit { offset: end, tokens: left };
        if left >= room {
            return behind;
        }
        let ends = self.token_offsets(&chunk[start..end]);
        let keep = usize::try_from(room - left).unwrap_or(usize::MAX);
        let dropped = ends.len().saturating_sub(keep);
        let Some(token_end) = dropped.checked_sub(1).and_then(|at| ends.get(at)) else { return behind };
        let mut offset = chunk.ceil_char_boundary(start + token_end);
        let mut step = 1;
        while offset < end {
            let tokens = self.count(&chunk[offset..]);
            if tokens <= room {
                return Fit { offset, tokens };
            }
            offset = chunk.ceil_char_boundary(offset + step);
            step *= 2;
        }
        behind
    }
}
