//! Finds adjacent messages that become one when they are written for their provider.
//!
//! `js/formats` joins messages if a plan says so, or if they were not adjacent in the host's list. Messages that were
//! adjacent there stay separate.

use crate::message::{Message, Part, Role};
use crate::validity::Provider;

/// A message to be written.
pub(super) struct Written<'m> {
    pub message: &'m Message,
    /// Index of the host's message that its content comes from.
    pub place: Option<usize>,
    /// Whether the plan joins it with the message before it.
    pub joins: bool,
}

/// Returns whether messages of this provider are ever joined.
pub(super) fn joins(provider: Option<Provider>) -> bool {
    matches!(provider, Some(Provider::Anthropic | Provider::Gemini | Provider::VsCode))
}

/// Returns the runs of two or more messages that are written as one, as indices.
pub(super) fn runs<'m>(messages: impl Iterator<Item = Written<'m>>, provider: Option<Provider>) -> Vec<Vec<usize>> {
    let Some(provider) = provider.filter(|_| joins(provider)) else { return vec![] };
    let mut runs: Vec<Vec<usize>> = Vec::new();
    // Index of the previous message, the first message of its run, and its place.
    let mut last: Option<(usize, &Message, Option<usize>)> = None;
    for (at, Written { message, place, joins }) in messages.enumerate() {
        if message.role.is_frame() {
            continue;
        }
        let joined = last.filter(|&(_, first, there)| {
            let is_as_it_was = there.zip(place).is_some_and(|(there, here)| there + 1 == here);
            if joins { one_speaker(first, message) } else { !is_as_it_was && are_one(first, message, provider) }
        });
        let Some((before, first, _)) = joined else {
            last = Some((at, message, place));
            continue;
        };
        match runs.last_mut().filter(|run| run.last() == Some(&before)) {
            Some(run) => run.push(at),
            None => runs.push(vec![before, at]),
        }
        last = Some((at, first, None));
    }
    runs
}

/// Joins the messages of a run. Results come first.
pub(super) fn whole(run: &[&Message]) -> Message {
    let parts = || run.iter().flat_map(|message| &message.parts);
    let is_result = |part: &&Part| matches!(part, Part::ToolResult { .. });
    let parts = parts().filter(is_result).chain(parts().filter(|part| !is_result(part))).cloned().collect();
    let (role, name) = run.first().map_or((Role::User, None), |first| (first.role, first.name.clone()));
    Message { id: String::new(), role, name, parts }
}

fn are_one(first: &Message, second: &Message, provider: Provider) -> bool {
    let has_results = |message: &Message| message.role != Role::Assistant && message.results().next().is_some();
    match provider {
        Provider::Gemini => one_speaker(first, second),
        _ => has_results(first) && has_results(second),
    }
}

fn one_speaker(first: &Message, second: &Message) -> bool {
    (first.role == Role::Assistant) == (second.role == Role::Assistant)
}
