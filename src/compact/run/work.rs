//! The working set in a record: files and things in their latest state, and the names around them.
//!
//! The newest messages follow the record and already show a part of the working set. The record does not repeat that
//! part.

use super::*;
use crate::compact::ledger::escape::escape;
use crate::compact::working::WorkingSet;
use crate::compact::working::render::{Order, Ranked, Weights, held_bytes};
use crate::compact::working::view::View;
use crate::map::HashMap;

/// Tokens of the tags around a block.
const FRAME: u64 = 16;
/// Minimum bytes of a token of code, on average: an estimate of what files cost. Measured on public transcripts: 3.1 to
/// 4.2.
const MIN_BYTES_PER_TOKEN: u64 = 3;

/// What a record can show of the working set.
pub(super) struct Work<'s> {
    ranked: Ranked<'s>,
    view: View,
    /// Maximum tokens while other lines need room.
    files: u64,
    names: u64,
}

impl Compaction {
    /// Returns the working set for a record; `None` if the profile gives it no room.
    pub(super) fn set_for(&self, budget: &Budget) -> Option<(Rc<WorkingSet>, Rc<Order>)> {
        let has_room = budget.working + budget.names > 0 && self.has_target();
        has_room.then(|| self.working_set()).flatten()
    }

    /// Returns what a record of `covered` can show of a working set.
    pub(super) fn work<'s>(
        &self,
        (set, order): &'s (Rc<WorkingSet>, Rc<Order>),
        budget: &Budget,
        draft: &Draft,
        covered: &Covered,
        text: &str,
    ) -> Work<'s> {
        let ids: HashSet<&str> = covered.ids.iter().map(String::as_str).collect();
        let stays = |entry: &&Entry| entry.is_in() && !ids.contains(entry.message.id.as_str());
        let mut view = self.tail(draft.entries.iter().filter(stays));
        view.text(text);
        // Things without a file change less than files, and the user's messages name them.
        let share = if set.files.is_empty() { budget.working / 2 } else { budget.working };
        let files = share.min(held_bytes(set) / MIN_BYTES_PER_TOKEN);
        Work { ranked: Ranked::in_order(set, Weights::default(), Rc::clone(order)), view, files, names: budget.names }
    }

    /// Returns the view of these entries.
    fn tail<'e>(&self, entries: impl Iterator<Item = &'e Entry<'e>>) -> View {
        let known: HashMap<*const Message, &Rc<Known>> =
            self.known.iter().map(|known| (Rc::as_ptr(&known.message), known)).collect();
        let (mut as_they_are, mut others) = (Vec::new(), Vec::new());
        for entry in entries {
            match known.get(&(&raw const *entry.message)) {
                Some(known) => as_they_are.push(Rc::clone(known)),
                None => others.push(&*entry.message),
            }
        }
        let mut view = View::over(self.held.tail.of(as_they_are));
        others.into_iter().for_each(|message| view.message(message));
        view
    }

    /// Returns the working set of the whole history, or `None` if no file or thing is known. The history of a log is
    /// every message as it was appended.
    fn working_set(&self) -> Option<(Rc<WorkingSet>, Rc<Order>)> {
        let (set, order) = self.held.open.of(self.history.as_ref().unwrap_or(&self.messages), &self.options.rules);
        (held_bytes(&set) > 0).then_some((set, order))
    }

    pub(super) fn has_work(&self) -> bool {
        self.working_set().is_some()
    }

    /// Estimates the tokens that the working set may use in a record.
    pub(super) fn work_tokens(&self, budget: &Budget) -> u64 {
        if budget.working + budget.names == 0 {
            return 0;
        }
        let Some((set, _)) = self.working_set() else { return 0 };
        held_bytes(&set) / MIN_BYTES_PER_TOKEN + budget.names.min(set.names.len() as u64 * 4)
    }
}

impl Work<'_> {
    /// Returns the tokens that lists leave for the names, and for the whole working set.
    pub(super) fn reserves(&self, room: u64) -> [u64; 2] {
        [self.names.min(room / 4), (self.files + self.names).min(room * 2 / 3)]
    }

    /// Returns the blocks within `left` tokens, and their cost. `lists` is the part of the record that is already
    /// written.
    pub(super) fn within(&self, lists: &str, left: u64, tokenizer: &dyn Tokenizer) -> (String, u64) {
        let mut view = self.view.clone();
        view.text(lists);
        let mut out = String::new();
        let mut used = 0;
        let mut add = |tag: &str, text: String| {
            if text.is_empty() {
                return 0;
            }
            let block = format!("<{tag}>\n{}\n</{tag}>\n", escape(&text));
            let tokens = tokenizer.count(&block);
            out.push_str(&block);
            used += tokens;
            tokens
        };
        let max = self.names.min(left).saturating_sub(FRAME);
        let of_names = add("names", self.ranked.names(&view, max, tokenizer));
        let left = left.saturating_sub(of_names + FRAME);
        add("open-files", self.ranked.files(&view, left, tokenizer));
        (out, used)
    }
}
