//! The running request, unchanged, and one more message, so that the provider's cache of it is used again.

use super::said;
use crate::compact::instructions::{Medium, Wanted, closing, instructions};
use crate::effect::{ModelRequest, Reduced, Shape};
use crate::history::draft::Draft;
use crate::history::mend::{Receiver, Sent};
use crate::message::Role;

/// Returns the request, valid for its receiver; `None` if it does not fit `limit` tokens or if a call is open, which
/// only its result may follow.
pub fn fork(draft: &Draft, wanted: &Wanted, limit: u64, receiver: Option<&Receiver>) -> Option<ModelRequest> {
    let mut open = crate::map::HashSet::default();
    for entry in draft.entries.iter().filter(|entry| entry.is_in()) {
        open.extend(entry.message.calls());
        for answered in entry.message.results() {
            open.remove(answered);
        }
    }
    let prompt = format!("{}\n\n{}", instructions(wanted, Medium::Messages), closing(wanted, Medium::Messages));
    let last = said("request", Role::User, &prompt);
    if !open.is_empty() || draft.total() + draft.meter.message(&last) > limit {
        return None;
    }
    let mut asked = draft.clone();
    asked.insert(draft.entries.len(), last, "request");
    let Sent { plan: messages, tokens: prompt_tokens, signatures } = Sent::to(receiver, &asked);
    if prompt_tokens > limit {
        return None;
    }
    Some(ModelRequest {
        purpose: wanted.purpose(),
        shape: Shape::Fork,
        messages,
        signatures,
        system: String::new(),
        prompt,
        with_tools: true,
        prompt_tokens,
        max_tokens: None,
        temperature: None,
        reduced: Reduced::default(),
    })
}
