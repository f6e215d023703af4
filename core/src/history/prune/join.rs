//! Corrects the counts of a finished draft for messages that are joined when written, see [`crate::history::written`].

use crate::history::draft::Draft;
use crate::history::plan::Removal;
use crate::history::written::{Written, runs, whole};
use crate::message::Message;
use crate::validity::Provider;

/// Counts joined messages as one. Returns how many messages are part of the one before them.
pub(super) fn count_joined(draft: &mut Draft, provider: Option<Provider>) -> usize {
    let there: Vec<usize> = (0..draft.entries.len()).filter(|&at| draft.entries[at].is_in()).collect();
    let lines = there.iter().map(|&at| &draft.entries[at]);
    let lines = lines.map(|entry| Written { message: &entry.message, place: entry.place(), joins: false });
    let runs = runs(lines, provider);
    let mut count = 0;
    for run in runs {
        count += run.len() - 1;
        count_run(draft, &run.into_iter().map(|at| there[at]).collect::<Vec<usize>>());
    }
    count
}

/// Subtracts the tokens that joining saves from all messages of the run but the first.
fn count_run(draft: &mut Draft, run: &[usize]) {
    let messages: Vec<&Message> = run.iter().map(|&at| &*draft.entries[at].message).collect();
    let whole = draft.meter.message(&whole(&messages));
    let apart: u64 = run.iter().map(|&at| draft.entries[at].after).sum();
    let mut saved = apart.saturating_sub(whole);
    draft.entries[run[1]].after += whole.saturating_sub(apart);
    for &at in &run[1..] {
        let entry = &mut draft.entries[at];
        let own = saved.min(entry.after);
        entry.after -= own;
        saved -= own;
        if let Some(id) = entry.host_id().cloned() {
            let why = "put together with the message before it, as its provider demands";
            draft.removed.push(Removal::new(vec![id], "same-role", why, own));
        }
    }
}
