//! The thought that a turn continues from, if its message is removed inside that turn: providers that sign thoughts
//! refuse calls of a turn that does not begin with one.

use super::draft::{Draft, Entry};
use super::edit::Thinking;
use super::group::has_words;
use crate::map::{HashMap, HashSet};
use crate::message::{Part, Role};

/// Returns the last thought of removed messages in the turn in which they end, its destination, and the tokens that it
/// adds there. `None` if the first remaining calls of the turn have their own. `whole` has all messages, `shown` the
/// remaining ones; thoughts of the messages `except` stay where they are.
pub fn last_thought(
    whole: &Draft,
    shown: &Draft,
    is_gone: impl Fn(&str) -> bool,
    except: &HashSet<String>,
) -> Option<(Thinking, u64)> {
    let id = |at: usize| whole.entries[at].message.id.as_str();
    let asks = |at: &usize| asks(&whole.entries[*at]);
    let last = (0..whole.entries.len()).rev().find(|&at| is_gone(id(at)))?;
    let start = (0..=last).rev().find(asks).map_or(0, |at| at + 1);
    let end = (last + 1..whole.entries.len()).find(asks).unwrap_or(whole.entries.len());
    let stays: HashMap<&str, &Entry> =
        shown.entries.iter().filter(|e| e.is_in()).map(|e| (e.message.id.as_str(), e)).collect();
    let calls = |entry: &&&Entry| entry.message.role == Role::Assistant && entry.message.calls().next().is_some();
    let kept = (start..end).filter(|&at| !is_gone(id(at)));
    let to = *kept.filter_map(|at| stays.get(id(at))).find(calls)?;
    let is_thought = |part: &Part| matches!(part, Part::Reasoning { .. });
    if to.message.parts.iter().any(is_thought) {
        return None;
    }
    let candidates = (start..=last).rev().filter(|&at| is_gone(id(at)) && !except.contains(id(at)));
    let (from, part) = candidates
        .map(|at| &whole.entries[at].message)
        .find_map(|message| Some((message, message.parts.iter().rposition(is_thought)?)))?;
    let mut led = to.message.clone().into_owned();
    led.parts.insert(0, from.parts[part].clone());
    let tokens = whole.meter.message(&led).saturating_sub(to.after);
    Some((Thinking { from: from.id.clone(), part, to: to.message.id.clone() }, tokens))
}

/// Returns whether a message begins a turn: a request of the user.
pub fn asks(entry: &Entry) -> bool {
    entry.message.role == Role::User && has_words(&entry.message)
}
