//! Fits a prompt into its limit, counted as one text.

use crate::elide::{Block, Elided};
use espalier_core::error::Result;
use espalier_core::tokens::Tokenizer;

/// Maximum number of dropped blocks that are tried again; each costs a count of the whole.
const MAX_TRIES: usize = 16;

/// A prompt that fits.
pub(crate) struct Fitted<'a> {
    pub elided: Elided<'a>,
    /// Context and prefix.
    pub text: String,
    pub tokens: u64,
}

/// Fits a prompt into `room` tokens. `attempt` fits it line by line into a limit, at first `limit`. With `exact` the
/// whole prompt is counted and kept within the room, otherwise only its lines. The document's prefix is the last block.
pub(crate) fn fit<'a, C: Tokenizer>(
    blocks: &[Block<'a>],
    (mut limit, room): (u64, u64),
    exact: bool,
    counter: &C,
    attempt: impl Fn(u64) -> Result<Elided<'a>>,
) -> Result<Fitted<'a>> {
    let mut fitted;
    loop {
        let elided = attempt(limit)?;
        let text = elided.kept.concat();
        let tokens = if exact { counter.count(&text) } else { elided.tokens };
        fitted = Fitted { elided, text, tokens };
        let over = (fitted.tokens + fitted.elided.suffix_tokens).saturating_sub(room);
        if !exact {
            return Ok(fitted);
        }
        if over == 0 {
            break;
        }
        if limit == 1 {
            fitted.keep_prefix(blocks, room, counter);
            break;
        }
        limit = limit.saturating_sub(over.max(limit / 64)).max(1);
    }
    fitted.fill(blocks, room, counter);
    Ok(fitted)
}

impl<'a> Fitted<'a> {
    /// Keeps only the last tokens of the document's prefix.
    fn keep_prefix<C: Tokenizer>(&mut self, blocks: &[Block<'a>], room: u64, counter: &C) {
        let prefix = blocks.last().map_or("", |block| block.value);
        let fit = counter.suffix_within(prefix, room);
        self.elided.kept.fill("");
        if let Some(last) = self.elided.kept.last_mut() {
            *last = &prefix[fit.offset..];
        }
        (self.elided.suffix, self.elided.suffix_tokens, self.tokens) = ("", 0, fit.tokens);
        self.text = prefix[fit.offset..].to_string();
    }

    /// Restores the heaviest dropped blocks that still fit.
    fn fill<C: Tokenizer>(&mut self, blocks: &[Block<'a>], room: u64, counter: &C) {
        let context = &blocks[..blocks.len().saturating_sub(1)];
        let mut order: Vec<usize> = (0..context.len()).filter(|&index| self.elided.kept[index].is_empty()).collect();
        order.sort_by(|&a, &b| context[b].weight.total_cmp(&context[a].weight));
        let mut tries = 0;
        for index in order {
            let free = room.saturating_sub(self.tokens + self.elided.suffix_tokens);
            if tries == MAX_TRIES || free == 0 {
                return;
            }
            let value = context[index].value;
            if value.is_empty() || counter.count(value) > free {
                continue;
            }
            tries += 1;
            self.elided.kept[index] = value;
            let text = self.elided.kept.concat();
            let tokens = counter.count(&text);
            if tokens + self.elided.suffix_tokens <= room {
                (self.text, self.tokens) = (text, tokens);
            } else {
                self.elided.kept[index] = "";
            }
        }
    }
}
