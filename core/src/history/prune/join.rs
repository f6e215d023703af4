//! Neighbours that become one message when they are written for their provider.
//!
//! In: a finished draft and the provider in whose format it is. Out: what that takes off the counts. The edge (`js/formats`) joins only
//! where the plan changed something: what the host had side by side stays as it was.

use crate::history::draft::{Draft, Entry};
use crate::history::plan::Removal;
use crate::map::HashMap;
use crate::message::{Message, Part, Role};
use crate::validity::Provider;

/// True if the provider's messages are ever joined.
pub(super) fn joins(provider: Option<Provider>) -> bool {
    matches!(provider, Some(Provider::Anthropic | Provider::Gemini | Provider::VsCode))
}

/// Counts messages that are written as one as such. Returns how many are part of the message before them.
pub(super) fn count_joined(draft: &mut Draft, provider: Option<Provider>) -> usize {
    let Some(provider) = provider.filter(|_| joins(provider)) else { return 0 };
    let mut numbers: HashMap<String, usize> = HashMap::default();
    if draft.entries.iter().any(|entry| entry.part_of.is_some()) {
        let own = draft.entries.iter().filter(|entry| !entry.is_new);
        numbers = own.map(|entry| (entry.message.id.clone(), entry.number)).collect();
    }
    // Where the host has a message; `None` for what it does not have.
    let place = |entry: &Entry| match &entry.part_of {
        Some(id) => numbers.get(id).copied(),
        None => (!entry.is_new).then_some(entry.number),
    };
    let mut runs: Vec<Vec<usize>> = Vec::new();
    let mut last: Option<(usize, Option<usize>)> = None;
    for (at, entry) in draft.entries.iter().enumerate() {
        if !entry.is_in() || entry.message.role.is_frame() {
            continue;
        }
        let place = place(entry);
        let joined = last.filter(|&(before, there)| {
            let is_as_it_was = there.zip(place).is_some_and(|(there, here)| there + 1 == here);
            !is_as_it_was && are_one(&draft.entries[before].message, &entry.message, provider)
        });
        match (joined, runs.last_mut()) {
            (Some((before, _)), Some(run)) if run.last() == Some(&before) => run.push(at),
            (Some((before, _)), _) => runs.push(vec![before, at]),
            (None, _) => {}
        }
        last = Some((at, if joined.is_some() { None } else { place }));
    }
    let mut count = 0;
    for run in runs {
        count += run.len() - 1;
        count_run(draft, &run);
    }
    count
}

fn are_one(first: &Message, second: &Message, provider: Provider) -> bool {
    let has_results = |message: &Message| message.role != Role::Assistant && message.results().next().is_some();
    match provider {
        Provider::Gemini => (first.role == Role::Assistant) == (second.role == Role::Assistant),
        _ => has_results(first) && has_results(second),
    }
}

/// Takes what joining saves off the messages behind the first one.
fn count_run(draft: &mut Draft, run: &[usize]) {
    let parts = || run.iter().flat_map(|&at| &draft.entries[at].message.parts);
    let is_result = |part: &&Part| matches!(part, Part::ToolResult { .. });
    let parts = parts().filter(is_result).chain(parts().filter(|part| !is_result(part))).cloned().collect();
    let first = &draft.entries[run[0]].message;
    let whole = draft.meter.message(&Message { id: String::new(), role: first.role, name: first.name.clone(), parts });
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
