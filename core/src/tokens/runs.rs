//! Long pieces that repeat a few bytes, such as rulers: encodes a short run and repeats its token.
//!
//! A sequence of tokens in which any two neighbours may be adjacent is the only encoding of its bytes (see
//! [`bpe`](super::bpe)). So if the encoding of a shortened run has a token inside of the run that may follow itself, it
//! encodes the removed bytes, as often as they contain it. In runs of `-`, `=`, `/`, `#` and `*` the
//! longest tokens may not follow themselves, so that every position is tried with dozens of tokens: 1 microsecond a
//! byte, where other text takes 4 nanoseconds.

use super::bpe::Bpe;
use super::padded::Padded;
use super::tables::Tables;

/// Minimum bytes of a run that is shortened, and about the bytes to which it is: the longest token has 128.
pub(super) const LONG: usize = 1024;
const SHORT: usize = 384;

/// Maximum bytes that repeat: a character.
const MAX_PERIOD: usize = 4;

/// Distance of the offsets at which a run is looked for, and the bytes that are compared there.
const STEP: usize = 256;
const PROBE: usize = 64;

/// A part of a piece in which every byte equals the one `period` bytes before it.
struct Run {
    start: usize,
    end: usize,
    period: usize,
}

/// Returns the long runs of a piece, in order.
fn runs(piece: &[u8]) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::new();
    let mut at = 0;
    while at + PROBE + MAX_PERIOD <= piece.len() {
        let first = out.last().map_or(0, |run| run.end);
        let run = (1..=MAX_PERIOD).find_map(|period| {
            if piece[at..at + PROBE] != piece[at + period..at + period + PROBE] {
                return None;
            }
            let differs = |at: &usize| piece[*at] != piece[at + period];
            let start = (first..at).rev().find(differs).map_or(first, |at| at + 1);
            let end = (at..piece.len() - period).find(differs).unwrap_or(piece.len() - period) + period;
            (end - start >= LONG).then_some(Run { start, end, period })
        });
        at = run.as_ref().map_or(at + STEP, |run| run.end);
        out.extend(run);
    }
    out
}

impl Bpe {
    /// Encodes a piece with long runs into [`Bpe::tokens`]; returns false if it has none, or none that repeats a token.
    pub(super) fn encode_runs(&mut self, tables: &Tables, text: Padded, start: usize, end: usize) -> bool {
        let piece = text.slice(start, end);
        let mut short = Vec::new();
        // Start and end of each run in the shortened piece, its period, and the number of removed bytes.
        let mut cuts = Vec::new();
        let mut done = 0;
        for run in runs(piece) {
            self.encode_piece(tables, text, start + run.start, start + run.start + SHORT);
            let Some(token) = self.tokens.get(self.tokens.len() / 2) else { continue };
            let len = tables.len(*token);
            if !len.is_multiple_of(run.period) {
                continue;
            }
            let cut = (run.end - run.start - SHORT) / len * len;
            short.extend_from_slice(&piece[done..run.start]);
            let begins = short.len();
            short.extend_from_slice(&piece[run.start + cut..run.end]);
            cuts.push((begins, short.len(), run.period, cut));
            done = run.end;
        }
        short.extend_from_slice(&piece[done..]);
        let mut cuts = cuts.into_iter();
        let Some(mut next) = cuts.next().map(Some) else { return false };
        let mut scratch = Vec::new();
        self.encode_piece(tables, Padded::copy_bytes(&short, &mut scratch), 0, short.len());
        let mut at = 0;
        for token in std::mem::take(&mut self.tokens) {
            let len = tables.len(token);
            self.tokens.push(token);
            if let Some((begins, ends, period, cut)) = next
                && at >= begins
                && at + len <= ends
                && len.is_multiple_of(period)
                && cut.is_multiple_of(len)
                && tables.are_neighbours(token, token)
            {
                self.tokens.extend(std::iter::repeat_n(token, cut / len));
                next = cuts.next();
            }
            at += len;
        }
        next.is_none()
    }
}
