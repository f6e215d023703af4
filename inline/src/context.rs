//! The one call for a request.
//!
//! In: a [`Request`], a tokenizer, a [`Memory`]. Out: a [`Context`]: prefix, suffix and items with reasons. Start
//! reading at [`inline_context`].

use crate::cascade::Cascade;
use crate::edits::EditHistory;
use crate::elide::{Block, clamped, elide};
use crate::fit::{Fitted, fit};
use crate::gather::{Candidate, gather, limits};
use crate::memory::{Counter, Last, Memory};
use crate::narrow::narrow;
use crate::neighbours::{CursorHistory, Neighbour, Unfit};
use crate::options::Options;
use crate::suffix::{self, Tokens};
use crate::text::{byte_offset, first_units, is_space, last_units, shared_len, trim_last_line, utf16_len};
use espalier_core::error::Result;
use espalier_core::tokens::Tokenizer;

/// The kind of a provider item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    Snippet,
    Trait,
    Diagnostic,
}

/// Context that a provider found: a language server, a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProviderItem<'a> {
    /// Items with the same id are one item; the first takes effect.
    pub id: &'a str,
    pub kind: ItemKind,
    /// The file of a snippet.
    pub path: Option<&'a str>,
    pub text: &'a str,
    /// Items from 0.7 on are mandatory.
    pub priority: f64,
    /// Multiplies the weight of its kind; from 0 to 1.
    pub weight: f64,
    /// Time of arrival, in milliseconds since the request began; `None` if it has not arrived.
    pub arrived_ms: Option<u64>,
}

/// A request for the context of one completion.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub path: &'a str,
    pub language: &'a str,
    pub text: &'a str,
    /// In UTF-16 code units; an offset beyond the end means the end, one inside a character means its start.
    pub cursor: usize,
    pub neighbours: &'a [Neighbour<'a>],
    pub items: &'a [ProviderItem<'a>],
    pub edits: Option<&'a EditHistory>,
    /// Earlier cursor positions; files visited last are compared first.
    pub visits: Option<&'a CursorHistory>,
    /// Files whose text must not be sent. If the document is one of them, the result has nothing.
    pub excluded: &'a [&'a str],
    /// Milliseconds since the request began.
    pub now_ms: u64,
    /// Maximum UTF-16 code units of neighbours that are newly read, so that a first request stays quick.
    pub fresh_chars: usize,
    pub options: &'a Options,
}

/// The kind of an item in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Marker,
    Trait,
    Diagnostic,
    Snippet,
    SimilarSnippet,
    RecentEdits,
    Neighbour,
}

/// The reason why an item is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Heavier items and the document used the budget.
    NoRoom,
    /// Earlier provider items used the pool.
    PoolUsedUp,
    Duplicate,
    Empty,
    Excluded,
    /// It has not arrived, and there is time left.
    Pending,
    /// It arrived too late, or not at all.
    Late,
    /// The file is excluded.
    Unfit(Unfit),
    /// The file is too large to be compared, or too many files precede it.
    NotCompared,
    /// No part of the file is similar to the text before the cursor.
    NotSimilar,
    /// There was no time to read the file.
    NotReached,
    /// Providers delivered snippets instead.
    SnippetsInstead,
}

/// An item of the report.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub kind: Kind,
    /// The id of a provider item; the path of any other item.
    pub id: String,
    /// The text in the prompt; empty if it is not sent.
    pub text: String,
    pub weight: f64,
    /// True if it is sent without its beginning.
    pub is_cut: bool,
    /// Tokens of the whole item, counted alone; 0 if it was not counted.
    pub tokens: u64,
    /// Lines of a similar snippet, from 0, the end not included, and its score.
    pub lines: Option<(usize, usize)>,
    pub score: Option<f64>,
    /// `None` if it is sent.
    pub dropped: Option<Reason>,
}

/// Tokens of a prompt. `context + prefix + rest_of_line + suffix + free = limit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    pub limit: u64,
    pub context: u64,
    pub prefix: u64,
    pub rest_of_line: u64,
    pub suffix: u64,
    pub free: u64,
    /// Tokens of context and prefix with which the previous request also begins.
    pub shared: u64,
}

/// The context of a completion.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Context {
    /// Text of the document that ends at the cursor, without `trailing`.
    pub prefix: String,
    /// White space of a blank last line, between `prefix` and the cursor.
    pub trailing: String,
    /// Text between the cursor and the end of its line; only the beginning of a long one.
    pub rest_of_line: String,
    /// Text of the document from the line after the cursor on, or the suffix of the previous request.
    pub suffix: String,
    pub is_suffix_reused: bool,
    /// Items that are sent, in prompt order, then those that are not.
    pub items: Vec<Item>,
    pub tokens: Spent,
    /// True if the document is too short for a completion; no other field is set.
    pub is_too_short: bool,
    /// True if the document is one of the excluded files; no other field is set.
    pub is_excluded: bool,
    /// True if an item was pending or not read, so that a later call may return more; `next_ms` is the latest time for
    /// that call, since the request began.
    pub is_partial: bool,
    pub next_ms: Option<u64>,
}

impl Context {
    /// Returns the texts of the items in prompt order, which a host sends before the prefix or separately.
    pub fn context(&self) -> String {
        self.items.iter().map(|item| item.text.as_str()).collect()
    }
}

/// Finds the context of a completion.
///
/// The same request, tokenizer and memory have the same result; nothing reads a clock. The prompt has at most `window -
/// completion` tokens.
///
/// # Errors
/// [`espalier_core::error::Code::BadOption`] for invalid options.
pub fn inline_context<T: Tokens + ?Sized>(
    request: &Request<'_>,
    tokenizer: &T,
    memory: &mut Memory,
) -> Result<Context> {
    let options = request.options;
    let prompt_limit = options.prompt_limit()?;
    if request.excluded.contains(&request.path) {
        return Ok(Context { is_excluded: true, ..Context::default() });
    }
    let (before, after) = request.text.split_at(byte_offset(request.text, request.cursor));
    let behind_line = after.find('\n').map_or("", |feed| after[feed..].trim_start_matches(is_space));
    let has_suffix = options.suffix_share > 0.0 && !behind_line.is_empty();
    let eligible = if options.suffix_share > 0.0 { request.text } else { before };
    // One more, because a character of two units is not split.
    let beginning = first_units(eligible, options.min_chars.saturating_add(1));
    if utf16_len(beginning) < options.min_chars && request.language != "scminput" {
        return Ok(Context { is_too_short: true, ..Context::default() });
    }
    let considered = (options.chars_per_token * prompt_limit as f64) as usize;
    let (prefix, trailing) = trim_last_line(last_units(before, considered));
    let fresh_suffix = if has_suffix { first_units(behind_line, considered) } else { "" };
    let last = memory.last.take().filter(|last| last.path == request.path);
    let reused = last
        .as_ref()
        .filter(|_| has_suffix)
        .and_then(|last| suffix::reuse(&last.suffix, fresh_suffix, tokenizer).map(str::to_string));
    let is_suffix_reused = reused.is_some();
    let suffix = reused.unwrap_or_else(|| fresh_suffix.to_string());
    let counter = Counter { tokenizer, counts: &memory.counts };
    let line = after.split('\n').next().unwrap_or_default();
    let line = first_units(line.strip_suffix('\r').unwrap_or(line), considered);
    let reserved = counter.prefix_within(line, options.reserved_for_line(prompt_limit)).tokens;
    let (limit, suffix_limit) = options.split(prompt_limit - reserved, has_suffix);

    let mut gathered = gather(request, before, limit, &counter, &mut memory.similar);
    if options.exact {
        let candidates = &mut gathered.candidates;
        let room = room_for_context(candidates, options, (limit, suffix_limit), prefix, &suffix, &counter);
        narrow(candidates, before, room, &limits(request), &counter);
    }
    let costs: Vec<u64> = gathered.candidates.iter().map(|candidate| counter.count(&candidate.text)).collect();
    let long = LongPrefix { prefix, before, trailing, slack: options.stable_slack, last: last.as_ref() };
    let mut blocks: Vec<Block<'_>> = (gathered.candidates.iter())
        .map(|candidate| Block {
            value: &candidate.text,
            weight: clamped(candidate.weight),
            chunks: candidate.chunk.iter().map(String::as_str).collect(),
        })
        .collect();
    blocks.push(Block { value: prefix, weight: 1.0, chunks: Vec::new() });
    let room = limit.saturating_add(suffix_limit);
    let fitted = match &options.cascade {
        None => {
            let reserved = costs.iter().sum::<u64>().min((options.context_share * limit as f64) as u64);
            fit_by_weights(&mut blocks, &long, (limit, suffix_limit), reserved, &suffix, options, &counter)
        }
        Some(shares) => {
            let is_volatile: Vec<bool> =
                gathered.candidates.iter().map(|candidate| candidate.kind == Kind::RecentEdits).collect();
            let (is_volatile, goes_round) = (&is_volatile, options.exact);
            let cascade =
                Cascade { blocks: &blocks, is_volatile, suffix: &suffix, shares, counter: &counter, goes_round };
            fit(&blocks, (room, room), options.exact, &counter, |limit| {
                cascade.fit(limit, |room| if options.stable_slack > 0 { long.cut(room, &counter) } else { prefix })
            })
        }
    };
    let Fitted { mut elided, text: kept, tokens } = fitted?;
    let prefix = elided.kept.last().copied().unwrap_or_default().to_string();
    let prefix_tokens = counter.count(&prefix).min(tokens);
    let mut items: Vec<Item> = Vec::new();
    for ((candidate, kept), tokens) in gathered.candidates.iter().zip(&elided.kept).zip(costs) {
        items.push(candidate.item(kept, tokens));
    }
    items.sort_by_key(|item| item.dropped.is_some());
    items.extend(gathered.dropped);
    let shared = last.map_or(0, |last| {
        let equal = shared_len(last.prompt.as_bytes(), kept.as_bytes());
        counter.count(&kept[..kept.floor_char_boundary(equal)])
    });
    let line_room = prompt_limit.saturating_sub(tokens + elided.suffix_tokens);
    let line_fit = counter.prefix_within(line, line_room);
    let mut free = line_room - line_fit.tokens;
    // The suffix gets what an item left that had no room. Shares are not exceeded, nor is the reference's suffix.
    if options.exact && options.cascade.is_none() && has_suffix && elided.suffix.len() < suffix.len() {
        let longer = elided.suffix_tokens + free.saturating_sub(options.suffix_reserve);
        let suffix_fit = counter.prefix_within(&suffix, longer);
        if suffix_fit.tokens > elided.suffix_tokens {
            free -= suffix_fit.tokens - elided.suffix_tokens;
            (elided.suffix, elided.suffix_tokens) = (&suffix[..suffix_fit.offset], suffix_fit.tokens);
        }
    }
    let spent = Spent {
        limit: prompt_limit,
        context: tokens - prefix_tokens,
        prefix: prefix_tokens,
        rest_of_line: line_fit.tokens,
        suffix: elided.suffix_tokens,
        free,
        shared,
    };
    let sent_suffix = elided.suffix.to_string();
    let start = before.len() - trailing.len() - prefix.len();
    let is_partial = gathered.next_ms.is_some() || items.iter().any(|item| item.dropped == Some(Reason::NotReached));
    memory.last = Some(Last { path: request.path.to_string(), suffix, prefix: prefix.clone(), start, prompt: kept });
    Ok(Context {
        prefix,
        trailing: trailing.to_string(),
        rest_of_line: line[..line_fit.offset].to_string(),
        suffix: sent_suffix,
        is_suffix_reused,
        items,
        tokens: spent,
        is_too_short: false,
        is_excluded: false,
        is_partial,
        next_ms: gathered.next_ms,
    })
}

/// Steps of the room beside a short document, in tokens. It shrinks with each keystroke; a snippet that followed would
/// change the beginning of each prompt.
const ROOM_STEP: u64 = 64;

/// Returns the tokens that context has beside the document: its share, or what a short document leaves. By shares,
/// edits have their own.
fn room_for_context<T: Tokenizer>(
    candidates: &[Candidate],
    options: &Options,
    (limit, suffix_limit): (u64, u64),
    prefix: &str,
    suffix: &str,
    counter: &T,
) -> u64 {
    let room = limit.saturating_add(suffix_limit);
    let share = match &options.cascade {
        None => options.context_share * limit as f64,
        Some(shares) => {
            let edits = candidates.iter().filter(|candidate| candidate.kind == Kind::RecentEdits);
            shares.stable * room as f64 + edits.map(|edits| counter.count(&edits.text)).sum::<u64>() as f64
        }
    };
    let document = counter.count(prefix).saturating_add(counter.prefix_within(suffix, suffix_limit).tokens);
    (share as u64).max(room.saturating_sub(document) / ROOM_STEP * ROOM_STEP)
}

/// Fits a prompt by weights. The last of `blocks` gets a prefix that leaves `reserved` tokens to context, then more of
/// it if context does not use them.
fn fit_by_weights<'a, T: Tokenizer>(
    blocks: &mut [Block<'a>],
    long: &LongPrefix<'a, '_>,
    (limit, suffix_limit): (u64, u64),
    reserved: u64,
    suffix: &'a str,
    options: &Options,
    counter: &T,
) -> Result<Fitted<'a>> {
    let room = limit.saturating_add(suffix_limit);
    let mut run = |prefix: &'a str| {
        if let Some(last) = blocks.last_mut() {
            last.value = prefix;
        }
        fit(blocks, (limit, room), options.exact, counter, |limit| elide(blocks, limit, suffix, suffix_limit, counter))
    };
    if options.context_share <= 0.0 {
        return run(long.prefix);
    }
    let first_room = limit.saturating_sub(reserved).max(1);
    let first = long.cut(first_room, counter);
    let fitted = run(first)?;
    let free = room.saturating_sub(fitted.tokens + fitted.elided.suffix_tokens);
    let kept = counter.count(fitted.elided.kept.last().copied().unwrap_or_default());
    // Tokens that the context and the suffix did not use.
    let second_room = kept.saturating_add(free);
    if first.len() == long.prefix.len() || second_room <= first_room {
        return Ok(fitted);
    }
    let longer = run(long.cut(second_room, counter))?;
    Ok(if longer.tokens > fitted.tokens { longer } else { fitted })
}

/// A prefix that may have to be cut.
struct LongPrefix<'a, 'b> {
    prefix: &'a str,
    /// The text before the cursor, and the end of it that is not part of the prefix.
    before: &'a str,
    trailing: &'a str,
    /// Additional tokens by which it is shortened.
    slack: u64,
    last: Option<&'b Last>,
}

impl<'a> LongPrefix<'a, '_> {
    /// Returns the additional tokens by which a prefix for `room` is shortened.
    fn slack_of(&self, room: u64) -> u64 {
        self.slack.min(room / 8)
    }

    /// Returns an end of the prefix with approximately `room` tokens, from the line at which the last request began if
    /// that still fits.
    fn cut<T: Tokenizer>(&self, room: u64, counter: &T) -> &'a str {
        let LongPrefix { prefix, before, trailing, slack, last } = *self;
        let mut lines = Vec::new();
        let mut total = 0;
        crate::text::lines_with_feeds(prefix, |line| {
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
