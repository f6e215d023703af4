//! The end of a long document before the cursor. It begins where that of the last request began, as long as it fits.

use crate::memory::Last;
use crate::text::{lines_with_feeds, shared_len};
use espalier_core::tokens::Tokenizer;

/// A prefix that may have to be cut.
pub struct LongPrefix<'a, 'b> {
    pub prefix: &'a str,
    /// The text before the cursor, and the end of it that is not part of the prefix.
    pub before: &'a str,
    pub trailing: &'a str,
    /// Additional tokens by which it is shortened.
    pub slack: u64,
    pub last: Option<&'b Last>,
}

impl<'a> LongPrefix<'a, '_> {
    /// Returns the additional tokens by which a prefix for `room` is shortened.
    fn slack_of(&self, room: u64) -> u64 {
        self.slack.min(room / 8)
    }

    /// Returns an end of the prefix with approximately `room` tokens, from the line at which the last request began if
    /// that still fits.
    pub fn cut<T: Tokenizer>(&self, room: u64, counter: &T) -> &'a str {
        let LongPrefix { prefix, before, trailing, slack, last } = *self;
        let mut lines = Vec::new();
        let mut total = 0;
        lines_with_feeds(prefix, |line| {
            let count = counter.count(line);
            total += count;
            lines.push((line.len(), count));
        });
        if total <= room {
            return prefix;
        }
        let end = before.len() - trailing.len();
        let considered = end - prefix.len();
        if let Some(last) = last {
            let same = &before[before.floor_char_boundary(last.start)..];
            let is_same = last.start >= considered && last.start < end && same.len() <= prefix.len() + trailing.len();
            let equal = shared_len(same.as_bytes(), last.prefix.as_bytes());
            if is_same && before.is_char_boundary(last.start) && equal * 2 >= last.prefix.len() {
                let mut left = last.start - considered;
                let mut kept = total;
                for (length, count) in &lines {
                    if left < *length {
                        break;
                    }
                    left -= length;
                    kept -= count;
                }
                // Far below the room, a better cut is worth losing the shared prefix.
                if left == 0 && kept <= room && kept + 2 * slack.max(1) >= room {
                    return &before[last.start..end];
                }
            }
        }
        let room = room.saturating_sub(self.slack_of(room)).max(1);
        let mut start = prefix.len();
        let mut kept = 0;
        for (length, count) in lines.iter().rev() {
            if kept + count > room {
                break;
            }
            kept += count;
            start -= length;
        }
        // A last line that is too long is cut later, to its last tokens.
        if start == prefix.len() { prefix } else { &prefix[start..] }
    }
}
