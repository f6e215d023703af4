//! Adds the most informative sentences of removed messages in front of the user's first text in the request.
//!
//! In: a draft after the cut, the free room, and a function that chooses sentences ([`Excerpt`]). Out: a [`Note`].
//! Removed messages stay removed: no message is rebuilt from sentences.

use super::is_prune_rule;
use super::note::Note;
use crate::history::draft::{Draft, Entry};
use crate::history::plan::Becomes;
use crate::history::plan::Fate;
use crate::message::{Part, Role};
use crate::tokens::Tokenizer;
use crate::validity::pairs::recall_id;

/// Cuts texts, oldest first, to their best whole sentences within a total number of tokens. Returns `None` for a text
/// without a chosen sentence.
pub type Excerpt = fn(&[&str], u64, &dyn Tokenizer) -> Vec<Option<String>>;

/// Options for sentences of removed messages.
#[derive(Debug, Clone, Copy)]
pub struct Sentences {
    /// Share of the limit reserved for sentences. They may also use room that is too small for another message.
    pub share: f64,
    pub excerpt: Excerpt,
}

/// Attempts to choose sentences again because the note was too long.
const ATTEMPTS: usize = 8;
/// A note is not worth fewer tokens than this.
const LEAST: u64 = 24;

/// Adds the note, if there is anything to say and room for it within `limit`.
pub(super) fn add(draft: &mut Draft, sentences: &Sentences, limit: u64) -> Option<Note> {
    let says = |part: &Part| matches!(part, Part::Text { text } if !text.trim().is_empty());
    let speaks = |entry: &Entry| entry.message.role == Role::User && entry.message.parts.iter().any(says);
    let at = draft.entries.iter().position(|entry| entry.is_in() && speaks(entry))?;
    let is_gone =
        |entry: &&Entry| !entry.is_new && entry.fate == Fate::Dropped && entry.rule.is_some_and(is_prune_rule);
    let gone = || draft.entries.iter().filter(is_gone);
    let id = |entry: &Entry| recall_id(&entry.message).to_string();
    let (first, last) = (id(gone().next()?), id(gone().next_back()?));
    let count = gone().count();
    let said: Vec<(Role, String)> = gone()
        .filter(|entry| matches!(entry.message.role, Role::User | Role::Assistant))
        .map(|entry| (entry.message.role, entry.message.text()))
        .filter(|(_, text)| !text.trim().is_empty())
        .collect();
    let texts: Vec<&str> = said.iter().map(|(_, text)| text.as_str()).collect();
    let range = if first == last { first } else { format!("{first}..{last}") };
    let messages = if count == 1 { "message was" } else { "messages were" };
    let head = format!("[{count} {messages} left out; recall {range}. From them:");
    let mut room = limit.checked_sub(draft.total() + draft.meter.text(&head)).filter(|room| *room >= LEAST)?;
    let before = draft.entries[at].clone();
    for _ in 0..ATTEMPTS {
        let chosen = (sentences.excerpt)(&texts, room, draft.meter.tokenizer);
        let mut text = head.clone();
        for ((role, _), chosen) in said.iter().zip(chosen) {
            let Some(chosen) = chosen else { continue };
            text.push('\n');
            text.push_str(role.as_str());
            text.push_str(": ");
            text.push_str(&chosen.replace(['\n', '\r'], " "));
        }
        if text.len() == head.len() {
            return None;
        }
        text.push(']');
        let mut is_first = true;
        let tokens = draft.annotate(at, "sentences", |part| match part {
            Part::Text { text: own } if is_first && !own.trim().is_empty() => {
                is_first = false;
                Some(Becomes::text(format!("{text}\n{own}")))
            }
            _ => None,
        });
        let over = draft.total().saturating_sub(limit);
        if over == 0 {
            return Some(Note { id: before.message.id.clone(), text, tokens });
        }
        draft.entries[at] = before.clone();
        room = room.checked_sub(over + over / 8 + 1)?;
    }
    None
}
