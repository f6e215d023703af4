//! Shortens similar snippets to the room that the prompt has for them.
//!
//! A window of 60 lines has about 500 tokens. In a small prompt the best one often has no room, and a worse one that
//! happens to be shorter would be sent in its place. Start reading at [`narrow`].

use crate::context::Kind;
use crate::gather::Candidate;
use crate::similar::{SimilarOptions, hash, reference_words};
use crate::words::words;
use espalier_core::map::HashSet;
use espalier_core::tokens::Tokenizer;

/// Minimum lines of a shortened snippet: fewer show too little.
const MIN_LINES: usize = 5;

/// Shortens similar snippets, the best first, to the lines that share the most words with the end of `before`, until
/// all of `candidates` have at most `room` tokens. Snippets beyond that stay whole, and have no room.
pub(crate) fn narrow<T: Tokenizer + ?Sized>(
    candidates: &mut [Candidate],
    before: &str,
    room: u64,
    limits: &SimilarOptions,
    tokenizer: &T,
) {
    let is_similar = |candidate: &&mut Candidate| candidate.kind == Kind::SimilarSnippet;
    let mut left = room;
    for candidate in candidates.iter().filter(|candidate| candidate.kind != Kind::SimilarSnippet) {
        left = left.saturating_sub(tokenizer.count(&candidate.text));
    }
    let mut reference = None;
    for candidate in candidates.iter_mut().rev().filter(is_similar) {
        let mut tokens = tokenizer.count(&candidate.text);
        if tokens > left {
            let reference = reference.get_or_insert_with(|| reference_words(before, limits));
            if let Some(shorter) = shortened(candidate, left, reference, limits, tokenizer) {
                tokens = shorter.tokens;
                (candidate.text, candidate.lines) = (shorter.text, Some(shorter.lines));
            }
        }
        left = left.saturating_sub(tokens);
    }
}

/// A snippet with fewer lines.
struct Shorter {
    text: String,
    /// Its lines in the file.
    lines: (usize, usize),
    tokens: u64,
}

/// Returns a snippet that fits into `room`; none if too few lines would.
fn shortened<T: Tokenizer + ?Sized>(
    candidate: &Candidate,
    room: u64,
    reference: &HashSet<u64>,
    limits: &SimilarOptions,
    tokenizer: &T,
) -> Option<Shorter> {
    let (first, _) = candidate.lines?;
    let (head, body) = candidate.text.split_at(candidate.text.find('\n')? + 1);
    let lines: Vec<&str> = body.split_inclusive('\n').collect();
    let costs: Vec<u64> = lines.iter().map(|line| tokenizer.count(line)).collect();
    let (start, mut end) = best_lines(&lines, &costs, room.checked_sub(tokenizer.count(head))?, reference, limits)?;
    loop {
        if end < start + MIN_LINES {
            return None;
        }
        let text = format!("{head}{}", lines[start..end].concat());
        let tokens = tokenizer.count(&text);
        if tokens <= room {
            return Some(Shorter { text, lines: (first + start, first + end), tokens });
        }
        // Lines can have a token more together than apart.
        end -= 1;
    }
}

/// Returns the consecutive lines within `room` that share the most distinct words with the reference, and as many
/// lines after and before them as fit.
fn best_lines(
    lines: &[&str],
    costs: &[u64],
    room: u64,
    reference: &HashSet<u64>,
    limits: &SimilarOptions,
) -> Option<(usize, usize)> {
    // The shared words as numbers: a snippet has few.
    let mut known: Vec<u64> = Vec::new();
    let mut shared: Vec<Vec<usize>> = Vec::new();
    for line in lines {
        let mut found = Vec::new();
        words(line, limits.alphabet, |word| {
            let word = hash(word);
            if reference.contains(&word) {
                found.push(known.iter().position(|one| *one == word).unwrap_or_else(|| {
                    known.push(word);
                    known.len() - 1
                }));
            }
        });
        shared.push(found);
    }
    let mut counts = vec![0u32; known.len()];
    let (mut start, mut tokens, mut distinct, mut most) = (0, 0, 0, 0);
    let mut best = None;
    for end in 0..lines.len() {
        tokens += costs[end];
        for &word in &shared[end] {
            distinct += usize::from(counts[word] == 0);
            counts[word] += 1;
        }
        while tokens > room {
            tokens -= costs[start];
            for &word in &shared[start] {
                counts[word] -= 1;
                distinct -= usize::from(counts[word] == 0);
            }
            start += 1;
        }
        if distinct > most {
            most = distinct;
            best = Some((start, end + 1, tokens));
        }
    }
    let (mut start, mut end, mut tokens) = best?;
    while end < lines.len() && tokens + costs[end] <= room {
        tokens += costs[end];
        end += 1;
    }
    while start > 0 && tokens + costs[start - 1] <= room {
        start -= 1;
        tokens += costs[start];
    }
    Some((start, end))
}
