//! Fits a prompt by shares: each part has a share of the budget, and passes unused tokens on.

use crate::elide::{Block, Elided, elide};
use espalier_core::error::{Code, Error, Result};
use espalier_core::tokens::Tokenizer;

/// Shares of the parts of a prompt, as fractions of 1. Stable context is everything except recent edits, which are
/// volatile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    pub prefix: f64,
    pub suffix: f64,
    pub stable: f64,
    pub volatile: f64,
}

impl Default for Shares {
    fn default() -> Shares {
        Shares { prefix: 0.35, suffix: 0.15, stable: 0.35, volatile: 0.15 }
    }
}

/// A suffix whose share exceeds this part of its estimated cost comes before the prefix.
const LIKELY_WHOLE: f64 = 0.8;
const BYTES_PER_TOKEN: f64 = 4.0;
/// Maximum number of rounds in which a surplus is passed on.
const MAX_ROUNDS: usize = 4;

impl Shares {
    /// Checks that the prefix has a share and that the sum is at most 1.
    ///
    /// # Errors
    /// [`Code::BadOption`], which names the invalid share.
    pub fn check(&self) -> Result<()> {
        let all =
            [("prefix", self.prefix), ("suffix", self.suffix), ("stable", self.stable), ("volatile", self.volatile)];
        let bad = |name: &str, what: &str| {
            Err(Error::new(Code::BadOption, format!("`cascade{name}` {what}")).at(format!("options.cascade{name}")))
        };
        for (name, share) in all {
            if !(0.0..=1.0).contains(&share) {
                return bad(&format!(".{name}"), "must be from 0 to 1");
            }
        }
        // Shares are decimal fractions: rounding may change their sum slightly.
        if all.iter().map(|share| share.1).sum::<f64>() > 1.0 + 1e-9 {
            return bad("", "must have shares that are at most 1 together");
        }
        if self.prefix > 0.0 { Ok(()) } else { bad(".prefix", "must be above 0") }
    }
}

/// A prompt that is fitted by shares. The document's prefix is the last of `blocks`.
pub(crate) struct Cascade<'a, 'b, C> {
    pub blocks: &'b [Block<'a>],
    pub is_volatile: &'b [bool],
    pub suffix: &'a str,
    pub shares: &'b Shares,
    pub counter: &'b C,
    /// True if the surplus of the last part starts another round.
    pub goes_round: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Stable,
    Volatile,
    Prefix,
    Suffix,
}

impl<'a, C: Tokenizer> Cascade<'a, '_, C> {
    /// Fits the parts into `limit` tokens; `cut` shortens the prefix to approximately its room.
    pub fn fit(&self, limit: u64, cut: impl Fn(u64) -> &'a str) -> Result<Elided<'a>> {
        let mut surplus = 0;
        let mut last = self.round(limit, surplus, &cut)?;
        for _ in 1..MAX_ROUNDS {
            let free = limit.saturating_sub(last.tokens + last.suffix_tokens);
            if !self.goes_round || free <= surplus {
                break;
            }
            surplus = free;
            let next = self.round(limit, surplus, &cut)?;
            if next.tokens + next.suffix_tokens > limit {
                break;
            }
            last = next;
        }
        Ok(last)
    }

    /// Gives each part its room in turn; the first has `surplus` more than its share.
    fn round(&self, limit: u64, surplus: u64, cut: &impl Fn(u64) -> &'a str) -> Result<Elided<'a>> {
        let share = |share: f64| (share * limit as f64) as u64;
        let shares = self.shares;
        let estimate = (self.suffix.len() as f64 / BYTES_PER_TOKEN).ceil();
        let is_suffix_first = share(shares.suffix) as f64 > LIKELY_WHOLE * estimate;
        let order = match is_suffix_first {
            true => [Part::Stable, Part::Volatile, Part::Suffix, Part::Prefix],
            false => [Part::Stable, Part::Volatile, Part::Prefix, Part::Suffix],
        };
        let mut elided = Elided {
            kept: vec![""; self.blocks.len()],
            suffix: "",
            tokens: 0,
            suffix_tokens: 0,
            limit: limit.saturating_sub(share(shares.suffix)),
            suffix_limit: share(shares.suffix),
        };
        let mut surplus = surplus;
        for part in order {
            let room = surplus
                + match part {
                    Part::Stable => share(shares.stable),
                    Part::Volatile => share(shares.volatile),
                    Part::Prefix => share(shares.prefix),
                    Part::Suffix => share(shares.suffix),
                };
            // Tokens that other parts gave up in an earlier round are used only once.
            let room = room.min(limit.saturating_sub(elided.tokens + elided.suffix_tokens));
            let used = match part {
                Part::Suffix => {
                    let fit = self.counter.prefix_within(self.suffix, room);
                    (elided.suffix, elided.suffix_tokens) = (&self.suffix[..fit.offset], fit.tokens);
                    fit.tokens
                }
                Part::Prefix => {
                    self.place(&mut elided, &[self.blocks.len().saturating_sub(1)], room, Some(cut(room)))?
                }
                Part::Stable | Part::Volatile => {
                    let is_member = |index: &usize| self.is_volatile[*index] == (part == Part::Volatile);
                    let members: Vec<usize> = (0..self.is_volatile.len()).filter(is_member).collect();
                    self.place(&mut elided, &members, room, None)?
                }
            };
            surplus = room.saturating_sub(used);
        }
        Ok(elided)
    }

    /// Keeps the blocks that fit; returns their tokens.
    fn place(&self, elided: &mut Elided<'a>, members: &[usize], room: u64, value: Option<&'a str>) -> Result<u64> {
        if room == 0 || members.is_empty() {
            return Ok(0);
        }
        let mut blocks: Vec<Block<'a>> = members.iter().filter_map(|&index| self.blocks.get(index).cloned()).collect();
        if let (Some(value), Some(block)) = (value, blocks.first_mut()) {
            block.value = value;
        }
        let part = elide(&blocks, room, "", 0, self.counter)?;
        for (&index, kept) in members.iter().zip(part.kept) {
            elided.kept[index] = kept;
        }
        elided.tokens += part.tokens;
        Ok(part.tokens)
    }
}
