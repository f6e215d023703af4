//! Neighbours that become one message when they are written for their provider.
//!
//! The edge (`js/formats`) joins what a plan says, and neighbours that the host did not have side by side; what the host had side by side
//! stays as it was.

use crate::message::{Message, Part, Role};
use crate::validity::Provider;

/// A message as it is about to be written.
pub(super) struct Written<'m> {
    pub message: &'m Message,
    /// Index of the host's message that its content comes from.
    pub place: Option<usize>,
    /// The plan joins it with the message before it.
    pub joins: bool,
}

/// True if the provider's messages are ever joined.
pub(super) fn joins(provider: Option<Provider>) -> bool {
    matches!(provider, Some(Provider::Anthropic | Provider::Gemini | Provider::VsCode))
}

/// The messages that are written as one, by their indices: runs of two and more.
pub(super) fn runs<'m>(messages: impl Iterator<Item = Written<'m>>, provider: Option<Provider>) -> Vec<Vec<usize>> {
    let Some(provider) = provider.filter(|_| joins(provider)) else { return vec![] };
    let mut runs: Vec<Vec<usize>> = Vec::new();
    // The message before, the first one of its run, and its place.
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

/// The messages of a run as one: results come first.
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
