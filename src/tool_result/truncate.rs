//! Head and tail of a text within a token limit, cut at line ends where there are any.

use crate::tokens::Tokenizer;

/// Share of what is kept that goes to the head; the rest is tail.
pub const HEAD_SHARE: f64 = 0.4;

/// Longer lines are cut inside, in pieces of about this many bytes.
const LONG_LINE: usize = 400;

/// A shortened text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortened {
    /// Head, marker and tail; never more than the limit.
    pub text: String,
    /// Tokens of `text`.
    pub tokens: u64,
    /// Tokens that are missing from it, by the count of the whole.
    pub cut: u64,
}

/// Shortens `text` to at most `limit` tokens, marker included; `None` if it has no more than that already.
/// `recall` names where the whole text is. If not even the marker fits the result is empty.
///
/// ```
/// use espalier::tokens::Tokenizer;
/// use espalier::tool_result::truncate::shorten;
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
    if whole <= limit {
        return None;
    }
    let marker = |missing: u64, lines: usize| {
        if lines > 0 {
            format!("[cut: {lines} lines, {missing} tokens; recall {recall}]\n")
        } else {
            format!("[cut: {missing} tokens; recall {recall}]")
        }
    };
    // The marker with the largest numbers it can have, and a line break before it.
    let room = limit.saturating_sub(tokenizer.count(&marker(whole, text.len())) + 2);
    let pieces = pieces(text);
    let sizes: Vec<u64> = pieces.iter().map(|piece| tokenizer.count(piece)).collect();
    let (mut head, mut tail) = split(&sizes, room);
    loop {
        let start: usize = pieces[..head].iter().map(|p| p.len()).sum();
        let end: usize = pieces[tail..].iter().map(|p| p.len()).sum();
        let missing = &text[start..text.len() - end];
        let missing_tokens = tokenizer.count(missing);
        let between = if start > 0 && !text[..start].ends_with('\n') { "\n" } else { "" };
        let out = format!(
            "{}{between}{}{}",
            &text[..start],
            marker(missing_tokens, missing.matches('\n').count()),
            &text[text.len() - end..]
        );
        let tokens = tokenizer.count(&out);
        if tokens <= limit {
            return Some(Shortened { text: out, tokens, cut: missing_tokens });
        }
        // Counts of pieces do not add up exactly; give way at the seam until the whole fits.
        if head > 0 && (head >= pieces.len() - tail || tail == pieces.len()) {
            head -= 1;
        } else if tail < pieces.len() {
            tail += 1;
        } else {
            return Some(Shortened { text: String::new(), tokens: 0, cut: whole });
        }
    }
}

/// Lines with their ends; long lines in pieces, cut at a space where one is near.
fn pieces(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while rest.len() > LONG_LINE {
            let mut at = rest[..rest.floor_char_boundary(LONG_LINE)].rfind(' ').map_or(0, |space| space);
            if at < LONG_LINE / 2 {
                at = rest.floor_char_boundary(LONG_LINE);
            }
            let (piece, more) = rest.split_at(at);
            out.push(piece);
            rest = more;
        }
        out.push(rest);
    }
    out
}

/// How many pieces the head has, and where the tail begins, if all of them may have `room` tokens.
fn split(sizes: &[u64], room: u64) -> (usize, usize) {
    let for_head = (room as f64 * HEAD_SHARE) as u64;
    let (mut head, mut used) = (0, 0);
    while head < sizes.len() && used + sizes[head] <= for_head {
        used += sizes[head];
        head += 1;
    }
    let mut tail = sizes.len();
    while tail > head && used + sizes[tail - 1] <= room {
        used += sizes[tail - 1];
        tail -= 1;
    }
    // What the tail could not use goes to the head.
    while head < tail && used + sizes[head] <= room {
        used += sizes[head];
        head += 1;
    }
    (head, tail)
}
