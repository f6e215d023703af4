//! Fits weighted blocks and a suffix into two budgets.

use crate::text::lines_with_feeds;
use espalier_core::error::{Code, Error, Result};
use espalier_core::map::{HashMap, HashSet};
use espalier_core::tokens::Tokenizer;

/// A part of a prompt before its suffix.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Block<'a> {
    pub value: &'a str,
    /// From 0 to 1; lighter blocks are dropped first, blocks of weight 1 never.
    pub weight: f64,
    /// Names of its groups: with a dropped block, every block that has all of its names is dropped.
    pub chunks: Vec<&'a str>,
}

/// The remaining parts of blocks and suffix.
#[derive(Debug, Clone, PartialEq)]
pub struct Elided<'a> {
    /// The kept part of each block; empty for dropped ones.
    pub kept: Vec<&'a str>,
    pub suffix: &'a str,
    /// Tokens of the kept lines, counted line by line, and of the suffix.
    pub tokens: u64,
    pub suffix_tokens: u64,
    /// The limits after each side got the tokens that the other does not use.
    pub limit: u64,
    pub suffix_limit: u64,
}

/// Drops blocks, then lines from the beginning, until the rest fits. Tokens are counted per line.
///
/// # Errors
/// [`Code::BadOption`] if `limit` is 0.
pub fn elide<'a, T: Tokenizer + ?Sized>(
    blocks: &[Block<'a>],
    limit: u64,
    suffix: &'a str,
    suffix_limit: u64,
    tokenizer: &T,
) -> Result<Elided<'a>> {
    if limit == 0 {
        let message = "the prefix limit must be at least 1 token";
        return Err(Error::new(Code::BadOption, message).at("limit"));
    }
    let lines: Vec<Vec<(&'a str, u64)>> = (blocks.iter())
        .map(|block| {
            let mut lines = Vec::new();
            lines_with_feeds(block.value, |line| lines.push((line, tokenizer.count(line))));
            lines
        })
        .collect();
    let costs: Vec<u64> = lines.iter().map(|lines| lines.iter().map(|line| line.1).sum()).collect();
    let total: u64 = costs.iter().sum();
    let given = limit.saturating_sub(total);
    let suffix_fit = tokenizer.prefix_within(suffix, suffix_limit.saturating_add(given));
    let suffix = &suffix[..suffix_fit.offset];
    let suffix_limit = suffix_limit.saturating_add(given);
    let limit = if given > 0 { limit } else { limit.saturating_add(suffix_limit.saturating_sub(suffix_fit.tokens)) };
    let mut fitted = Fitted { blocks, lines: &lines, costs: &costs, is_dropped: vec![false; blocks.len()], total };
    fitted.drop_lightest(limit);
    let mut kept: Vec<&'a str> = fitted.kept();
    if fitted.total > limit {
        fitted.keep_last_lines(&mut kept, limit, tokenizer);
    }
    for (index, block) in blocks.iter().enumerate() {
        let is_back = fitted.is_dropped[index] && block.chunks.is_empty() && fitted.total + costs[index] <= limit;
        if is_back {
            fitted.total += costs[index];
            kept[index] = block.value;
        }
    }
    let tokens = fitted.total;
    Ok(Elided { kept, suffix, tokens, suffix_tokens: suffix_fit.tokens, limit, suffix_limit })
}

struct Fitted<'a, 'b> {
    blocks: &'b [Block<'a>],
    lines: &'b [Vec<(&'a str, u64)>],
    costs: &'b [u64],
    is_dropped: Vec<bool>,
    total: u64,
}

impl<'a> Fitted<'a, '_> {
    fn drop_lightest(&mut self, limit: u64) {
        if self.total <= limit {
            return;
        }
        let mut of_chunk: HashMap<&str, Vec<usize>> = HashMap::default();
        for (index, block) in self.blocks.iter().enumerate() {
            block.chunks.iter().for_each(|chunk| of_chunk.entry(chunk).or_default().push(index));
        }
        let mut order: Vec<usize> = (0..self.blocks.len()).filter(|&index| self.weight(index) < 1.0).collect();
        order.sort_by(|&a, &b| self.weight(a).total_cmp(&self.weight(b)));
        for index in order {
            if self.total <= limit {
                return;
            }
            if self.is_dropped[index] {
                continue;
            }
            self.drop(index);
            // Only blocks of the rarest chunk can have all of its chunks.
            let chunks: HashSet<&str> = self.blocks[index].chunks.iter().copied().collect();
            let rarest = chunks.iter().filter_map(|chunk| of_chunk.get(chunk)).min_by_key(|blocks| blocks.len());
            for &other in rarest.into_iter().flatten() {
                let carried: HashSet<&str> = self.blocks[other].chunks.iter().copied().collect();
                if !self.is_dropped[other] && chunks.is_subset(&carried) {
                    self.drop(other);
                }
            }
        }
    }

    fn weight(&self, index: usize) -> f64 {
        clamped(self.blocks[index].weight)
    }

    fn drop(&mut self, index: usize) {
        self.is_dropped[index] = true;
        self.total -= self.costs[index];
    }

    fn kept(&self) -> Vec<&'a str> {
        let kept = |(index, block): (usize, &Block<'a>)| if self.is_dropped[index] { "" } else { block.value };
        self.blocks.iter().enumerate().map(kept).collect()
    }

    /// Keeps whole lines from the end while they fit; of a line that does not fit, its last tokens.
    fn keep_last_lines<T: Tokenizer + ?Sized>(&mut self, kept: &mut [&'a str], limit: u64, tokenizer: &T) {
        self.total = 0;
        let mut is_over = false;
        let mut has_line = false;
        for index in (0..self.blocks.len()).rev() {
            if self.is_dropped[index] {
                continue;
            }
            let value = self.blocks[index].value;
            let mut start = value.len();
            for &(line, cost) in self.lines[index].iter().rev() {
                if is_over {
                    break;
                }
                if self.total + cost <= limit {
                    self.total += cost;
                    start -= line.len();
                } else {
                    is_over = true;
                    if !has_line {
                        let fit = tokenizer.suffix_within(line, limit);
                        self.total += fit.tokens;
                        start -= line.len() - fit.offset;
                    }
                }
                has_line = true;
            }
            kept[index] = &value[start..];
        }
    }
}

/// Clamps a weight to 0 to 1; NaN becomes 0.
pub fn clamped(weight: f64) -> f64 {
    if weight.is_nan() { 0.0 } else { weight.clamp(0.0, 1.0) }
}
