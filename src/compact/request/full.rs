//! The covered groups as messages, between the instructions and the closing request.

use super::clean::clean;
use super::{ANSWER_FACTOR, Rule, fit, said};
use crate::compact::instructions::{Medium, Wanted, closing, instructions};
use crate::effect::{ModelRequest, Shape};
use crate::history::draft::{Draft, Meter};
use crate::history::mend::{Receiver, Sent};
use crate::message::Role;

/// Builds the request, valid for its receiver and of at most `limit` tokens with the tool definitions; returns `None`
/// if the groups cannot be made to fit. The instructions are in front and, in short form, at the end, because models
/// forget the beginning of a long history.
pub fn full(
    draft: &Draft,
    parts: &[&[usize]],
    wanted: &Wanted,
    limit: u64,
    rule: Rule,
    receiver: Option<&Receiver>,
) -> Option<ModelRequest> {
    let limit = (limit as f64 * rule.full_headroom) as u64;
    let (mut asked, mut of_group) = clean(draft, parts);
    let with_tools = asked.entries.iter().any(|entry| entry.is_in() && entry.message.calls().next().is_some());
    // Without calls, the definitions would explain nothing.
    let tools = if with_tools { draft.meter.tools } else { 0 };
    asked.meter = Meter { tools, ..draft.meter };
    let (whole, changes) = (asked.total(), asked.removed.len());
    if let Some(max) = wanted.handover {
        let all: Vec<usize> = (0..asked.entries.len()).filter(|&at| asked.entries[at].is_in()).collect();
        fit::cap(&mut asked, &all, max);
    }
    let system = instructions(wanted, Medium::Messages);
    let prompt = closing(wanted, Medium::Messages);
    let first = said("instructions", Role::System, &system);
    let last = said("request", Role::User, &prompt);
    let frame = asked.meter.message(&first) + asked.meter.message(&last);
    if asked.entries.iter().all(|entry| !entry.is_in())
        || !fit::fit(&mut asked, &of_group, parts.len(), limit.checked_sub(frame)?)
    {
        return None;
    }
    let reduced = fit::reduced(&asked, changes, whole);
    asked.insert(0, first, "instructions");
    of_group.insert(0, 0);
    let end = asked.entries.len();
    asked.insert(end, last, "request");
    let Sent { plan: messages, tokens: prompt_tokens, signatures } = Sent::to(receiver, &asked);
    (prompt_tokens <= limit).then(|| ModelRequest {
        purpose: wanted.purpose(),
        shape: Shape::Full,
        prompt_tokens,
        messages,
        signatures,
        system,
        prompt,
        with_tools,
        max_tokens: Some(wanted.max_tokens * ANSWER_FACTOR),
        temperature: Some(rule.temperature),
        reduced,
    })
}

/// True if the calls in these groups can be sent as calls: their tools are defined.
pub fn is_possible(draft: &Draft, parts: &[&[usize]]) -> bool {
    let has_calls = || {
        parts.iter().flat_map(|part| part.iter()).any(|&at| {
            let message = &draft.entries[at].message;
            message.calls().next().is_some() || message.results().next().is_some()
        })
    };
    draft.meter.tools > 0 || !has_calls()
}
