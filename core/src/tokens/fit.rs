//! Cuts text to a number of tokens: the longest beginning or end that fits.
//!
//! Counts of beginnings do not grow evenly (one more letter can save a token), so bisection does not work: one scan
//! proceeds to the budget. Results end between pieces, or between tokens of a piece that does not fit as a whole,
//! always between characters. The result is counted as a text of its own, because a cut can change how its edge splits.

use super::{Encoding, cut};

/// The position of a cut, and the tokens of the kept text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fit {
    /// In bytes, between two characters: the end of a beginning, or the start of an end.
    pub offset: usize,
    /// Tokens of the kept text, counted on its own.
    pub tokens: u64,
}

/// Minimum bytes by which a suffix grows before it is counted.
const STEP: usize = 256;

/// Number of pieces that are remembered before the point where the budget is reached: a cut changes how the last two
/// split.
const RECENT: usize = 3;

/// Number of bytes in which every offset is tried.
const SEARCHED: usize = 256;

/// Adds the newest entry and drops the oldest.
fn shift(recent: &mut [Fit; RECENT], newest: Fit) {
    recent.rotate_left(1);
    recent[RECENT - 1] = newest;
}

/// Returns the largest size, in bytes, with at most `max` tokens; `measure` returns the size that it used and its
/// tokens.
pub(super) fn by_halving(len: usize, max: u64, measure: impl Fn(usize) -> (usize, u64)) -> Fit {
    let mut best = Fit { offset: 0, tokens: 0 };
    let (mut low, mut high) = (0, len + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let (size, tokens) = measure(middle);
        if tokens <= max {
            best = Fit { offset: size, tokens };
            low = middle;
        } else {
            high = middle;
        }
    }
    best
}

impl Encoding {
    /// Returns the longest beginning of `text` with at most `max` tokens. Costs as much as counting that beginning.
    ///
    /// If one piece (a run of letters, or of one sign) has more than 256 bytes, a few more characters may fit.
    ///
    /// ```no_run
    /// # fn f(encoding: &espalier::tokens::Encoding) {
    /// let text = "one two three four";
    /// let fit = encoding.prefix_within(text, 2);
    /// assert_eq!((&text[..fit.offset], fit.tokens), ("one two", 2));
    /// # }
    /// ```
    pub fn prefix_within(&self, text: &str, max: u64) -> Fit {
        let mut total = 0;
        // The starts of the last pieces and the cuts before them, each with the tokens before it.
        let mut pieces = [Fit { offset: 0, tokens: 0 }; RECENT];
        let mut cuts = pieces;
        let mut over = None;
        self.visit_counts(text, |start, end, count| {
            let here = Fit { offset: start, tokens: total };
            let [.., cut] = cuts;
            shift(&mut pieces, here);
            shift(&mut cuts, if cut::is_cut(text, start) { here } else { cut });
            if total + count > max {
                over = Some((start, end));
                return false;
            }
            total += count;
            true
        });
        let Some((start, end)) = over else { return Fit { offset: text.len(), tokens: total } };
        let ([base, ..], [safe, ..]) = (pieces, cuts);
        let mut offset = if end - base.offset <= SEARCHED {
            self.longest_behind(text, base, end, max)
        } else {
            let ends = self.token_offsets(&text[start..end]);
            let token = usize::try_from(max - total).unwrap_or(usize::MAX).checked_sub(1);
            text.floor_char_boundary(start + token.and_then(|token| ends.get(token)).copied().unwrap_or(0))
        };
        let mut step = 1;
        loop {
            let tokens = safe.tokens + self.count(&text[safe.offset..offset]);
            if tokens <= max {
                return Fit { offset, tokens };
            }
            offset = text.floor_char_boundary(offset.saturating_sub(step).max(safe.offset));
            step *= 2;
        }
    }

    /// Returns the last offset after `base` at which a beginning has at most `max` tokens; `end` is the end of the
    /// piece that exceeds it.
    ///
    /// Part of a piece can have fewer tokens than the piece has up to there, and a space after a piece of white space
    /// joins it. A cut changes only the last two pieces, so nothing further on can fit.
    fn longest_behind(&self, text: &str, base: Fit, end: usize, max: u64) -> usize {
        let mut offset = text.ceil_char_boundary((end + 1).min(text.len()));
        while offset > base.offset && base.tokens + self.count(&text[base.offset..offset]) > max {
            offset = text.floor_char_boundary(offset - 1);
        }
        offset
    }

    /// Returns a long end of `text` with at most `max` tokens: a few more characters may fit. Costs as much as
    /// counting that end, whatever precedes it.
    pub fn suffix_within(&self, text: &str, max: u64) -> Fit {
        let mut kept = Fit { offset: text.len(), tokens: 0 };
        while kept.offset > 0 {
            let start = cut::last(text, kept.offset.saturating_sub(STEP)).unwrap_or(0);
            let chunk = &text[start..kept.offset];
            let count = self.count(chunk);
            if kept.tokens + count > max {
                let within = self.end_of_chunk(chunk, count, max - kept.tokens);
                return Fit { offset: start + within.offset, tokens: kept.tokens + within.tokens };
            }
            kept = Fit { offset: start, tokens: kept.tokens + count };
        }
        kept
    }

    /// Returns the longest end of `chunk` (which has `count` tokens, more than `room`) with at most `room` tokens.
    fn end_of_chunk(&self, chunk: &str, count: u64, room: u64) -> Fit {
        let mut left = count;
        let mut piece = (0, 0);
        self.visit_counts(chunk, |start, end, count| {
            piece = (start, end);
            left -= count;
            left > room
        });
        // Splitting never looks back, so the count of the text after a whole piece is already correct.
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
