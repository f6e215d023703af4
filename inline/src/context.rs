//! The one call for a request.
//!
//! In: a [`Request`], a tokenizer, a [`Memory`]. Out: a [`Context`]: prefix, suffix and items with reasons. Start
//! reading at [`inline_context`].

use crate::cascade::Cascade;
use crate::edits::EditHistory;
use crate::elide::{Block, Elided, clamped, elide};
use crate::fit::{Fitted, fit};
use crate::gather::{self, Candidate, gather};
use crate::memory::{Counter, Last, Memory};
use crate::narrow::narrow;
use crate::neighbours::{CursorHistory, Neighbour, Unfit};
use crate::options::Options;
use crate::prefix::LongPrefix;
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
    let Some(around) = Around::of(request, prompt_limit) else {
        return Ok(Context { is_too_short: true, ..Context::default() });
    };
    let last = memory.last.take().filter(|last| last.path == request.path);
    let reused = last
        .as_ref()
        .filter(|_| around.has_suffix)
        .and_then(|last| suffix::reuse(&last.suffix, around.suffix, tokenizer).map(str::to_string));
    let is_suffix_reused = reused.is_some();
    let suffix = reused.unwrap_or_else(|| around.suffix.to_string());
    let counter = Counter { tokenizer, counts: &memory.counts };
    let reserved = counter.prefix_within(around.line, options.reserved_for_line(prompt_limit)).tokens;
    let limits = options.split(prompt_limit - reserved, around.has_suffix);

    let mut gathered = gather(request, around.before, limits.0, &counter, &mut memory.similar);
    if options.exact {
        let candidates = &mut gathered.candidates;
        let room = room_for_context(candidates, options, limits, around.prefix, &suffix, &counter);
        narrow(candidates, around.before, room, &gather::limits(request), &counter);
    }
    let costs: Vec<u64> = gathered.candidates.iter().map(|candidate| counter.count(&candidate.text)).collect();
    let Around { prefix, before, trailing, .. } = around;
    let long = LongPrefix { prefix, before, trailing, slack: options.stable_slack, last: last.as_ref() };
    let fitted = fit_prompt(&gathered.candidates, &costs, &long, limits, &suffix, options, &counter)?;
    let Fitted { mut elided, text: prompt, tokens } = fitted;

    let prefix = elided.kept.last().copied().unwrap_or_default().to_string();
    let prefix_tokens = counter.count(&prefix).min(tokens);
    let mut items: Vec<Item> = Vec::new();
    for ((candidate, kept), tokens) in gathered.candidates.iter().zip(&elided.kept).zip(costs) {
        items.push(candidate.item(kept, tokens));
    }
    items.sort_by_key(|item| item.dropped.is_some());
    items.extend(gathered.dropped);
    let shared = last.map_or(0, |last| {
        let equal = shared_len(last.prompt.as_bytes(), prompt.as_bytes());
        counter.count(&prompt[..prompt.floor_char_boundary(equal)])
    });
    let line_room = prompt_limit.saturating_sub(tokens + elided.suffix_tokens);
    let line = counter.prefix_within(around.line, line_room);
    let mut free = line_room - line.tokens;
    // Shares are not exceeded, nor is the reference's suffix.
    if options.exact && options.cascade.is_none() && around.has_suffix {
        free -= lengthen_suffix(&mut elided, &suffix, free.saturating_sub(options.suffix_reserve), &counter);
    }
    let spent = Spent {
        limit: prompt_limit,
        context: tokens - prefix_tokens,
        prefix: prefix_tokens,
        rest_of_line: line.tokens,
        suffix: elided.suffix_tokens,
        free,
        shared,
    };
    let sent_suffix = elided.suffix.to_string();
    let start = before.len() - trailing.len() - prefix.len();
    let is_partial = gathered.next_ms.is_some() || items.iter().any(|item| item.dropped == Some(Reason::NotReached));
    memory.last = Some(Last { path: request.path.to_string(), suffix, prefix: prefix.clone(), start, prompt });
    Ok(Context {
        prefix,
        trailing: trailing.to_string(),
        rest_of_line: around.line[..line.offset].to_string(),
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

/// The document around the cursor, cut to what a prompt may hold.
struct Around<'a> {
    /// All text before the cursor.
    before: &'a str,
    /// The end of that text, without `trailing`.
    prefix: &'a str,
    /// White space of a blank last line.
    trailing: &'a str,
    /// The rest of the cursor's line.
    line: &'a str,
    /// The text from the next line on; empty without `has_suffix`.
    suffix: &'a str,
    has_suffix: bool,
}

impl<'a> Around<'a> {
    /// Returns nothing for a document that is too short for a completion.
    fn of(request: &Request<'a>, prompt_limit: u64) -> Option<Around<'a>> {
        let Request { text, options, .. } = *request;
        let (before, after) = text.split_at(byte_offset(text, request.cursor));
        let behind_line = after.find('\n').map_or("", |feed| after[feed..].trim_start_matches(is_space));
        let sends_suffix = options.suffix_share > 0.0;
        let eligible = if sends_suffix { text } else { before };
        // One more, because a character of two units is not split.
        let beginning = first_units(eligible, options.min_chars.saturating_add(1));
        if utf16_len(beginning) < options.min_chars && request.language != "scminput" {
            return None;
        }
        let considered = (options.chars_per_token * prompt_limit as f64) as usize;
        let (prefix, trailing) = trim_last_line(last_units(before, considered));
        let line = after.split('\n').next().unwrap_or_default();
        let line = first_units(line.strip_suffix('\r').unwrap_or(line), considered);
        let has_suffix = sends_suffix && !behind_line.is_empty();
        let suffix = if has_suffix { first_units(behind_line, considered) } else { "" };
        Some(Around { before, prefix, trailing, line, suffix, has_suffix })
    }
}

/// Fits the candidates, the prefix and the suffix into a prompt.
fn fit_prompt<'a, T: Tokenizer>(
    candidates: &'a [Candidate],
    costs: &[u64],
    long: &LongPrefix<'a, '_>,
    limits: (u64, u64),
    suffix: &'a str,
    options: &Options,
    counter: &T,
) -> Result<Fitted<'a>> {
    let mut blocks: Vec<Block<'_>> = (candidates.iter())
        .map(|candidate| Block {
            value: &candidate.text,
            weight: clamped(candidate.weight),
            chunks: candidate.chunk.iter().map(String::as_str).collect(),
        })
        .collect();
    blocks.push(Block { value: long.prefix, weight: 1.0, chunks: Vec::new() });
    let Some(shares) = &options.cascade else {
        let reserved = costs.iter().sum::<u64>().min((options.context_share * limits.0 as f64) as u64);
        return fit_by_weights(&mut blocks, long, limits, reserved, suffix, options, counter);
    };
    let room = limits.0.saturating_add(limits.1);
    let is_volatile: Vec<bool> = candidates.iter().map(|candidate| candidate.kind == Kind::RecentEdits).collect();
    let (is_volatile, goes_round) = (&is_volatile, options.exact);
    let cascade = Cascade { blocks: &blocks, is_volatile, suffix, shares, counter, goes_round };
    fit(&blocks, (room, room), options.exact, counter, |limit| {
        cascade.fit(limit, |room| if options.stable_slack > 0 { long.cut(room, counter) } else { long.prefix })
    })
}

/// Gives the suffix the tokens that an item left which had no room. Returns how many it took.
fn lengthen_suffix<'a, T: Tokenizer>(elided: &mut Elided<'a>, suffix: &'a str, free: u64, counter: &T) -> u64 {
    if elided.suffix.len() >= suffix.len() {
        return 0;
    }
    let longer = counter.prefix_within(suffix, elided.suffix_tokens + free);
    let more = longer.tokens.saturating_sub(elided.suffix_tokens);
    if more > 0 {
        (elided.suffix, elided.suffix_tokens) = (&suffix[..longer.offset], longer.tokens);
    }
    more
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
