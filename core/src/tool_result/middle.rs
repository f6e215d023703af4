//! Head and tail of a text, with a marker between them.

use std::ops::Range;

use super::errors;
use super::heading::heading;
use super::seam::{Snap, end_of_head, start_of_tail};
use super::{HEAD_SHARE, Keep};
use crate::tokens::{Fit, Tokenizer};

/// The marker for missing text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker<'a> {
    /// `[cut: 1,234 lines, 15,678 tokens; recall r12]`, with the handle of the whole text; without the handle if
    /// `recall` is empty.
    Counts { recall: &'a str },
    /// The host's own words.
    Own(&'a str),
}

/// The marker if there is no room for the full one.
const BRIEF: &str = "[cut]";

/// Options of cutting the middle out of a text.
#[derive(Debug, Clone, Copy)]
pub struct Cutting<'a> {
    /// Maximum tokens of the result, marker included.
    pub limit: u64,
    /// Share of the head, 0 to 1.
    pub head_share: f64,
    pub snap: Snap,
    pub keep: Keep,
    pub marker: Marker<'a>,
}

/// A shortened text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortened {
    /// Head, marker and tail, within the limit.
    pub text: String,
    /// Tokens of `text`.
    pub tokens: u64,
    /// Tokens missing from it, by the count of the whole text.
    pub cut: u64,
    /// Number of missing line ends.
    pub lines: usize,
    /// Number of error lines kept from the middle.
    pub errors: usize,
}

/// Shortens `text` to at most `limit` tokens, marker included; `None` if it already fits. `recall` is the handle of the
/// whole text. If not even the marker fits, the result is empty.
///
/// ```
/// use espalier::tokens::Tokenizer;
/// use espalier::tool_result::shorten;
/// struct Words;
/// impl Tokenizer for Words {
///     fn count(&self, text: &str) -> u64 {
///         text.split_whitespace().count() as u64
///     }
/// }
/// let log = (0..100).map(|i| format!("line {i}\n")).collect::<String>();
/// let short = shorten(&log, 30, "m4", &Words).unwrap();
/// assert!(short.tokens <= 30 && short.text.starts_with("line 0\n") && short.text.ends_with("line 99\n"));
/// assert!(shorten("short", 30, "m4", &Words).is_none());
/// ```
pub fn shorten(text: &str, limit: u64, recall: &str, tokenizer: &dyn Tokenizer) -> Option<Shortened> {
    let whole = tokenizer.count(text);
    let marker = Marker::Counts { recall };
    let cutting = Cutting { limit, head_share: HEAD_SHARE, snap: Snap::Lines, keep: Keep::Ends, marker };
    (whole > limit).then(|| cut(text, whole, cutting, tokenizer))
}

/// Maximum number of repeated cuts that use unused room or reduce an excess: counts of pieces do not add up exactly.
const ROUNDS: usize = 8;

/// Cuts the middle out of a text of `whole` tokens, which exceeds the limit.
pub fn cut(text: &str, whole: u64, cutting: Cutting, tokenizer: &dyn Tokenizer) -> Shortened {
    let Cutting { limit, marker, .. } = cutting;
    let longest = marker_text(marker, whole, text.len());
    let reserve = tokenizer.count(&longest) + 2;
    if reserve > limit {
        return cut_without_room(whole, text, cutting, tokenizer);
    }
    let errors = if cutting.keep == Keep::Errors { errors::find(text) } else { Vec::new() };
    let mut room = limit - reserve;
    let mut best: Option<Shortened> = None;
    for round in 0..ROUNDS {
        let made = assemble(text, whole, room, cutting, &errors, tokenizer);
        if made.tokens <= limit {
            let unused = limit - made.tokens;
            let better = best.as_ref().is_none_or(|best| made.tokens > best.tokens);
            if better {
                best = Some(made);
            }
            // Snapping leaves some room on purpose; only room that the marker did not need is reused.
            if !better || unused == 0 || cutting.snap == Snap::Lines {
                break;
            }
            room += unused;
        } else if best.is_some() {
            break;
        } else {
            // A name before the tail stays as long as it is, however little the room: the steps grow.
            room = room.saturating_sub((made.tokens - limit).max(1 << round));
        }
    }
    best.unwrap_or_else(|| cut_without_room(whole, text, cutting, tokenizer))
}

/// Handles limits with no room for the marker.
fn cut_without_room(whole: u64, text: &str, cutting: Cutting, tokenizer: &dyn Tokenizer) -> Shortened {
    let brief = tokenizer.count(BRIEF);
    let lines = text.matches('\n').count();
    if brief > cutting.limit {
        return Shortened { text: String::new(), tokens: 0, cut: whole, lines, errors: 0 };
    }
    let fit = tokenizer.suffix_within(text, cutting.limit - brief);
    let tail = &text[start_of_tail(text, fit.offset, Snap::Characters)..];
    let made = format!("{BRIEF}{tail}");
    let tokens = tokenizer.count(&made);
    if tokens <= cutting.limit {
        let cut = whole.saturating_sub(tokens.saturating_sub(brief));
        return Shortened { text: made, tokens, cut, lines: lines - tail.matches('\n').count(), errors: 0 };
    }
    Shortened { text: BRIEF.into(), tokens: brief, cut: whole, lines, errors: 0 }
}

fn assemble(
    text: &str,
    whole: u64,
    room: u64,
    cutting: Cutting,
    errors: &[Range<usize>],
    tokenizer: &dyn Tokenizer,
) -> Shortened {
    let Cutting { head_share, snap, marker, .. } = cutting;
    let for_errors = if errors.is_empty() { 0 } else { room / errors::SHARE };
    let room = room - for_errors;
    let ends = |room: u64| {
        let (end, used) = head_within(text, (room as f64 * head_share.clamp(0.0, 1.0)) as u64, snap, tokenizer);
        let rest = &text[end..];
        (end, end + start_of_tail(rest, tokenizer.suffix_within(rest, room - used).offset, snap))
    };
    // Error lines that are neither in the head nor in the tail.
    let between = |end: usize, start: usize| {
        let from = errors.partition_point(|line| line.start < end);
        let to = errors.partition_point(|line| line.end <= start);
        &errors[from..to.max(from)]
    };
    let (mut end, mut start) = ends(room);
    let mut kept = errors::select(text, between(end, start), end, for_errors, tokenizer);
    if kept.room < for_errors {
        // Room that error lines do not use goes to the ends.
        (end, start) = ends(room + for_errors - kept.room);
        kept = errors::select(text, between(end, start), end, kept.room, tokenizer);
    }
    joined(text, whole, end..start, &kept, (snap, marker), tokenizer)
}

fn head_within(text: &str, max: u64, snap: Snap, tokenizer: &dyn Tokenizer) -> (usize, u64) {
    let Fit { offset, .. } = tokenizer.prefix_within(text, max);
    let end = end_of_head(text, offset, snap);
    (end, tokenizer.count(&text[..end]))
}

fn joined(
    text: &str,
    whole: u64,
    middle: Range<usize>,
    kept: &errors::Kept,
    (snap, marker): (Snap, Marker),
    tokenizer: &dyn Tokenizer,
) -> Shortened {
    let Range { start: end, end: start } = middle;
    let start = match snap {
        // Blank lines say nothing behind a marker, and have no heading.
        Snap::Lines => past_blank(text, with_heading(text, start).max(end).max(kept.end)),
        Snap::Characters => start,
    };
    let (head, tail) = (&text[..end], &text[start..]);
    let ends = tokenizer.count(head) + tokenizer.count(tail);
    // The tail may be part of what only the middle names.
    let is_shown = |name: &Range<usize>| name.end <= end || kept.heading == Some(name.start);
    let name =
        heading(text, start).filter(|name| snap == Snap::Lines && !is_shown(name)).map_or("", |name| &text[name]);
    let cut = whole.saturating_sub(ends + kept.tokens + tokenizer.count(name));
    let shown = kept.lines + kept.headings + usize::from(!name.is_empty());
    let lines = text[end..start].matches('\n').count().saturating_sub(shown);
    let mut out = String::with_capacity(head.len() + tail.len() + kept.text.len() + 64);
    out.push_str(head);
    if !head.is_empty() && !head.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(&marker_text(marker, cut, lines));
    if !kept.text.is_empty() {
        out.push('\n');
        out.push_str(&kept.text);
        if text[kept.end..start].trim_end_matches('\r') != "\n" {
            out.push('\n');
            out.push_str(errors::GAP);
        }
    }
    if !name.is_empty() {
        out.push('\n');
        out.push_str(name);
    }
    if !tail.is_empty() {
        out.push('\n');
    }
    out.push_str(tail);
    let tokens = tokenizer.count(&out);
    Shortened { text: out, tokens, cut, lines, errors: kept.lines }
}

/// Returns the start of the first line with content from `start` on, where a line begins; `start` if there is none.
fn past_blank(text: &str, start: usize) -> usize {
    let blank = text[start..].len() - text[start..].trim_start().len();
    let lines = text[start..start + blank].rfind('\n').filter(|_| start == 0 || text[..start].ends_with('\n'));
    lines.filter(|_| start + blank < text.len()).map_or(start, |end| start + end + 1)
}

/// Returns the start of a tail, moved to the start of its first line if that is the heading of the next.
fn with_heading(text: &str, start: usize) -> usize {
    let begin = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let next = text[start..].find('\n').map(|end| start + end + 1).and_then(|next| heading(text, next));
    if next.is_some_and(|name| name.start == begin) { begin } else { start }
}

fn marker_text(marker: Marker, tokens: u64, lines: usize) -> String {
    let recall = match marker {
        Marker::Own(text) => return text.to_string(),
        Marker::Counts { recall: "" } => String::new(),
        Marker::Counts { recall } => format!("; recall {recall}"),
    };
    match lines {
        0 => format!("[cut: {} tokens{recall}]", grouped(tokens)),
        _ => format!("[cut: {} lines, {} tokens{recall}]", grouped(lines as u64), grouped(tokens)),
    }
}

/// Formats a number with a comma at every thousand.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + 6);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
