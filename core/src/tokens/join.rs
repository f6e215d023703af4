//! Counts that can be joined: appending to a text recounts only the boundary.

use super::{Encoding, cut};

/// The data of a counted text that a join needs. Offsets are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// Tokens of the text.
    pub total: u64,
    /// Length of the text.
    pub len: usize,
    /// The first cut and the tokens before it, if the text has a cut.
    head: Option<(usize, u64)>,
    /// The last cut and the tokens after it, if the text has a cut.
    tail: Option<(usize, u64)>,
}

impl Counted {
    /// Returns the first and the last cut inside the text, and the tokens between them.
    pub fn inside(&self) -> Option<(usize, usize, u64)> {
        let ((first, head), (last, tail)) = (self.head?, self.tail?);
        Some((first, last, self.total - head - tail))
    }
}

impl Encoding {
    /// Counts `text` so that it can be joined. A join recounts the whole text if it has no cut (a long run of letters,
    /// for example): correct, but not fast.
    ///
    /// ```no_run
    /// # fn f(encoding: &espalier::tokens::Encoding) {
    /// let (a, b) = ("A sentence th", "at grows.");
    /// let (counted_a, counted_b) = (encoding.measure(a), encoding.measure(b));
    /// let both = encoding.join(a, &counted_a, b, &counted_b);
    /// assert_eq!(both.total, encoding.count("A sentence that grows."));
    /// # }
    /// ```
    pub fn measure(&self, text: &str) -> Counted {
        let len = text.len();
        let (Some(first), Some(last)) = (cut::first(text, 0), cut::last(text, len)) else {
            return Counted { total: self.count(text), len, head: None, tail: None };
        };
        let (head, tail) = (self.count(&text[..first]), self.count(&text[last..]));
        let total = head + self.count(&text[first..last]) + tail;
        Counted { total, len, head: Some((first, head)), tail: Some((last, tail)) }
    }

    /// Returns the count of `a` followed by `b`, from their own counts. Only the text between the last cut of `a` and
    /// the first cut of `b` is counted.
    pub fn join(&self, a: &str, counted_a: &Counted, b: &str, counted_b: &Counted) -> Counted {
        let (tail_at, tail) = counted_a.tail.unwrap_or((0, counted_a.total));
        let (head_at, head) = counted_b.head.unwrap_or((b.len(), counted_b.total));
        let mut seam = String::with_capacity(a.len() - tail_at + head_at);
        seam.push_str(&a[tail_at..]);
        seam.push_str(&b[..head_at]);
        let middle = self.count(&seam);
        let at_seam = cut::is_cut(&seam, a.len() - tail_at);
        let first = counted_a.head.or(match (at_seam, counted_b.head) {
            (true, _) => Some((a.len(), counted_a.total)),
            (false, Some((at, _))) => Some((a.len() + at, middle)),
            (false, None) => None,
        });
        let shifted = counted_b.tail.map(|(at, tokens)| (a.len() + at, tokens));
        let last = shifted.or(match (at_seam, counted_a.tail) {
            (true, _) => Some((a.len(), counted_b.total)),
            (false, Some((at, _))) => Some((at, middle)),
            (false, None) => None,
        });
        Counted {
            total: counted_a.total - tail + middle + counted_b.total - head,
            len: a.len() + b.len(),
            head: first,
            tail: last,
        }
    }
}
